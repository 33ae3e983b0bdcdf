import type { JsonObject } from "../../src/turn/index.ts";
import { answered, type Call, type Fault } from "./fault.ts";
import {
  argumentsDelta,
  callEvents,
  callItem,
  chatCalls,
  chatMessage,
  entry,
  oslo,
  responsesStream,
  rest,
  rome,
} from "./wire.ts";

const half = rome.arguments.slice(0, 8);
const otherHalf = rome.arguments.slice(8);
const two = { calls: [rome, oslo] };

/** Both calls by a Chat provider that says these things of the first and of the second. */
function chat(first: JsonObject, second: JsonObject) {
  return {
    stream: chatCalls([entry(first, rome), entry(second, oslo)]),
    whole: chatMessage({ tool_calls: [entry(first, rome), entry(second, oslo)] }),
  };
}

/** Both calls by a Responses provider whose items have these fields instead of their own. */
function responses(first: { [key: string]: unknown }, second: { [key: string]: unknown }) {
  const items = [callItem(rome, first), callItem(oslo, second)];
  const events = items.flatMap((item, output_index) => callEvents(item, place(output_index, item)));
  return { stream: responsesStream(events, items), whole: response(items) };
}

function place(output_index: number | undefined, item: JsonObject): JsonObject {
  return { ...(output_index !== undefined && { output_index }), ...(item.id !== undefined && { item_id: item.id }) };
}

function response(output: JsonObject[]): JsonObject {
  return { id: "resp_odd", object: "response", created_at: 1, model: "m", status: "completed", output };
}

/** The same oddity on both APIs, in a stream and in one piece. */
function fault(name: string, odd: ReturnType<typeof chat>, other: ReturnType<typeof responses>, calls: Call[]): Fault {
  return {
    name,
    stream: { chat: odd.stream, responses: other.stream },
    whole: { chat: odd.whole, responses: other.whole },
    ends: answered({ calls }),
  };
}

const long = (letter: string) => `call_${letter.repeat(75)}`;

const ids: Fault[] = [
  fault(
    "gives its calls no ids",
    chat({ index: 0 }, { index: 1 }),
    responses({ id: undefined, call_id: undefined }, { id: undefined, call_id: undefined }),
    two.calls,
  ),
  fault(
    "gives its calls empty ids",
    chat({ index: 0, id: "" }, { index: 1, id: "" }),
    responses({ id: "", call_id: "" }, { id: "", call_id: "" }),
    two.calls,
  ),
  fault(
    "gives its calls null for ids",
    chat({ index: 0, id: null }, { index: 1, id: null }),
    responses({ id: null, call_id: null }, { id: null, call_id: null }),
    two.calls,
  ),
  fault(
    "gives two calls one id",
    chat({ index: 0, id: "call_x" }, { index: 1, id: "call_x" }),
    responses({ call_id: "call_x" }, { call_id: "call_x" }),
    [{ ...rome, id: "call_x" }, oslo],
  ),
  fault(
    "gives two calls one id in every way",
    chat({ index: 0, id: "call_x" }, { index: 0, id: "call_x" }),
    responses({ id: "fc_x", call_id: "call_x" }, { id: "fc_x", call_id: "call_x" }),
    [{ ...rome, id: "call_x" }, oslo],
  ),
  fault(
    "gives ids that name the function and its place",
    chat({ index: 0, id: "functions.get_weather:0" }, { index: 1, id: "functions.get_time:1" }),
    responses({ call_id: "functions.get_weather:0" }, { call_id: "functions.get_time:1" }),
    two.calls,
  ),
  fault(
    "gives ids of 80 characters",
    chat({ index: 0, id: long("a") }, { index: 1, id: long("b") }),
    responses({ call_id: long("a") }, { call_id: long("b") }),
    two.calls,
  ),
  fault(
    "gives numbers for ids",
    chat({ index: 0, id: 1 }, { index: 1, id: 2 }),
    responses({ call_id: 1 }, { call_id: 2 }),
    two.calls,
  ),
  {
    name: "gives a call's id after its name",
    stream: { chat: chatCalls([entry({ index: 0 }, rome, half), rest({ index: 0, id: "call_a" }, otherHalf)]) },
    ends: answered({ calls: [rome] }),
  },
  {
    name: "repeats a call's id in every piece",
    stream: {
      chat: chatCalls([
        entry({ index: 0, id: "call_a" }, rome, half),
        rest({ index: 0, id: "call_a" }, otherHalf),
        entry({ index: 1, id: "call_b" }, oslo),
      ]),
      responses: responsesStream(
        [callItem(rome), callItem(oslo)].flatMap((item, output_index) =>
          callEvents(item, { ...place(output_index, item), call_id: item.call_id }),
        ),
        [callItem(rome), callItem(oslo)],
      ),
    },
    ends: answered(two),
  },
];

