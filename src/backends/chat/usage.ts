import { isObject, type JsonObject, tokenCount, type Usage } from "../../turn/index.ts";

export function readUsage(usage: JsonObject): Usage {
  const input = tokenCount(usage.prompt_tokens);
  const output = tokenCount(usage.completion_tokens);
  const prompt = isObject(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {};
  const completion = isObject(usage.completion_tokens_details) ? usage.completion_tokens_details : {};
  return {
    inputTokens: input,
    outputTokens: output,
    totalTokens: tokenCount(usage.total_tokens) || input + output,
    cachedTokens: tokenCount(prompt.cached_tokens) || tokenCount(usage.prompt_cache_hit_tokens),
    cacheWriteTokens: tokenCount(prompt.cache_write_tokens),
    reasoningTokens: tokenCount(completion.reasoning_tokens),
  };
}
