import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BeyondJsonLimits, JsonReader, type JsonValue } from "../../src/turn/index.ts";

const none = { depth: 1_000, values: 1_000_000 };

interface Cuts {
  /** How many bytes are fed at once. */
  fed: number;
  /** How many bytes are parsed at once. */
  piece: number;
}

function read(bytes: Buffer, { fed, piece }: Cuts, limits = none): JsonValue {
  const reader = new JsonReader(limits, piece);
  for (let at = 0; at < bytes.length; at += fed) reader.feed(bytes.subarray(at, at + fed));
  return reader.end();
}

function attempt(work: () => JsonValue): string {
  try {
    return JSON.stringify(work());
  } catch (error) {
    expect(error).toBeInstanceOf(SyntaxError);
    return "not JSON";
  }
}

/** What the reader promises. */
function expected(bytes: Buffer): string {
  const text = bytes.toString("utf8").replace(/^\ufeff/, "");
  return attempt(() => cleaned(JSON.parse(text)));
}

function cleaned(value: JsonValue): JsonValue {
  if (typeof value !== "object" || value === null) return value;
  Reflect.deleteProperty(value, "__proto__");
  const own = Object.getOwnPropertyDescriptor(value, "constructor")?.value;
  if (typeof own === "object" && own !== null && Object.hasOwn(own, "prototype")) {
    Reflect.deleteProperty(value, "constructor");
  }
  for (const child of Object.values(value)) cleaned(child as JsonValue);
  return value;
}

/** The letters of strings: escapes, halves of characters, everything that has a meaning elsewhere. */
const letter = fc.constantFrom(
  ..."ab,:{}[] é漢😀",
  ...'\\n|\\\\|\\"|\\u00e9|\\ud83d|\\ude00|__proto__|\\u005f_proto__|constructor|prototype'.split("|"),
  "x".repeat(40),
);
const string = fc.array(letter, { maxLength: 6 }).map((letters) => `"${letters.join("")}"`);
const blank = fc.constantFrom("", "", "", " ", "\n\t ", "\r\n");
const scalar = fc.oneof(string, fc.constantFrom("1", "-0", "1e5", "0.25", "12345678901234567890", "true", "null"));
const { json } = fc.letrec<{ json: string }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 5, depthIdentifier: "json" },
    scalar,
    fc
      .tuple(blank, fc.array(fc.tuple(blank, tie("json"), blank), { maxLength: 5, depthIdentifier: "json" }))
      .map(([first, entries]) => `[${first}${entries.map((entry) => entry.join("")).join(",")}]`),
    fc
      .tuple(blank, fc.array(fc.tuple(blank, string, blank, tie("json")), { maxLength: 5, depthIdentifier: "json" }))
      .map(([first, members]) => {
        const written = members.map(([before, key, after, value]) => `${before}${key}${after}:${value}`);
        return `{${first}${written.join(",")}}`;
      }),
  ),
}));
const cuts = fc.record({ fed: fc.integer({ min: 1, max: 12 }), piece: fc.integer({ min: 1, max: 24 }) });

describe("JSON that is read as it arrives", () => {
  it("is what JSON.parse makes of it, wherever it is cut", () => {
    fc.assert(
      fc.property(json, cuts, (text, cut) => {
        const bytes = Buffer.from(text);
        expect(attempt(() => read(bytes, cut))).toBe(expected(bytes));
      }),
      { numRuns: 3_000 },
    );
  });

  it("is refused where JSON.parse refuses it, and invalid UTF-8 is replaced alike", () => {
    const change = fc.record({
      at: fc.nat(),
      removed: fc.integer({ min: 0, max: 1 }),
      added: fc.constantFrom(...[...'[]{},:"\\ 1'].map((sign) => sign.charCodeAt(0)), 0xe2, 0x82, 0xf0, 0x80, 0),
    });
    fc.assert(
      fc.property(json, cuts, fc.array(change, { minLength: 1, maxLength: 3 }), (text, cut, changes) => {
        let bytes = Buffer.from(text);
        for (const { at, removed, added } of changes) {
          const place = at % (bytes.length + 1);
          bytes = Buffer.concat([bytes.subarray(0, place), Buffer.from([added]), bytes.subarray(place + removed)]);
        }
        expect(attempt(() => read(bytes, cut))).toBe(expected(bytes));
      }),
      { numRuns: 3_000 },
    );
  });

  it("may begin with a byte order mark", () => {
    for (const fed of [1, 2, 3, 50])
      expect(read(Buffer.from('\ufeff {"a":[1,2]} '), { fed, piece: 4 })).toEqual({ a: [1, 2] });
  });

  it("cannot change a prototype", () => {
    const text =
      '{"a":{"__proto__":{"x":1},"b":1},"__proto__":{"x":1},"constructor":{"prototype":{"x":1}},"c":"long enough"}';
    for (let piece = 1; piece <= text.length + 1; piece++) {
      const value = read(Buffer.from(text), { fed: 3, piece });
      expect(JSON.stringify(value)).toBe('{"a":{"b":1},"c":"long enough"}');
      expect(Reflect.get(value as object, "x")).toBeUndefined();
    }
  });

  it("is refused where it is nested too deeply, holds too many values, or has an object of too many keys", () => {
    const cut = { fed: 5, piece: 16 };
    const beyond = (text: string) => () =>
      read(Buffer.from(text), cut, { depth: 3, values: 20, keys: 4 } as typeof none);
    expect(beyond('[[[{"never":"read')).toThrow(new BeyondJsonLimits("depth"));
    expect(beyond(`[${"1,".repeat(30)}`)).toThrow(new BeyondJsonLimits("values"));
    expect(beyond('[{"a":1,"b":1,"c":1,"d":1,"e":1}]')).toThrow(new BeyondJsonLimits("keys"));
    expect(beyond('[{"a":1,"b":1,"c":1,"d":1},{"e":1},[1,2,3,4,5]]')).not.toThrow();
  });

  it("is parsed before its end: only a little of it is kept", () => {
    const reader = new JsonReader(none, 1_000);
    reader.feed(Buffer.from("["));
    for (let count = 0; count < 200; count++) reader.feed(Buffer.from(`{"text":"${"x".repeat(500)}"},`));
    // The mistake is far before the end of the text.
    expect(() => {
      reader.feed(Buffer.from(`oops,${"1,".repeat(1_000)}`));
    }).toThrow(SyntaxError);
  });
});
