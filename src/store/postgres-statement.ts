import { createHash } from "node:crypto";
import { types } from "pg";
import type { Statement } from "./operation.ts";

/** A statement as the server takes it. Without a name it is parsed each time. */
export interface PreparedStatement {
  name?: string;
  text: string;
}

/**
 * A connection never forgets a named statement, so a long list in a statement gives it no name: there is another text for each length. Five
 * messages fit.
 */
const mostParameters = 50;
const named = new Map<string, PreparedStatement>();

export function prepareStatement({ sql, values, isLocking }: Statement): PreparedStatement {
  const asked = isLocking ? `${sql} FOR UPDATE` : sql;
  const known = named.get(asked);
  if (known) return known;
  let count = 0;
  // No operation has a question mark in a literal.
  const text = asked.replaceAll("?", () => `$${++count}`);
  if (values.length > mostParameters) return { text };
  const statement = { name: nameOf(text), text };
  named.set(asked, statement);
  return statement;
}

function nameOf(text: string): string {
  return `toolwire_${createHash("sha256").update(text).digest("hex").slice(0, 24)}`;
}

const boolean = 16;
const int8 = 20;
const numeric = 1700;

/**
 * Rows have the same values as SQLite's: numbers for BIGINT (times and counts are far below 2^53) and for sums, 0 and 1 for booleans.
 * This is set for each connection, because the parsers of `pg` are shared with everything else in the process.
 */
export const rowTypes = {
  getTypeParser(oid: number, format?: "text" | "binary"): (text: string) => unknown {
    if (oid === int8 || oid === numeric) return Number;
    if (oid === boolean) return (text) => (text === "t" ? 1 : 0);
    return types.getTypeParser(oid, format ?? "text");
  },
};
