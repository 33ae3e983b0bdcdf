import type { JsonObject } from "../../src/turn/index.ts";
import {
  defaultUsage,
  lanesOf,
  type Rendering,
  type ScriptedItem,
  type ScriptedMessage,
  type ScriptedTurn,
  type ScriptedUsage,
} from "./scripted-turn.ts";

export interface ResponsesHead {
  model: string;
}

/** The events of a correct Responses stream of the turn, numbered. */
export function responsesEvents(turn: ScriptedTurn, head: ResponsesHead, rendering: Rendering): JsonObject[] {
  const begun = responseObject(head, "in_progress", []);
  const groups = lanesOf(turn.items, (item, index) => eventsOf(item, index, itemOf(turn, index), rendering.pieces));
  const events: JsonObject[] = [
    { type: "response.created", response: begun },
    { type: "response.in_progress", response: begun },
    ...groups.flatMap((lanes) => rendering.weave(lanes)),
  ];
  if (turn.finish !== null) events.push({ type: `response.${statusOf(turn)}`, response: responsesWhole(turn, head) });
  return events.map((event, sequence_number) => ({ ...event, sequence_number }));
}

/** The same turn as an answer in one piece. */
export function responsesWhole(turn: ScriptedTurn, head: ResponsesHead): JsonObject {
  const status = statusOf(turn);
  const output = turn.items.map((_, index) => itemOf(turn, index));
  const reason = turn.finish === "content_filter" ? "content_filter" : "max_output_tokens";
  return {
    ...responseObject(head, status, output),
    incomplete_details: status === "incomplete" ? { reason } : null,
    usage: turn.usage === null ? null : responsesUsage(turn.usage ?? defaultUsage),
  };
}

function statusOf(turn: ScriptedTurn): "completed" | "incomplete" {
  return turn.finish === "length" || turn.finish === "content_filter" ? "incomplete" : "completed";
}

function responseObject({ model }: ResponsesHead, status: string, output: JsonObject[]): JsonObject {
  return {
    id: "resp_scripted",
    object: "response",
    created_at: 1_700_000_000,
    completed_at: status === "completed" ? 1_700_000_001 : null,
    status,
    incomplete_details: null,
    model,
    previous_response_id: null,
    instructions: null,
    output,
    error: null,
    tools: [],
    tool_choice: "auto",
    truncation: "disabled",
    parallel_tool_calls: true,
    text: { format: { type: "text" } },
    top_p: 1,
    presence_penalty: 0,
    frequency_penalty: 0,
    top_logprobs: 0,
    temperature: 1,
    reasoning: null,
    usage: null,
    max_output_tokens: null,
    max_tool_calls: null,
    store: false,
    background: false,
    service_tier: "default",
    metadata: {},
    safety_identifier: null,
    prompt_cache_key: null,
  };
}

function itemOf(turn: ScriptedTurn, index: number): JsonObject {
  const item = turn.items[index];
  if (!item) return {};
  // The API marks the item that a limit cut; it is the last one.
  const status = statusOf(turn) === "incomplete" && index === turn.items.length - 1 ? "incomplete" : "completed";
  switch (item.kind) {
    case "message":
      return { id: `msg_${index}`, type: "message", status, role: "assistant", content: partsOf(item) };
    case "reasoning":
      return { id: `rs_${index}`, type: "reasoning", summary: [{ type: "summary_text", text: item.text }] };
    case "call": {
      const identity = { call_id: item.id, name: item.name };
      return item.tool === "custom"
        ? { id: `ctc_${index}`, type: "custom_tool_call", ...identity, input: item.arguments }
        : { id: `fc_${index}`, type: "function_call", status, ...identity, arguments: item.arguments };
    }
  }
}

function partsOf({ text, refusal, annotations = [] }: ScriptedMessage): JsonObject[] {
  const parts: JsonObject[] = [];
  if (text !== undefined) parts.push({ type: "output_text", text, annotations, logprobs: [] });
  if (refusal !== undefined) parts.push({ type: "refusal", refusal });
  return parts;
}

function eventsOf(
  item: ScriptedItem,
  output_index: number,
  done: JsonObject,
  pieces: Rendering["pieces"],
): JsonObject[] {
  const at = { item_id: done.id, output_index };
  const inside = () => {
    switch (item.kind) {
      case "message":
        return partsOf(item).flatMap((part, content_index) => partEvents(part, { ...at, content_index }, pieces));
      case "reasoning":
        return summaryEvents(item.text, { ...at, summary_index: 0 }, pieces);
      case "call":
        return callEvents(item.arguments, done, at, pieces);
    }
  };
  const empty = { message: { content: [] }, reasoning: { summary: [] }, call: emptyCall(done) }[item.kind];
  const status = "status" in done ? { status: "in_progress" } : {};
  return [
    { type: "response.output_item.added", output_index, item: { ...done, ...status, ...empty } },
    ...inside(),
    { type: "response.output_item.done", output_index, item: done },
  ];
}

function emptyCall(done: JsonObject): JsonObject {
  return done.type === "custom_tool_call" ? { input: "" } : { arguments: "" };
}

function partEvents(part: JsonObject, at: JsonObject, pieces: Rendering["pieces"]): JsonObject[] {
  const isText = part.type === "output_text";
  const name = isText ? "response.output_text" : "response.refusal";
  const key = isText ? "text" : "refusal";
  const text = String(part[key]);
  const logprobs = isText ? { logprobs: [] } : {};
  const annotations = isText && Array.isArray(part.annotations) ? part.annotations : [];
  const empty = isText ? { ...part, text: "", annotations: [] } : { ...part, refusal: "" };
  return [
    { type: "response.content_part.added", ...at, part: empty },
    ...pieces(text).map((delta) => ({ type: `${name}.delta`, ...at, delta, ...logprobs })),
    ...annotations.map((annotation, annotation_index) => ({
      type: "response.output_text.annotation.added",
      ...at,
      annotation_index,
      annotation,
    })),
    { type: `${name}.done`, ...at, [key]: text, ...logprobs },
    { type: "response.content_part.done", ...at, part },
  ];
}

function summaryEvents(text: string, at: JsonObject, pieces: Rendering["pieces"]): JsonObject[] {
  return [
    { type: "response.reasoning_summary_part.added", ...at, part: { type: "summary_text", text: "" } },
    ...pieces(text).map((delta) => ({ type: "response.reasoning_summary_text.delta", ...at, delta })),
    { type: "response.reasoning_summary_text.done", ...at, text },
    { type: "response.reasoning_summary_part.done", ...at, part: { type: "summary_text", text } },
  ];
}

function callEvents(text: string, done: JsonObject, at: JsonObject, pieces: Rendering["pieces"]): JsonObject[] {
  const custom = done.type === "custom_tool_call";
  const name = custom ? "response.custom_tool_call_input" : "response.function_call_arguments";
  return [
    ...pieces(text).map((delta) => ({ type: `${name}.delta`, ...at, delta })),
    { type: `${name}.done`, ...at, ...(custom ? { input: text } : { name: done.name, arguments: text }) },
  ];
}

function responsesUsage({ input, output, cached = 0, reasoning = 0 }: ScriptedUsage): JsonObject {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached, cache_write_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  };
}
