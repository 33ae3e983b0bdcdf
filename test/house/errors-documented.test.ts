import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { errorCodes, errorEntry } from "../../src/turn/index.ts";

const page = readFileSync(new URL("../../docs/errors.md", import.meta.url), "utf8");

/** The tables' rows by code: the cells after it. */
const rows = new Map(
  [...page.matchAll(/^\| `(\w+)` \| (.+) \|$/gm)].map(([, code = "", rest = ""]) => [code, rest.split(" | ")]),
);

describe("docs/errors.md", () => {
  it.each(errorCodes)("tells what %s means, with its status", (code) => {
    const [status, ...words] = rows.get(code) ?? [];
    expect(status).toMatch(new RegExp(`\\b${errorEntry(code).status}\\b`));
    expect(words.every((cell) => cell.trim().length > 0)).toBe(true);
  });

  it("has no code that does not exist", () => {
    expect([...rows.keys()].sort()).toEqual([...errorCodes].sort());
  });

  it.each(errorCodes)("gives %s the type that it has", (code) => {
    const { type } = errorEntry(code);
    const own = rows.get(code)?.[1] ?? "";
    // The first table says its one type above itself.
    if (own.includes("_error`")) expect(own).toContain(`\`${type}\``);
    else expect(type).toBe("invalid_request_error");
  });
});
