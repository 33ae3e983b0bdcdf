import { latestVersion } from "../migrations.ts";
import type { OperationDefinition } from "../operation.ts";
import type { StoreStats } from "../store.ts";
import { numberOf, numberOrNull, sql } from "./statements.ts";
import { tables } from "./tables.ts";

export type DatabaseKind = "memory" | "sqlite" | "postgres";

const sqliteBytes = `SELECT (page_count - freelist_count) * page_size AS bytes
  FROM pragma_page_count(), pragma_freelist_count(), pragma_page_size()`;
const postgresBytes = `SELECT CAST(SUM(pg_total_relation_size(c.oid)) AS BIGINT) AS bytes FROM pg_class c
  WHERE c.relnamespace = CAST(CURRENT_SCHEMA AS regnamespace) AND c.relkind = 'r'`;

export const stats: OperationDefinition<{ kind: DatabaseKind }, StoreStats> = {
  writes: false,
  *run({ kind }) {
    const rows: Record<string, number> = {};
    for (const table of Object.keys(tables)) {
      const [row] = yield* sql(`SELECT COUNT(*) AS count FROM ${table}`);
      if (row) rows[table] = numberOf(row, "count");
    }
    const [size] = yield* sql(kind === "postgres" ? postgresBytes : sqliteBytes);
    const [oldest] = yield* sql("SELECT MIN(created_at) AS oldest FROM conversations");
    return {
      kind,
      version: latestVersion,
      rows,
      bytes: size ? numberOf(size, "bytes") : 0,
      oldest: oldest ? numberOrNull(oldest, "oldest") : null,
    };
  },
};
