import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FreeText } from "../../src/tools/index.ts";
import { isObject, parseJson } from "../../src/turn/index.ts";
import { anyPieces, anyText } from "../support/arbitraries.ts";

/** Code, as it is full of quotes, braces and commas. */
function anyCode(): fc.Arbitrary<string> {
  const crumb = fc.constantFrom(
    '"',
    '"',
    ",",
    ", ",
    " ",
    "\n",
    "{",
    "}",
    "[",
    "]",
    ":",
    "\\",
    "'",
    "a",
    "input",
    "日",
    "😀",
  );
  const words = fc.array(crumb, { maxLength: 24 }).map((list) => list.join(""));
  return fc.oneof(
    words,
    fc.tuple(words, anyText(), words).map((list) => list.join("")),
  );
}

interface Written {
  text: string;
  /** The inside of the string. */
  inside: string;
}

/** Free text in a JSON string in which some quotes are not escaped. */
function carelessly(): fc.Arbitrary<Written> {
  return fc.tuple(anyCode(), fc.array(fc.boolean(), { minLength: 1, maxLength: 7 })).map(([text, forgets]) => {
    let quotes = 0;
    const spell = (character: string) =>
      character === '"' && forgets[quotes++ % forgets.length] ? '"' : JSON.stringify(character).slice(1, -1);
    return { text, inside: [...text].map(spell).join("") };
  });
}

/** Whether the text could as well end at one of its quotes, with other arguments behind it. */
function isAmbiguous(inside: string, behind: string): boolean {
  const rest = `${inside}"${behind}`;
  return [...inside.matchAll(/"/g)].some(({ index }) => isObject(parseJson(`{"input":"${rest.slice(index)}`)));
}

function given(pieces: readonly string[]): string[] {
  const text = new FreeText();
  return [...pieces.map((piece) => text.push(piece)), text.end()];
}

const anySpace = () => fc.string({ unit: fc.constantFrom(" ", "\n", "\t"), maxLength: 3 });

describe("free text with quotes in it that are not escaped", () => {
  it("comes out whole, however it is cut", () => {
    fc.assert(
      fc.property(carelessly(), anySpace(), anySpace(), anyPieces(), ({ text, inside }, before, after, pieces) => {
        const end = `${before}}${after}`;
        fc.pre(!isAmbiguous(inside, end));
        expect(given(pieces(`{"input":"${inside}"${end}`)).join("")).toBe(text);
      }),
      { numRuns: 2_000 },
    );
  });

  it("comes out without the arguments behind it, however it is cut", () => {
    const others = fc.array(fc.tuple(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 1 })), {
      minLength: 1,
      maxLength: 2,
    });
    fc.assert(
      fc.property(carelessly(), others, anyPieces(), ({ text, inside }, more, pieces) => {
        // What looks like the next key in the text itself leaves open where the text ends.
        fc.pre(!/"\s*,\s*"/.test(`${inside}"`));
        const behind = more.map(([key, value]) => `,${JSON.stringify(key)}:${JSON.stringify(value)}`).join("");
        expect(given(pieces(`{"input":"${inside}"${behind}}`)).join("")).toBe(text);
      }),
      { numRuns: 2_000 },
    );
  });

  it("never has a character divided between two pieces", () => {
    fc.assert(
      fc.property(carelessly(), anyPieces(), ({ inside }, pieces) => {
        const deltas = given(pieces(`{"input":"${inside}"}`)).filter((delta) => delta !== "");
        deltas.slice(1).forEach((delta, at) => {
          expect(/[\ud800-\udbff]$/.test(deltas[at] ?? "") && /^[\udc00-\udfff]/.test(delta)).toBe(false);
        });
      }),
    );
  });

  it("is the same whatever the pieces, also where its end is not certain", () => {
    fc.assert(
      fc.property(carelessly(), anyPieces(), ({ inside }, pieces) => {
        const written = `{"input":"${inside}"}`;
        expect(given(pieces(written)).join("")).toBe(given([written]).join(""));
      }),
      { numRuns: 2_000 },
    );
  });

  it("is given as it comes: a quote waits only for what follows it", () => {
    expect(given(['{"input":"a ', '"b', '" c', '"', "}"])).toEqual(["a ", '"b', '" c', "", "", ""]);
    // What looks like the end, and is not the last of it, may be part of the text or a slip: only the end tells.
    expect(given(['{"input":"a"', "}", '"}'])).toEqual(["a", "", "", '"}']);
  });
});
