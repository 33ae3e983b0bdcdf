import { isObject, type JsonObject, tokenCount, type Usage } from "../../turn/index.ts";

export function readUsage(usage: JsonObject): Usage {
  const input = tokenCount(usage.input_tokens);
  const output = tokenCount(usage.output_tokens);
  const inputDetails = isObject(usage.input_tokens_details) ? usage.input_tokens_details : {};
  const outputDetails = isObject(usage.output_tokens_details) ? usage.output_tokens_details : {};
  return {
    inputTokens: input,
    outputTokens: output,
    totalTokens: tokenCount(usage.total_tokens) || input + output,
    cachedTokens: tokenCount(inputDetails.cached_tokens),
    cacheWriteTokens: tokenCount(inputDetails.cache_write_tokens),
    reasoningTokens: tokenCount(outputDetails.reasoning_tokens),
  };
}
