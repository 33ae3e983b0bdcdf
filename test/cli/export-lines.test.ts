import { describe, expect, it } from "vitest";
import { linesOf, readExportLine, rowLine } from "../../src/cli/export-lines.ts";

async function* chunksOf(text: string, size: number): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}

async function lines(text: string, size = text.length, most?: number): Promise<string[]> {
  const found: string[] = [];
  for await (const line of linesOf(chunksOf(text, size), most)) found.push(line);
  return found;
}

describe("the lines of an export", () => {
  it("hold no character at which other programs end a line", () => {
    const row = { table: "messages", row: { content: "one\u2028two\u2029three\r\nfour" } };
    const line = rowLine(row);
    expect(line.search(/[\r\u2028\u2029]/)).toBe(-1);
    expect(line.indexOf("\n")).toBe(line.length - 1);
    expect(readExportLine(line)).toEqual({ type: "row", row });
  });

  it("are the same, wherever the file is cut into chunks", async () => {
    const text = "one\u2028still one\r\n\n\nthree\u2029\nfour";
    for (let size = 1; size <= text.length; size++)
      expect(await lines(text, size)).toEqual(["one\u2028still one\r", "", "", "three\u2029", "four"]);
    expect(await lines("one\n")).toEqual(["one"]);
    expect(await lines("", 1)).toEqual([]);
  });

  it("are cut if they do not end", async () => {
    const found = await lines("x".repeat(1_000), 10, 100);
    expect(found.join("")).toHaveLength(1_000);
    expect(Math.max(...found.map(({ length }) => length))).toBeLessThanOrEqual(110);
  });
});
