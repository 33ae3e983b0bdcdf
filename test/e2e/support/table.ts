import { readFileSync, writeFileSync } from "node:fs";

/** One client, used in one way, between one API and one kind of backend. */
export interface Cell {
  client: string;
  mode: string;
  pair: string;
}

declare module "vitest" {
  interface TaskMeta {
    /** The cell that the test is about. */
    cell?: Cell;
  }
}

export interface Result extends Cell {
  passed: boolean;
}

export const pairs = ["chat → chat", "chat → responses", "responses → chat", "responses → responses"];

const page = new URL("../../../docs/clients.md", import.meta.url);
const head = ["client", "used as", ...pairs];

/** The Markdown table of what was tried: a cell is good when everything in it passed, and – where nothing was tried. */
export function tableOf(results: readonly Result[]): string {
  const rows = new Map<string, Result[]>();
  for (const result of results) {
    const key = `| ${result.client} | ${result.mode} |`;
    rows.set(key, [...(rows.get(key) ?? []), result]);
  }
  const lines = [...rows].map(([start, row]) => {
    const cells = pairs.map((pair) => {
      const tried = row.filter((result) => result.pair === pair);
      if (tried.length === 0) return "–";
      return tried.every(({ passed }) => passed) ? "✓" : "✗";
    });
    return `${start} ${cells.join(" | ")} |`;
  });
  return [`| ${head.join(" | ")} |`, `|${" --- |".repeat(head.length)}`, ...lines].join("\n");
}

/** The table that the page has. */
export function writtenTable(): string {
  return tableIn(readFileSync(page, "utf8")).join("\n");
}

export function rewriteTable(table: string): void {
  const text = readFileSync(page, "utf8");
  writeFileSync(
    page,
    text.replace(tableIn(text).join("\n"), () => table),
  );
}

function tableIn(text: string): string[] {
  const lines = text.split("\n");
  const start = lines.findIndex((line) => line.startsWith("| client | used as |"));
  if (start < 0) throw new Error("docs/clients.md has no table that begins with | client | used as |");
  const length = lines.slice(start).findIndex((line) => !line.startsWith("|"));
  return lines.slice(start, length < 0 ? undefined : start + length);
}
