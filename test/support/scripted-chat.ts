import type { JsonObject } from "../../src/turn/index.ts";
import {
  defaultUsage,
  lanesOf,
  type Rendering,
  type ScriptedCall,
  type ScriptedItem,
  type ScriptedTurn,
  type ScriptedUsage,
} from "./scripted-turn.ts";

export interface ChatHead {
  model: string;
  /** The request had `stream_options.include_usage`. */
  includeUsage?: boolean;
}

const identity = { id: "chatcmpl-scripted", created: 1_700_000_000 };

/** The chunks of a correct Chat Completions stream of the turn. */
export function chatChunks(turn: ScriptedTurn, head: ChatHead, rendering: Rendering): JsonObject[] {
  const usageKey = head.includeUsage ? { usage: null } : {};
  const common = { ...identity, object: "chat.completion.chunk", model: head.model };
  const chunk = (delta: JsonObject, finish: string | null = null): JsonObject => ({
    ...common,
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
    ...usageKey,
  });
  const indexes = new Map(callsOf(turn).map((call, index) => [call, index]));
  const groups = lanesOf(turn.items, (item) => deltasOf(item, indexes, rendering.pieces));
  const deltas = groups.flatMap((lanes) => rendering.weave(lanes));
  const chunks = [chunk({ role: "assistant", content: "" }), ...deltas.map((delta) => chunk(delta))];
  if (turn.finish === null) return chunks;
  chunks.push(chunk({}, finishOf(turn)));
  if (head.includeUsage && turn.usage !== null) {
    chunks.push({ ...common, choices: [], usage: chatUsage(turn.usage ?? defaultUsage) });
  }
  return chunks;
}

/** The same turn as an answer in one piece. */
export function chatWhole(turn: ScriptedTurn, { model }: ChatHead): JsonObject {
  const messages = turn.items.filter((item) => item.kind === "message");
  const thoughts = turn.items.filter((item) => item.kind === "reasoning").map((item) => item.text);
  const annotations = messages.flatMap((message) => message.annotations ?? []).map(nested);
  const calls = callsOf(turn);
  return {
    ...identity,
    object: "chat.completion",
    model,
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: messages.map((message) => message.text ?? "").join("") || null,
          refusal: messages.map((message) => message.refusal ?? "").join("") || null,
          ...(thoughts.length > 0 && { reasoning_content: thoughts.join("") }),
          ...(annotations.length > 0 && { annotations }),
          ...(calls.length > 0 && { tool_calls: calls.map((call) => toolCall(call, call.arguments)) }),
        },
        logprobs: null,
        finish_reason: finishOf(turn),
      },
    ],
    ...(turn.usage !== null && { usage: chatUsage(turn.usage ?? defaultUsage) }),
  };
}

function deltasOf(item: ScriptedItem, indexes: Map<ScriptedCall, number>, pieces: Rendering["pieces"]): JsonObject[] {
  switch (item.kind) {
    case "message":
      return [
        ...pieces(item.text ?? "").map((content) => ({ content })),
        ...(item.annotations ?? []).map((annotation) => ({ annotations: [nested(annotation)] })),
        ...pieces(item.refusal ?? "").map((refusal) => ({ refusal })),
      ];
    case "reasoning":
      return pieces(item.text).map((text) => ({ reasoning_content: text }));
    case "call": {
      const index = indexes.get(item) ?? 0;
      const delta = (fields: JsonObject): JsonObject => ({ tool_calls: [{ index, ...fields }] });
      const inside = (piece: string) =>
        item.tool === "custom" ? { custom: { input: piece } } : { function: { arguments: piece } };
      return [delta(toolCall(item, "")), ...pieces(item.arguments).map((piece) => delta(inside(piece)))];
    }
  }
}

function callsOf(turn: ScriptedTurn): ScriptedCall[] {
  return turn.items.filter((item) => item.kind === "call");
}

function toolCall({ id, name, tool }: ScriptedCall, text: string): JsonObject {
  return tool === "custom"
    ? { id, type: "custom", custom: { name, input: text } }
    : { id, type: "function", function: { name, arguments: text } };
}

function finishOf(turn: ScriptedTurn): string {
  if (turn.finish && turn.finish !== "stop") return turn.finish;
  return callsOf(turn).length > 0 ? "tool_calls" : "stop";
}

function nested({ type, ...fields }: JsonObject): JsonObject {
  return { type, [String(type)]: fields };
}

function chatUsage({ input, output, cached = 0, reasoning = 0 }: ScriptedUsage): JsonObject {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}
