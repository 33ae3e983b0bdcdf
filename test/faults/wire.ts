import type { JsonObject } from "../../src/turn/index.ts";
import type { Api } from "../support/api.ts";
import { sseFrames } from "../support/provider.ts";
import { chatChunks, chatWhole } from "../support/scripted-chat.ts";
import { responsesEvents, responsesWhole } from "../support/scripted-responses.ts";
import { inSequence, piecesOf, type ScriptedItem, type ScriptedTurn } from "../support/scripted-turn.ts";
import type { Call } from "./fault.ts";

export const tools = [
  { name: "get_weather", parameters: { type: "object", properties: { location: { type: "string" } } } },
  { name: "get_time", parameters: { type: "object", properties: { location: { type: "string" } } } },
  { name: "refresh", parameters: { type: "object", properties: {} } },
];

export const rome: Call = { name: "get_weather", arguments: '{"location":"Rome"}' };
export const oslo: Call = { name: "get_time", arguments: '{"location":"Oslo"}' };

interface Said {
  think?: string;
  say?: string;
  calls?: Call[];
  finish?: NonNullable<ScriptedTurn["finish"]>;
}

function turnOf({ think, say, calls = [], finish = "stop" }: Said): ScriptedTurn {
  const items: ScriptedItem[] = [
    ...(think === undefined ? [] : [{ kind: "reasoning", text: think } as const]),
    ...(say === undefined ? [] : [{ kind: "message", text: say } as const]),
    ...calls.map((call, at) => ({ kind: "call", tool: "function", id: `call_${at}`, ...call }) as const),
  ];
  return { items, finish };
}

/** The events of a correct stream, six characters a piece. */
export function framesOf(api: Api, said: Said, size = 6): string[] {
  const rendering = { pieces: piecesOf(size), weave: inSequence };
  const turn = turnOf(said);
  if (api === "responses") return sseFrames(api, responsesEvents(turn, { model: "m" }, rendering));
  return sseFrames(api, chatChunks(turn, { model: "m" }, rendering));
}

/** A correct answer in one piece. */
export function wholeOf(api: Api, said: Said): JsonObject {
  return api === "chat" ? chatWhole(turnOf(said), { model: "m" }) : responsesWhole(turnOf(said), { model: "m" });
}

/** A stream as far as the first event that has these words in it. */
export function upTo(frames: string[], words: string): string[] {
  const last = frames.findIndex((frame) => frame.includes(words));
  if (last < 0) throw new Error(`No event has ${words} in it.`);
  return frames.slice(0, last + 1);
}

/** One event that has this as its data, whatever it is. */
export function event(api: Api, payload: JsonObject): string {
  return sseFrames(api, [payload], false).join("");
}

/** A chunk of a Chat stream. */
export function chunk(delta: JsonObject, finish: string | null = null): JsonObject {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  return { id: "chatcmpl-odd", object: "chat.completion.chunk", created: 1, model: "m", choices };
}

export function chatStream(chunks: JsonObject[], done = true): string[] {
  return sseFrames("chat", [chunk({ role: "assistant", content: null }), ...chunks], done);
}

/** A Chat stream of calls: each entry has a delta of its own, a list of entries shares one. */
export function chatCalls(entries: (JsonObject | JsonObject[])[], finish: string | null = "tool_calls"): string[] {
  const chunks = entries.map((entry) => chunk({ tool_calls: [entry].flat() }));
  return chatStream([...chunks, ...(finish === null ? [] : [chunk({}, finish)])]);
}

/** A Chat answer with these fields in its message. */
export function chatMessage(fields: JsonObject, finish: string | null = "tool_calls"): JsonObject {
  const message = { role: "assistant", content: null, ...fields };
  const choices = [{ index: 0, message, logprobs: null, finish_reason: finish }];
  return { id: "chatcmpl-odd", object: "chat.completion", created: 1, model: "m", choices };
}

/** An entry of `tool_calls` that begins a call, with all of its arguments or some. */
export function entry(fields: JsonObject, call: Call, text = call.arguments): JsonObject {
  return { ...fields, type: "function", function: { name: call.name, arguments: text } };
}

/** An entry that goes on with a call. */
export function rest(fields: JsonObject, text: string): JsonObject {
  return { ...fields, function: { arguments: text } };
}

/** The item of a call, finished; a field that is undefined is left out. */
export function callItem(call: Call, fields: { [key: string]: unknown } = {}): JsonObject {
  const identity = { id: `fc_${call.name}`, call_id: `call_${call.name}` };
  return { type: "function_call", ...identity, ...call, status: "completed", ...fields } as JsonObject;
}

/** The events of a call's item from its beginning to its end, its arguments in two pieces. */
export function callEvents(item: JsonObject, place: JsonObject): JsonObject[] {
  const text = String(item.arguments);
  return [
    { type: "response.output_item.added", ...place, item: { ...item, arguments: "", status: "in_progress" } },
    { type: argumentsDelta, ...place, delta: text.slice(0, 5) },
    { type: argumentsDelta, ...place, delta: text.slice(5) },
    { type: "response.function_call_arguments.done", ...place, arguments: text },
    { type: "response.output_item.done", ...place, item },
  ];
}

export const argumentsDelta = "response.function_call_arguments.delta";

export function ending(output: JsonObject[], status = "completed", more: JsonObject = {}): JsonObject {
  return { type: `response.${status}`, response: response(output, status, more) };
}

export function response(output: JsonObject[], status = "completed", more: JsonObject = {}): JsonObject {
  return { id: "resp_odd", object: "response", created_at: 1, model: "m", status, output, ...more };
}

/** A Responses stream of these events, which begins and ends as it should. */
export function responsesStream(events: JsonObject[], output: JsonObject[]): string[] {
  const begun = { type: "response.created", response: response([], "in_progress") };
  return sseFrames("responses", [begun, ...events, ending(output)]);
}
