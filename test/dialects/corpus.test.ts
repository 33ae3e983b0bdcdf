import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type ReadMessage, readMessage } from "../../src/dialects/index.ts";
import { isObject, type JsonObject } from "../../src/turn/index.ts";
import { differences } from "./corpus-differences.ts";
import { units } from "./pieces.ts";

interface Case {
  id: string;
  dialect: string;
  text: string;
  tools?: JsonObject[] | null;
  expect: { calls: { name: string; arguments: unknown }[] };
}

const file = join(import.meta.dirname, "../../../shared/corpus/dialect-cases.jsonl");
const isPresent = existsSync(file);

/** Dialects without a marker are named; what the corpus calls otherwise has a name of ours. */
const bare = new Map([
  ["llama3-json", "llama3-json"],
  ["llama-pythonic", "llama-pythonic"],
  ["phi4", "phi4"],
  ["xlam", "xlam"],
  ["generic-json", "xlam"],
  ["functionary", "functionary"],
  ["morph-xml-toolname-tags", "morph-xml"],
  ["yaml-xml", "yaml-xml"],
]);

describe.skipIf(!isPresent)("cases from the suites of other projects (where ../shared/corpus is present)", () => {
  const cases = isPresent
    ? readFileSync(file, "utf8")
        .trim()
        .split("\n")
        .map((line): Case => JSON.parse(line))
    : [];

  it("are read without loss, the same in pieces", () => {
    for (const given of cases) {
      const read = readCase(given);
      expect(read.spans.map(({ text }) => text).join(""), given.id).toBe(given.text);
      expect(JSON.stringify(readCase(given, units(given.text))), given.id).toBe(JSON.stringify(read));
    }
  });

  it("differ on purpose in at most one of twenty", () => {
    expect(differences.size / cases.length).toBeLessThanOrEqual(0.05);
    const byId = new Map(cases.map((given) => [given.id, given]));
    for (const [id, { rule }] of differences) {
      const given = byId.get(id);
      expect(given && agrees(given, readCase(given)), `${id} is said to differ by rule ${rule}`).toBe(false);
    }
  });

  // What is left: markers that a test made up, calls that are not in the text, types of tools that were not recorded, and
  // expectations that contradict one another.
  it("agree on their calls in 94 of 100 others", () => {
    const others = cases.filter(({ id }) => !differences.has(id));
    const missed = others.filter((given) => !agrees(given, readCase(given)));
    expect(missed.length / others.length, missed.map(({ id }) => id).join(" ")).toBeLessThanOrEqual(0.06);
  });
});

/** With the tools of the case; names that are expected but not declared are declared. */
function readCase({ dialect, text, tools, expect: { calls } }: Case, pieces?: string[]): ReadMessage {
  const declared = (tools ?? []).map((tool) => (isObject(tool.function) ? tool.function : tool));
  const known = declared.map(({ name, parameters }) => ({
    name: String(name),
    parameters: isObject(parameters) || parameters === false ? parameters : undefined,
  }));
  const missing = calls.map(({ name }) => name).filter((name) => !known.some((tool) => tool.name === name));
  const named = bare.get(dialect);
  return readMessage(pieces ?? text, { tools: [...known, ...new Set(missing)], dialects: named ? [named] : "auto" });
}

function agrees({ expect: { calls } }: Case, read: ReadMessage): boolean {
  const found = read.calls.map(({ name, arguments: text }) => ({ name, arguments: JSON.parse(text) }));
  const expected = calls.map(({ name, arguments: value }) => ({ name, arguments: value }));
  return JSON.stringify(sorted(found)) === JSON.stringify(sorted(expected));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inside]) => [key, sorted(inside)]));
}