const items = [callItem(rome), callItem(oslo)] as const;

/** Both calls by a Responses provider that gives each this place. */
function placed(where: (index: number) => number | undefined): string[] {
  return responsesStream(
    items.flatMap((item, index) => callEvents(item, place(where(index), item))),
    [...items],
  );
}

/** Both calls by a Chat provider that gives each this index, the first in two pieces. */
function indexed(where: (at: number) => JsonObject, named = true): string[] {
  const id = (letter: string) => (named ? { id: `call_${letter}` } : {});
  return chatCalls([
    entry({ ...where(0), ...id("a") }, rome, half),
    rest(where(0), otherHalf),
    entry({ ...where(1), ...id("b") }, oslo, ""),
    rest(where(1), oslo.arguments),
  ]);
}

const indexes: Fault[] = [
  { name: "gives every call the index 0", stream: { chat: indexed(() => ({ index: 0 })), responses: placed(() => 0) } },
  { name: "gives every call the index 0, and no id", stream: { chat: indexed(() => ({ index: 0 }), false) } },
  { name: "gives its calls no index", stream: { chat: indexed(() => ({})), responses: placed(() => undefined) } },
  {
    name: "gives its calls neither index nor id",
    stream: {
      chat: indexed(() => ({}), false),
      responses: responsesStream(
        items.flatMap((item) => callEvents({ ...item, id: null, call_id: null }, {})),
        items.map((item) => ({ ...item, id: null, call_id: null })),
      ),
    },
  },
  {
    name: "counts its calls from 3, by twos",
    stream: { chat: indexed((at) => ({ index: 3 + 2 * at })), responses: placed((index) => 3 + 2 * index) },
  },
  { name: "writes indexes as text", stream: { chat: indexed((at) => ({ index: String(at) })) } },
  {
    name: "mixes the pieces of its calls",
    stream: {
      chat: chatCalls([
        entry({ index: 0, id: "call_a" }, rome, half),
        entry({ index: 1, id: "call_b" }, oslo, oslo.arguments.slice(0, 3)),
        rest({ index: 0 }, otherHalf),
        rest({ index: 1 }, oslo.arguments.slice(3)),
      ]),
      responses: responsesStream(
        mixed((item, output_index) => ({ output_index, item_id: item.id })),
        [...items],
      ),
    },
  },
  {
    name: "has pieces of all its calls in each delta",
    stream: {
      chat: chatCalls([
        [entry({ index: 0, id: "call_a" }, rome, half), entry({ index: 1, id: "call_b" }, oslo, "{")],
        [rest({ index: 0 }, otherHalf), rest({ index: 1 }, oslo.arguments.slice(1))],
      ]),
      responses: responsesStream(
        mixed((item) => ({ item_id: item.id })),
        [...items],
      ),
    },
  },
].map((each) => ({ ...each, ends: answered(two) }));

function mixed(where: (item: JsonObject, index: number) => { [key: string]: unknown }): JsonObject[] {
  const [first = [], second = []] = items.map((item, index) => callEvents(item, where(item, index) as JsonObject));
  return first.flatMap((each, step) => [each, ...second.slice(step, step + 1)]);
}

export const identityFaults: Fault[] = [
  ...ids,
  ...indexes,
  {
    name: "names a call's item only by its place",
    stream: {
      responses: responsesStream(
        items.flatMap((item, output_index) => callEvents(item, { output_index })),
        [...items],
      ),
    },
    ends: answered(two),
  },
  {
    name: "never says that a call began",
    stream: {
      responses: responsesStream(
        [{ type: argumentsDelta, output_index: 0, item_id: items[0].id ?? null, delta: half }],
        [items[0]],
      ),
    },
    ends: answered({ calls: [rome] }),
  },
];
