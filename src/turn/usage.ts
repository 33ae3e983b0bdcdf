export interface Usage {
  inputTokens: number;
  outputTokens: number;
  totalTokens: number;
  cachedTokens: number;
  cacheWriteTokens: number;
  reasoningTokens: number;
}

/**
 * More than any model reads or writes at once. Counts are summed in integers of 64 bits: a provider's absurd count must not make a sum
 * that the database refuses.
 */
const mostTokens = 1e12;

/** Reads a provider's token count. An invalid value counts as 0. */
export function tokenCount(value: unknown): number {
  return Number.isFinite(value) && Number(value) >= 0 ? Math.min(Math.trunc(Number(value)), mostTokens) : 0;
}

export function addUsage(a: Usage | undefined, b: Usage): Usage {
  if (!a) return b;
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    totalTokens: a.totalTokens + b.totalTokens,
    cachedTokens: a.cachedTokens + b.cachedTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
    reasoningTokens: a.reasoningTokens + b.reasoningTokens,
  };
}
