import { type JsonObject, tokenCount, type Usage } from "../../turn/index.ts";

export function readUsage(usage: JsonObject): Usage {
  const inputTokens = tokenCount(usage.inputTokens);
  const outputTokens = tokenCount(usage.outputTokens);
  return {
    inputTokens,
    outputTokens,
    totalTokens: tokenCount(usage.totalTokens) || inputTokens + outputTokens,
    cachedTokens: tokenCount(usage.cachedInputTokens),
    cacheWriteTokens: tokenCount(usage.cacheWriteInputTokens),
    reasoningTokens: tokenCount(usage.reasoningOutputTokens),
  };
}
