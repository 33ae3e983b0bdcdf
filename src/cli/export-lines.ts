import type { ExportedRow } from "../store/store.ts";
import { isObject, type JsonObject, parseJson } from "../turn/index.ts";

/**
 * The form of an export: NDJSON with a header, a line for each row, and a line that says how many rows there are, so that a file that
 * was cut is recognised.
 */
export type ExportLine =
  | { type: "header"; schema: number }
  | { type: "row"; row: ExportedRow }
  | { type: "end"; rows: number };

export function headerLine(schema: number): string {
  return `${JSON.stringify({ toolwire: "export", schema })}\n`;
}

export function rowLine({ table, row }: ExportedRow): string {
  return `${JSON.stringify({ table, row })}\n`;
}

export function endLine(rows: number): string {
  return `${JSON.stringify({ toolwire: "end", rows })}\n`;
}

/** Returns undefined if the text is no line of an export. */
export function readExportLine(text: string): ExportLine | undefined {
  const line = parseJson(text);
  if (!isObject(line)) return undefined;
  return line.toolwire === undefined ? readRow(line) : readMark(line);
}

function readMark({ toolwire, schema, rows }: JsonObject): ExportLine | undefined {
  if (toolwire === "export" && isCount(schema)) return { type: "header", schema };
  return toolwire === "end" && isCount(rows) ? { type: "end", rows } : undefined;
}

function readRow({ table, row }: JsonObject): ExportLine | undefined {
  return typeof table === "string" && isObject(row) ? { type: "row", row: { table, row } } : undefined;
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}
