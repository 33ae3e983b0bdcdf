import type { FinishReason, Item, JsonObject, Usage } from "../../turn/index.ts";

/** The finish reason reflects what the client received: `tool_calls` only if a call is complete. */
export function finishReason(reason: FinishReason, hasCalls: boolean, legacy: boolean): string {
  if (reason !== "stop") return reason;
  if (!hasCalls) return "stop";
  return legacy ? "function_call" : "tool_calls";
}

/** Whether the answer has a call for its client. */
export function hasCalls(items: readonly Item[]): boolean {
  return items.some((item) => item.type === "call" && item.owner !== "gateway");
}

export function writeUsage(usage: Usage): JsonObject {
  return {
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.totalTokens,
    prompt_tokens_details: { cached_tokens: usage.cachedTokens },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens },
  };
}

/** Chat nests a citation under its type; Responses has it flat. */
export function writeAnnotation(annotation: JsonObject): JsonObject {
  const { type, ...rest } = annotation;
  return typeof type === "string" ? { type, [type]: rest } : annotation;
}
