import type { OperationDefinition, Row, SqlValue, Statement } from "../operation.ts";
import { type TableName, tableNames, tables } from "./tables.ts";

/** Some rows of one table. */
export interface ExportedPage {
  table: TableName;
  rows: Row[];
}

/** Its rows are a page of the table. */
export interface PageStatement extends Statement {
  table: TableName;
}

/** Reads every row of every table. Whoever runs it does so in one transaction, because the tables refer to each other. */
export function* exportPages(): Generator<PageStatement, void, Row[]> {
  for (const table of tableNames) {
    const { key, page } = tables[table];
    let after: readonly SqlValue[] | null = null;
    do {
      const rows: Row[] = yield pageOf(table, after);
      const last = rows.length < page ? undefined : rows.at(-1);
      after = last ? key.map((column) => last[column] ?? null) : null;
    } while (after);
  }
}

/** `after` is the key of the last row of the page before. */
function pageOf(table: TableName, after: readonly SqlValue[] | null): PageStatement {
  const { columns, key, page } = tables[table];
  const condition = after ? `WHERE (${key.join(", ")}) > (${key.map(() => "?").join(", ")})` : "";
  const sql = `SELECT ${columns.join(", ")} FROM ${table} ${condition} ORDER BY ${key.join(", ")} LIMIT ?`;
  return { table, sql, values: [...(after ?? []), page] };
}

/** All pages at once: for a database in memory, which is bounded, and which nobody can read beside its writer. */
export const exportAll: OperationDefinition<null, ExportedPage[]> = {
  writes: false,
  *run() {
    const pages: ExportedPage[] = [];
    const reading = exportPages();
    for (let step = reading.next(); !step.done; ) {
      const rows: Row[] = yield step.value;
      pages.push({ table: step.value.table, rows });
      step = reading.next(rows);
    }
    return pages;
  },
};
