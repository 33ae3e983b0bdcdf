import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FreeText } from "../../src/tools/index.ts";
import { anyPieces, anyText } from "../support/arbitraries.ts";

/** Also halves of characters that stand alone, and what JSON has to escape. */
function freeText(): fc.Arbitrary<string> {
  const unit = fc.oneof(
    fc.integer({ min: 0, max: 0xffff }),
    fc.integer({ min: 0xd800, max: 0xdfff }),
    fc.integer({ min: 0, max: 0x1f }),
  );
  const units = fc.array(unit, { maxLength: 12 }).map((codes) => String.fromCharCode(...codes));
  const marks = fc.string({ unit: fc.constantFrom('"', "\\", "/", "u", "d", "8", "n", "{", "}", ":", "😀", " ") });
  const pieces = fc.oneof(anyText(), fc.string({ unit: "binary" }), units, marks);
  return fc.array(pieces, { maxLength: 4 }).map((list) => list.join(""));
}

/** One way of several to write a character inside of a JSON string; halves of one character are written alike. */
type Spelling = (character: string) => string;

const inEscapes: Spelling = (character) =>
  Array.from({ length: character.length }, (_, at) => {
    const code = character.charCodeAt(at).toString(16).padStart(4, "0");
    return `\\u${at % 2 === 0 ? code : code.toUpperCase()}`;
  }).join("");
const asUsual: Spelling = (character) => JSON.stringify(character).slice(1, -1);
const spellings: Record<string, Spelling> = {
  asUsual,
  inEscapes,
  slashes: (character) => (character === "/" ? "\\/" : asUsual(character)),
  /** A half that stands alone as it is, as writers of JSON that know nothing of it do. */
  unescaped: (character) => (/[\p{Cc}"\\]/u.test(character) ? asUsual(character) : character),
};

/** Arguments as a model may write them: white space where it may be, any spelling, and other keys behind. */
function written(): fc.Arbitrary<{ text: string; json: string }> {
  const space = fc.string({ unit: fc.constantFrom(" ", "\n", "\t", "\r"), maxLength: 4 });
  const names = fc.array(fc.constantFrom(...Object.keys(spellings)), { minLength: 1, maxLength: 5 });
  const others = fc.array(fc.tuple(fc.string(), fc.jsonValue({ maxDepth: 2 })), { maxLength: 2 });
  return fc
    .record({ text: freeText(), spaces: fc.array(space, { minLength: 6, maxLength: 6 }), names, others })
    .map(({ text, spaces: [a, b, c, d, e, f], names, others }) => {
      const spell = (character: string, at: number) => spellings[names[at % names.length] ?? ""]?.(character) ?? "";
      const inside = [...text].map(spell).join("");
      const behind = others
        .filter(([key]) => key !== "input")
        .map(([key, value]) => `,${JSON.stringify(key)}:${JSON.stringify(value)}`);
      return { text, json: `${a}{${b}"input"${c}:${d}"${inside}"${e}${behind.join("")}}${f}` };
    });
}

function given(pieces: readonly string[]): string[] {
  const text = new FreeText();
  return [...pieces.map((piece) => text.push(piece)), text.end()];
}

describe("any free text", () => {
  it("comes out of its arguments as it went in, however they are written and cut", () => {
    fc.assert(
      fc.property(written(), anyPieces(), ({ text, json }, pieces) => {
        expect(given(pieces(json)).join("")).toBe(text);
      }),
      { numRuns: 1_000 },
    );
  });

  it("comes out of JSON.stringify as it went in", () => {
    fc.assert(
      fc.property(freeText(), anyPieces(), (text, pieces) => {
        expect(given(pieces(JSON.stringify({ input: text }))).join("")).toBe(text);
      }),
      { numRuns: 1_000 },
    );
  });

  it("never has a character divided between two pieces", () => {
    fc.assert(
      fc.property(written(), anyPieces(), ({ json }, pieces) => {
        const deltas = given(pieces(json)).filter((delta) => delta !== "");
        deltas.slice(1).forEach((delta, at) => {
          const isDivided = /[\ud800-\udbff]$/.test(deltas[at] ?? "") && /^[\udc00-\udfff]/.test(delta);
          expect(isDivided).toBe(false);
        });
      }),
      { numRuns: 1_000 },
    );
  });

  it("that is written as it is, without any JSON, is given as it is", () => {
    fc.assert(
      fc.property(freeText(), anyPieces(), (text, pieces) => {
        fc.pre(!/^\s*(?:[{"]|$)/.test(text));
        expect(given(pieces(text)).join("")).toBe(text);
      }),
    );
  });

  it("is found behind any other keys", () => {
    fc.assert(
      fc.property(freeText(), fc.dictionary(fc.string(), fc.jsonValue()), anyPieces(), (text, before, pieces) => {
        const { input: _, ...others } = before;
        expect(given(pieces(JSON.stringify({ ...others, input: text }))).join("")).toBe(text);
      }),
    );
  });
});
