import type { OperationDefinition } from "../operation.ts";
import type { UsageRow } from "../store.ts";
import { insertInto, numberOf, sql, textOf } from "./statements.ts";
import { tables } from "./tables.ts";

const sums = ["requests", "input_tokens", "cached_tokens", "output_tokens"];
const adding = sums.map((column) => `${column} = usage.${column} + excluded.${column}`).join(", ");
const insert = insertInto("usage", `ON CONFLICT (owner, key, model, day) DO UPDATE SET ${adding}`);

/** Adds to what is stored. No owner, key, model and day occurs twice among the rows, and they are sorted. */
export const addUsage: OperationDefinition<readonly UsageRow[], void> = {
  writes: true,
  *run(rows) {
    const values = rows.map((row) => [
      row.owner,
      row.key,
      row.model,
      row.day,
      row.requests,
      row.inputTokens,
      row.cachedTokens,
      row.outputTokens,
    ]);
    yield* insert(values);
  },
};

/** All usage, the newest day first. */
export const usage: OperationDefinition<null, UsageRow[]> = {
  writes: false,
  *run() {
    const rows = yield* sql(
      `SELECT ${tables.usage.columns.join(", ")} FROM usage ORDER BY day DESC, key, owner, model`,
    );
    return rows.map((row) => ({
      owner: textOf(row, "owner"),
      key: textOf(row, "key"),
      model: textOf(row, "model"),
      day: textOf(row, "day"),
      requests: numberOf(row, "requests"),
      inputTokens: numberOf(row, "input_tokens"),
      cachedTokens: numberOf(row, "cached_tokens"),
      outputTokens: numberOf(row, "output_tokens"),
    }));
  },
};
