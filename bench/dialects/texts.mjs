/** What the calls carry, and how it is cut. */

export const deltaLength = 4;

/** Characters of the argument. */
export const sizes = { "1 KB": 1000, "10 KB": 10_000, "100 KB": 100_000, "1 MB": 1_000_000 };

export const toolName = "write_file";
export const parameters = {
  type: "object",
  properties: { path: { type: "string" }, content: { type: "string" } },
  required: ["path", "content"],
};

/** As source code is: quotes, backslashes, angle brackets and line breaks, which dialects escape or look at twice. */
const lines = [
  "import { readFile } from 'node:fs/promises';",
  "",
  "/** Counts what is left of the list, and says so. */",
  "export async function countItems(path: string, limit = 100): Promise<Map<string, number>> {",
  '  const items = JSON.parse(await readFile(path, "utf8"));',
  "  for (let index = 0; index < items.length && index < limit; index++) {",
  '    if (items[index].name === "C:\\\\temp" || items[index].size >= 2 ** 10) continue;',
  '    console.log("item %d of %d: %s\\n", index, items.length, items[index].name);',
  "  }",
  "  return new Map(items.map(({ name, size }) => [name, size]));",
  "}",
  "",
  "Some lines are prose, as in a report; they have commas, full stops, and nothing that anybody has to escape.",
  "The quick brown fox jumps over the lazy dog – and over a wall of stone, 12 feet high, at a quarter past nine.",
];

/** Neither its first nor its last character is white space: not every dialect can carry that, and it is not measured here. */
export function textOf(size) {
  const some = lines.join("\n");
  const text = `${some}\n`.repeat(Math.ceil(size / some.length)).slice(0, size);
  return /\s$/.test(text) ? `${text.slice(0, -1)}.` : text;
}

export function argumentsOf(size) {
  return { path: "src/count-items.ts", content: textOf(size) };
}

const parsed = new Map();

/** Each delta is a string of its own, as `JSON.parse` makes it of what a backend sends, and no part of a longer one. */
export function deltasOf(text, length = deltaLength) {
  const deltas = [];
  for (let at = 0; at < text.length; at += length) {
    const delta = text.slice(at, at + length);
    if (!parsed.has(delta)) parsed.set(delta, JSON.parse(JSON.stringify(delta)));
    deltas.push(parsed.get(delta));
  }
  return deltas;
}
