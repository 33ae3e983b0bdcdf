import type { Database } from "./database.ts";
import type { ImportedRow } from "./operations/import-rows.ts";
import { isTableName, tables } from "./operations/tables.ts";
import { type ExportedRow, StoreError } from "./store.ts";

export async function* exportedRows(database: Database): AsyncGenerator<ExportedRow> {
  for await (const { table, rows } of database.export()) for (const row of rows) yield { table, row };
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
