import type { Operation, OperationDefinition, Row, SqlValue } from "../operation.ts";
import { insertInto, sql } from "./statements.ts";
import { type TableName, tables } from "./tables.ts";

export interface ExportRequest {
  table: TableName;
  /** The key of the last row of the page before. */
  after: readonly SqlValue[] | null;
}

/** Rows in the order of the primary key. Fewer than the table's `page` are the last ones. */
export const exportPage: OperationDefinition<ExportRequest, Row[]> = {
  writes: false,
  *run({ table, after }) {
    const { columns, key, page } = tables[table];
    const condition = after ? `WHERE (${key.join(", ")}) > (${key.map(() => "?").join(", ")})` : "";
    return yield* sql(`SELECT ${columns.join(", ")} FROM ${table} ${condition} ORDER BY ${key.join(", ")} LIMIT ?`, [
      ...(after ?? []),
      page,
    ]);
  },
};

export interface ImportedRow {
  table: TableName;
  /** In the order of the table's columns. */
  values: readonly SqlValue[];
}

/** Adds rows. Those that exist stay as they are. Returns how many were added. */
export const importRows: OperationDefinition<readonly ImportedRow[], number> = {
  writes: true,
  *run(rows) {
    let added = 0;
    for (let at = 0; at < rows.length; ) {
      const table = rows[at]?.table ?? "keys";
      let end = at;
      while (end < rows.length && rows[end]?.table === table) end++;
      added += yield* add(
        table,
        rows.slice(at, end).map(({ values }) => values),
      );
      at = end;
    }
    return added;
  },
};

function* add(table: TableName, rows: readonly (readonly SqlValue[])[]): Operation<number> {
  const { columns, key } = tables[table];
  const insert = insertInto(table, columns, `ON CONFLICT DO NOTHING RETURNING ${key[0]}`);
  return (yield* insert(rows)).length;
}
