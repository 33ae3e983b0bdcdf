import { indexKey, originalText } from "./storable.ts";
import type { UsageRow } from "./store.ts";

/** Adds up what belongs to the same owner, key, model and day. Sorted, so that two gateways lock rows in the same order. */
export function usageRows(rows: readonly UsageRow[]): UsageRow[] {
  const sums = new Map<string, UsageRow>();
  for (const each of rows) {
    const row = { ...each, owner: indexKey(each.owner), key: indexKey(each.key), model: indexKey(each.model) };
    const name = JSON.stringify([row.owner, row.key, row.model, row.day]);
    const sum = sums.get(name);
    sums.set(name, sum ? added(sum, row) : row);
  }
  return [...sums.keys()].sort().flatMap((name) => sums.get(name) ?? []);
}

function added(sum: UsageRow, row: UsageRow): UsageRow {
  return {
    ...sum,
    requests: sum.requests + row.requests,
    inputTokens: sum.inputTokens + row.inputTokens,
    cachedTokens: sum.cachedTokens + row.cachedTokens,
    outputTokens: sum.outputTokens + row.outputTokens,
  };
}

export function originalUsage(row: UsageRow): UsageRow {
  const { owner, key, model } = row;
  return { ...row, owner: originalText(owner), key: originalText(key), model: originalText(model) };
}
