import { describe, expect, it } from "vitest";
import { BeyondJsonLimits, type JsonLimits, JsonScan } from "../../src/turn/index.ts";

const none: JsonLimits = { depth: 1_000_000, values: 1_000_000_000 };

function scanned(text: string, limits = none, cut = text.length): JsonScan {
  const bytes = Buffer.from(text);
  const scan = new JsonScan(limits);
  for (let at = 0; at < bytes.length; at += cut) scan.feed(bytes.subarray(at, at + cut));
  return scan;
}

const long = "x".repeat(100);
const samples: [string, string, number][] = [
  ["brackets and commas in strings are text", '{"a":"[[,,{","b":1}', 2],
  ["an escaped quote ends no string", '["a\\",[","b"]', 2],
  ["a backslash before the quote may be escaped itself", '["a\\\\",["b"]]', 3],
  ["strings may be long", `["${long}\\",${long}\\\\","${long}"]`, 2],
  ["characters may take several bytes", '["漢字,[",{"é,":"😀,"}]', 3],
];

describe("a look at JSON", () => {
  it.each(samples)("counts its values, however the bytes are cut: %s", (_case, text, values) => {
    for (let cut = 1; cut <= Buffer.byteLength(text); cut++) {
      const scan = scanned(text, none, cut);
      expect([scan.values, scan.depth, scan.stringAt]).toEqual([values, 0, -1]);
    }
  });

  it("knows that the text ends inside a string", () => {
    for (const text of ['["ab', `["${long}`, `["${long}\\"`, '["a\\']) expect(scanned(text).stringAt).toBe(1);
  });

  it("ends at the first bracket that is too deep", () => {
    expect(() => scanned("[[[]]]", { ...none, depth: 3 })).not.toThrow();
    expect(() => scanned("[[[[", { ...none, depth: 3 })).toThrow(new BeyondJsonLimits("depth"));
  });

  it("ends at the first value that is too many", () => {
    expect(() => scanned("[1,2,3]", { ...none, values: 3 })).not.toThrow();
    expect(() => scanned("[1,2,3,", { ...none, values: 3 })).toThrow(new BeyondJsonLimits("values"));
  });
});
