import type { Operation, OperationDefinition, SqlValue } from "../operation.ts";
import { insertInto } from "./statements.ts";
import { type TableName, tables } from "./tables.ts";

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
