import type { JsonObject } from "../../../src/turn/index.ts";
import type { TurnWish } from "../../support/gateway.ts";
import type { Reply } from "../../support/provider.ts";

/** An answer as no API has it, what every client gets of it, and the repairs that are told. */
export interface OddAnswer {
  reply: Reply;
  calls: { id?: unknown; name: string; arguments: string }[];
  /** The kinds, in any order. */
  repairs: string[];
  text?: string;
  wish?: Partial<TurnWish>;
}

export const tools = [{ name: "get_weather" }, { name: "get_time" }, { name: "refresh" }];

export const rome = { name: "get_weather", arguments: '{"city":"Rome"}' };
export const oslo = { name: "get_weather", arguments: '{"city":"Oslo"}' };
export const noon = { name: "get_time", arguments: '{"zone":"UTC"}' };
export const nothing = { name: "refresh", arguments: "{}" };

/** A chunk of a Chat stream. */
export function delta(fields: JsonObject, finish: string | null = null): JsonObject {
  return { choices: [{ index: 0, delta: fields, finish_reason: finish }] };
}

/** Chunks with one entry of `tool_calls` each, and an ending. */
export function entries(list: JsonObject[], finish: string | null = "tool_calls"): Reply {
  const end = finish === null ? [] : [delta({}, finish)];
  return { chunks: [delta({ role: "assistant" }), ...list.map((entry) => delta({ tool_calls: [entry] })), ...end] };
}

/** An entry of `tool_calls`: what tells the call from others, and what is inside. */
export function entry(identity: JsonObject, inside: JsonObject): JsonObject {
  return { ...identity, type: "function", function: inside };
}

/** A whole Chat answer. */
export function message(fields: JsonObject, finish: string | null = "tool_calls"): Reply {
  return {
    whole: { choices: [{ index: 0, message: { role: "assistant", content: null, ...fields }, finish_reason: finish }] },
  };
}

/** A `function_call` item of a Responses provider. */
export function item(id: string, { name, arguments: text }: typeof rome, more: JsonObject = {}): JsonObject {
  return { type: "function_call", id: `fc_${id}`, call_id: id, name, arguments: text, status: "completed", ...more };
}

export function added(output_index: number | undefined, of: JsonObject): JsonObject {
  return {
    type: "response.output_item.added",
    output_index,
    item: { ...of, ...(of.type === "function_call" && { arguments: "", status: "in_progress" }) },
  };
}

export function done(output_index: number | undefined, of: JsonObject): JsonObject {
  return { type: "response.output_item.done", output_index, item: of };
}

export function piece(output_index: number | undefined, item_id: string | undefined, text: unknown): JsonObject {
  const type = "response.function_call_arguments.delta";
  return { type, output_index, item_id, delta: text as string };
}

export function completed(output: JsonObject[], more: JsonObject = {}): JsonObject {
  return { type: "response.completed", response: { id: "resp_x", status: "completed", output, ...more } };
}
