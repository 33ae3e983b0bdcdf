import type { OperationDefinition } from "../operation.ts";
import { each, insertInto, textOf } from "./statements.ts";

export interface RecordRow {
  key: string;
  value: string;
  expiresAt: number;
}

/** The values as JSON, by key. */
export const readRecords: OperationDefinition<
  { owner: string; keys: readonly string[]; now: number },
  { key: string; value: string }[]
> = {
  writes: false,
  *run({ owner, keys, now }) {
    const rows = yield* each(
      keys,
      (list) => `SELECT key, value FROM records WHERE owner = ? AND key IN ${list} AND expires_at > ?`,
      [owner],
      [now],
    );
    return rows.map((row) => ({ key: textOf(row, "key"), value: textOf(row, "value") }));
  },
};

const insert = insertInto(
  "records",
  "ON CONFLICT (owner, key) DO UPDATE SET expires_at = excluded.expires_at, value = excluded.value",
);

/** No key occurs twice, and keys are sorted: on Postgres two writers that lock rows in different orders could block each other. */
export const writeRecords: OperationDefinition<
  { owner: string; records: readonly RecordRow[]; deleted: readonly string[] },
  void
> = {
  writes: true,
  *run({ owner, records, deleted }) {
    yield* each(deleted, (list) => `DELETE FROM records WHERE owner = ? AND key IN ${list}`, [owner]);
    yield* insert(records.map(({ key, expiresAt, value }) => [owner, key, expiresAt, value]));
  },
};
