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
  const text = JSON.stringify({ table, row });
  // JSON permits these two in strings, but many programs end a line there.
  return `${text.replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029")}\n`;
}

export function endLine(rows: number): string {
  return `${JSON.stringify({ toolwire: "end", rows })}\n`;
}

/** Characters of one line. No row has so many. */
const longest = 256 * 1_024 * 1_024;

/** The lines of a file. They end at line feeds only, unlike those of `node:readline`. A line that is too long is cut into several. */
export async function* linesOf(chunks: AsyncIterable<string>, most = longest): AsyncGenerator<string> {
  let parts: string[] = [];
  let length = 0;
  const take = () => {
    const line = parts.join("");
    parts = [];
    length = 0;
    return line;
  };
  for await (const chunk of chunks) {
    for (const [index, part] of chunk.split("\n").entries()) {
      if (index > 0 || length > most) yield take();
      parts.push(part);
      length += part.length;
    }
  }
  if (length > 0) yield take();
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
