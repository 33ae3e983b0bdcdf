import type { Operation, Row, SqlValue } from "../operation.ts";
import { type TableName, tables } from "./tables.ts";

/** Both databases take a limited number of parameters: SQLite 32,766, Postgres 65,535. */
const mostParameters = 30_000;
/** Rows of one INSERT. More would not be faster, and each number of rows is a statement of its own. */
const mostRows = 64;
/** Characters of one INSERT, so that it does not take long. A single row may be larger. */
const mostCharacters = 1024 * 1024;

/** Runs one statement. */
export function* sql(text: string, values: readonly SqlValue[] = []): Operation<Row[]> {
  return yield { sql: text, values };
}

/** Runs one statement and returns how many rows it has changed. */
export function* count(text: string, values: readonly SqlValue[]): Operation<number> {
  const [row] = yield { sql: text, values, isCounted: true };
  return row ? numberOf(row, "changes") : 0;
}

type Insert = (rows: readonly (readonly SqlValue[])[]) => Operation<Row[]>;

/**
 * Inserts rows with all columns of a table, a limited number at a time. `ending` follows the values, for example `ON CONFLICT DO NOTHING`. The text
 * for each number of rows is written once.
 */
export function insertInto(table: TableName, ending = ""): Insert {
  const { columns } = tables[table];
  const isBlind = !ending.includes("RETURNING");
  const most = Math.min(mostRows, Math.floor(mostParameters / columns.length));
  const texts: string[] = [];
  return function* insert(rows) {
    const returned: Row[] = [];
    for (let at = 0; at < rows.length; ) {
      const some = someOf(rows, at, most);
      at += some.length;
      texts[some.length] ??= insertText(table, columns, some.length, ending);
      const text = texts[some.length] ?? "";
      for (const each of yield { sql: text, values: some.flat(), isBlind }) returned.push(each);
    }
    return returned;
  };
}

function insertText(table: string, columns: readonly string[], rows: number, ending: string): string {
  const row = `(${columns.map(() => "?").join(", ")})`;
  return `INSERT INTO ${table} (${columns.join(", ")}) VALUES ${Array(rows).fill(row).join(", ")} ${ending}`;
}

function someOf(rows: readonly (readonly SqlValue[])[], from: number, most: number): (readonly SqlValue[])[] {
  const some: (readonly SqlValue[])[] = [];
  let characters = 0;
  for (let at = from; at < rows.length && some.length < most && characters < mostCharacters; at++) {
    const row = rows[at] ?? [];
    for (const value of row) if (typeof value === "string") characters += value.length;
    some.push(row);
  }
  return some;
}

/**
 * Runs a statement for a list of values, a limited number at a time. `text` gets the parameters as a list in brackets. The last
 * value is repeated up to one of a few lengths, so that there are only a few different statements.
 */
export function* each(
  list: readonly string[],
  text: (parameters: string) => string,
  before: readonly SqlValue[],
  after: readonly SqlValue[] = [],
  isLocking = false,
): Operation<Row[]> {
  const returned: Row[] = [];
  for (let at = 0; at < list.length; at += longestList) {
    const some = padded(list.slice(at, at + longestList));
    const parameters = `(${some.map(() => "?").join(", ")})`;
    const statement = { sql: text(parameters), values: [...before, ...some, ...after], isLocking };
    for (const row of yield statement) returned.push(row);
  }
  return returned;
}

const longestList = 512;

function padded(list: readonly string[]): string[] {
  let length = 1;
  while (length < list.length) length *= 8;
  const last = list.at(-1) ?? "";
  return [...list, ...Array<string>(length - list.length).fill(last)];
}

export function textOf(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== "string") throw new Error(`The column ${column} holds no text.`);
  return value;
}

export function textOrNull(row: Row, column: string): string | null {
  return typeof row[column] === "string" ? row[column] : null;
}

export function numberOf(row: Row, column: string): number {
  return Number(row[column] ?? 0);
}

export function numberOrNull(row: Row, column: string): number | null {
  const value = row[column];
  return value === null || value === undefined ? null : Number(value);
}
