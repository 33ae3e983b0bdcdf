import type { UsageRow } from "../store/store.ts";

const days = 30;

export interface Used {
  requests: number;
  inputTokens: number;
  cachedTokens: number;
  outputTokens: number;
}

/** Sums what was used on the last 30 days. Rows of the same group are one sum. */
export function recentUsage(
  rows: readonly UsageRow[],
  group: (row: UsageRow) => string,
  now: number,
): Map<string, Used> {
  const first = new Date(now - (days - 1) * 86_400_000).toISOString().slice(0, 10);
  const sums = new Map<string, Used>();
  for (const row of rows) {
    if (row.day < first) continue;
    const name = group(row);
    const sum = sums.get(name) ?? { requests: 0, inputTokens: 0, cachedTokens: 0, outputTokens: 0 };
    sum.requests += row.requests;
    sum.inputTokens += row.inputTokens;
    sum.cachedTokens += row.cachedTokens;
    sum.outputTokens += row.outputTokens;
    sums.set(name, sum);
  }
  return sums;
}

/** The same in the words of the public APIs. */
export function usedAsJson({ requests, inputTokens, cachedTokens, outputTokens }: Used) {
  return { requests, input_tokens: inputTokens, cached_tokens: cachedTokens, output_tokens: outputTokens };
}

export function rowCount(count: number): string {
  return count === 1 ? "1 row" : `${inWords(count)} rows`;
}

export function inWords(count: number): string {
  return count.toLocaleString("en-US");
}
