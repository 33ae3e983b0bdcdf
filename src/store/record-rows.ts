import type { JsonValue, MemoryRecord, Steps } from "../turn/index.ts";
import type { RecordRow } from "./operations/records.ts";
import { indexKey } from "./storable.ts";
import { originalJson } from "./stored-json.ts";

/** The most characters of one record. A larger one is not stored. */
const mostOfOne = 4 * 1024 * 1024;

interface RecordChanges {
  records: RecordRow[];
  deleted: string[];
}

/** The records as rows, sorted by key. If two have the same key, the last one counts. */
export function* recordRows(records: readonly MemoryRecord[], now: number): Steps<RecordChanges> {
  const rows = new Map<string, RecordRow | undefined>();
  for (const { key, value, ttl } of records) {
    const text = ttl > 0 ? JSON.stringify(value) : "";
    const row = { key: indexKey(key), value: text, expiresAt: now + Math.ceil(ttl) };
    rows.set(row.key, text === "" || text.length > mostOfOne ? undefined : row);
    yield;
  }
  const changes: RecordChanges = { records: [], deleted: [] };
  for (const key of [...rows.keys()].sort()) {
    const row = rows.get(key);
    if (row) changes.records.push(row);
    else changes.deleted.push(key);
  }
  return changes;
}

/** The values in the order of the keys. */
export function* recordValues(
  keys: readonly string[],
  rows: readonly { key: string; value: string }[],
): Steps<(JsonValue | undefined)[]> {
  const texts = new Map(rows.map(({ key, value }) => [key, value]));
  const values: (JsonValue | undefined)[] = [];
  for (const key of keys) {
    const text = texts.get(indexKey(key));
    values.push(text === undefined ? undefined : yield* originalJson(text));
    yield;
  }
  return values;
}
