import type { Database } from "./database.ts";
import type { Row, SqlValue } from "./operation.ts";
import { isTableName, type TableName, tables } from "./operations/tables.ts";
import type { ImportedRow } from "./operations/transfer.ts";
import { type ExportedRow, StoreError } from "./store.ts";

/** Every row of every table, read page by page. */
export async function* exportedRows(database: Database): AsyncGenerator<ExportedRow> {
  for (const table of Object.keys(tables).filter(isTableName)) yield* exportedTable(database, table);
}

async function* exportedTable(database: Database, table: TableName): AsyncGenerator<ExportedRow> {
  const { key, page } = tables[table];
  let after: SqlValue[] | null = null;
  for (;;) {
    const rows: Row[] = await database.run("exportPage", { table, after });
    for (const row of rows) yield { table, row };
    const last = rows.at(-1);
    if (!last || rows.length < page) return;
    after = key.map((column) => last[column] ?? null);
  }
}

export function importedRow({ table, row }: ExportedRow): ImportedRow {
  if (!isTableName(table)) throw new StoreError("refused", `The store has no table "${table}".`);
  const values = tables[table].columns.map((column) => {
    const value = row[column] ?? null;
    if (value === null || typeof value === "string" || typeof value === "number") return value;
    throw new StoreError("refused", `"${column}" of a row of "${table}" must be a string, a number or null.`);
  });
  return { table, values };
}
