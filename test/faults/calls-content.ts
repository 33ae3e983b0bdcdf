import type { JsonObject } from "../../src/turn/index.ts";
import { answered, type Fault, unreadable } from "./fault.ts";
import {
  argumentsDelta,
  callEvents,
  callItem,
  chatCalls,
  chatMessage,
  chatStream,
  chunk,
  entry,
  response,
  responsesStream,
  rest,
  rome,
} from "./wire.ts";

const half = rome.arguments.slice(0, 8);
const otherHalf = rome.arguments.slice(8);
const item = callItem(rome);
const place = { output_index: 0, item_id: item.id ?? null };
const id = { index: 0, id: "call_a" };
const called = answered({ calls: [rome] });
const nothing = { name: "refresh", arguments: "{}" };

/** The events of a call, changed one by one; `undefined` leaves an event out. */
function changed(change: (event: JsonObject) => JsonObject | undefined): string[] {
  return responsesStream(
    callEvents(item, place).flatMap((event) => [change(event) ?? []].flat()),
    [item],
  );
}

const isDelta = (event: JsonObject) => event.type === argumentsDelta;
const isDone = (event: JsonObject) => event.type === "response.function_call_arguments.done";

const names: Fault[] = [
  {
    name: "repeats a call's name in every piece",
    stream: {
      chat: chatCalls([entry(id, rome, half), entry(id, rome, otherHalf)]),
      responses: changed((event) => ({ ...event, name: rome.name })),
    },
    ends: called,
  },
  {
    name: "gives a call's name after its arguments",
    stream: {
      chat: chatCalls([rest(id, half), rest({ index: 0 }, otherHalf), { index: 0, function: { name: rome.name } }]),
      responses: changed((event) =>
        event.type === "response.output_item.added"
          ? { ...event, item: { type: "function_call", id: item.id ?? null, call_id: item.call_id ?? null } }
          : event,
      ),
    },
    ends: called,
  },
  {
    name: "gives a call's name in pieces",
    stream: {
      chat: chatCalls([
        { ...id, function: { name: "get_" } },
        { index: 0, function: { name: "weather" } },
        rest({ index: 0 }, rome.arguments),
      ]),
    },
    ends: called,
  },
];

/** A call whose arguments are these, on both APIs and in both forms. */
function withArguments(name: string, value: JsonObject | string | null | undefined, ends: Fault["ends"]): Fault {
  const inside = value === undefined ? {} : { arguments: value };
  const tool = ends === called ? rome.name : nothing.name;
  const toolCall = { ...id, type: "function", function: { name: tool, ...inside } };
  const { arguments: _arguments, ...bare } = item;
  const oddItem: JsonObject = { ...bare, name: tool, ...inside };
  const events = [
    { type: "response.output_item.added", output_index: 0, item: { ...oddItem, status: "in_progress" } },
    { type: "response.function_call_arguments.done", ...place, ...inside },
    { type: "response.output_item.done", output_index: 0, item: oddItem },
  ];
  return {
    name,
    stream: { chat: chatCalls([toolCall]), responses: responsesStream(events, [oddItem]) },
    whole: { chat: chatMessage({ tool_calls: [toolCall] }), responses: response([oddItem]) },
    ends,
  };
}

const deep = Array.from({ length: 3_000 }).reduce<JsonObject>((inside) => ({ inside }), {});
const without = answered({ calls: [nothing] });

const texts: Fault[] = [
  withArguments("writes arguments as an object", { location: "Rome" }, called),
  withArguments("writes no arguments at all", undefined, without),
  withArguments("writes empty arguments", "", without),
  withArguments("writes blank arguments", " \n", answered({ calls: [{ ...nothing, arguments: " \n{}" }] })),
  withArguments("writes null for arguments", null, without),
  withArguments("writes an empty object for arguments", {}, without),
  withArguments("writes arguments that are nested deeper than anybody can take", deep, unreadable()),
  {
    name: "gives the arguments only at the end of a call",
    stream: {
      chat: chatStream([
        chunk({ tool_calls: [entry(id, rome, "")] }),
        chunk({ tool_calls: [rest({ index: 0 }, rome.arguments)] }, "tool_calls"),
      ]),
      responses: changed((event) => (isDelta(event) ? undefined : event)),
    },
    ends: called,
  },
  {
    name: "gives the arguments only with the finished item",
    stream: { responses: changed((event) => (isDelta(event) || isDone(event) ? undefined : event)) },
    ends: called,
  },
  {
    name: "ends a call without saying its arguments again",
    stream: {
      responses: changed((event) => (isDone(event) ? { ...event, arguments: "" } : event)),
    },
    ends: called,
  },
  {
    name: "gives one character of the arguments a piece",
    stream: {
      chat: chatCalls([
        entry(id, rome, ""),
        ...Array.from(rome.arguments, (character) => rest({ index: 0 }, character)),
      ]),
      responses: responsesStream(
        callEvents(item, place).flatMap((event) =>
          isDelta(event) ? Array.from(String(event.delta), (delta) => ({ ...event, delta })) : [event],
        ),
        [item],
      ),
    },
    ends: called,
  },
  {
    name: "sends empty pieces among the arguments",
    stream: {
      chat: chatCalls([{}, entry(id, rome, ""), rest({ index: 0 }, ""), rest({ index: 0 }, rome.arguments), {}]),
      responses: responsesStream(
        callEvents(item, place).flatMap((event) => (isDelta(event) ? [{ ...event, delta: "" }, event] : [event])),
        [item],
      ),
    },
    ends: called,
  },
  {
    name: "calls in the old form of functions",
    stream: {
      chat: chatStream([
        chunk({ function_call: { name: rome.name, arguments: half } }),
        chunk({ function_call: { arguments: otherHalf } }),
        chunk({}, "function_call"),
      ]),
    },
    whole: { chat: chatMessage({ function_call: { ...rome } }, "function_call") },
    ends: called,
  },
];

export const contentFaults: Fault[] = [...names, ...texts];
