import { describe, expect, it } from "vitest";
import { sourceFiles } from "../provider-names.ts";
import { expressionsIn, type Literal } from "./collect.ts";
import { bounded, constructions } from "./exceptions.ts";
import { findAttack } from "./growth.ts";

/*
 * No text may cost more than linear time, and a backtracking matcher needs more sooner than one thinks: `/\s+$/` on a run of spaces
 * that does not end the text is quadratic. So every regular expression of the code is judged by its structure.
 */
const found = sourceFiles().map(expressionsIn);
const literals = found.flatMap((each) => each.literals);
const built = found.flatMap((each) => each.built);
const exceptions = bounded;

const named = ({ path, written }: { path: string; written: string }) => `${path}: ${written}`;

function slow(expressions: readonly Literal[]): string[] {
  return expressions.filter(({ source, flags }) => findAttack(source, flags) !== null).map(named);
}

describe("every regular expression of the code", () => {
  it("takes linear time, or only ever meets short text", () => {
    expect(literals.length).toBeGreaterThan(200);
    const allowed = new Set(exceptions.map(named));
    const attacks = literals.flatMap((literal) => {
      const attack = allowed.has(named(literal)) ? null : findAttack(literal.source, literal.flags);
      return attack ? [`${named(literal)} is slow on ${JSON.stringify(attack)}`] : [];
    });
    expect(attacks).toEqual([]);
  });

  it("is written out, or made of constants in a listed place", () => {
    const unlisted = built.filter(
      ({ path, written }) => !constructions.some((each) => each.path === path && written.startsWith(each.begins)),
    );
    expect(unlisted.map(named)).toEqual([]);
    const examples = constructions.flatMap(({ example }) => (example === null ? [] : [example]));
    expect(examples.filter((example) => findAttack(example, "") !== null)).toEqual([]);
  });

  it("has an exception only as long as it needs one", () => {
    const used = new Set(slow(literals));
    expect(exceptions.map(named).filter((name) => !used.has(name))).toEqual([]);
    const gone = constructions.filter(
      ({ path, begins }) => !built.some((each) => each.path === path && each.written.startsWith(begins)),
    );
    expect(gone.map(({ path, begins }) => `${path}: ${begins}`)).toEqual([]);
  });
});

describe("the check", () => {
  it.each([
    ["spaces at the end", /\s+$/],
    ["slashes at the end", /\/+$/],
    ["spaces before something", /\s*,/],
    ["a word before a sign", /\w+@/],
    ["two words far apart", /first.*second/s],
    ["a quoted text without its end", /"(?:[^"\\]|\\.)*"/],
    ["a comment without its end", /<!--[\s\S]*?-->/],
    ["two runs side by side", /^\s*\s*x/],
    ["runs that overlap", /^[\w.]+[\w-]+$/],
    ["a run that may be left out between two", /^\d+\.?\d+$/],
    ["an optional run that is tried at every position", /a(?:a*b)?/g],
    ["a look far ahead at every position", /a(?=.*b)/g],
    ["lines that begin with empty lines", /^\s*x/m],
    ["a run in a run", /^(?:a+)+$/],
    ["a run in a run that may be empty", /^(?:a*)*$/],
    ["choices that overlap", /^(?:a|a)+$/],
    ["choices that overlap after two letters", /^(?:ab|a|b)+$/],
    ["classes that overlap in a repeated group", /^(?:[a-z]+\d?)+$/],
    ["a bounded run in an endless one", /^(?:x{1,64})*$/],
    ["a bound as large as none", /\s{1,100000}$/],
    ["letters without regard to case", /^[a-z]*[K]*$/i],
    ["letters of all scripts", /\p{L}+$/u],
    ["the same text twice", /^(a+)\1$/],
  ])("sees %s: %s", (_what, { source, flags }) => {
    expect(findAttack(source, flags)).not.toBeNull();
  });

  it.each([
    ["spaces at the beginning", /^\s+/],
    ["spaces anywhere", /\s+/g],
    ["spaces at the end of a text that is anchored", /^\S*\s+$/],
    ["one character at the end", /\s$/],
    ["runs that exclude each other", /^\d+\.\d+$/],
    ["a run that ends at another character", /"[^"]*"/g],
    ["a repeated group with a separator", /^\w+(?:\.\w+)*$/],
    ["a bounded run", /\s{1,64}$/],
    ["a match at one position", /\s*,/y],
    ["spaces at the beginning of lines", /^[ \t]*x/m],
    ["choices that differ in the first letter", /^(?:a|b)+$/],
    ["a look at the next character", /a(?=b)/g],
    ["a look at the character before", /(?<![a-z])b+/],
    ["a fixed text", /roles must alternate/i],
  ])("leaves %s alone: %s", (_what, { source, flags }) => {
    expect(findAttack(source, flags)).toBeNull();
  });

  it("finds the text on which an expression is slow", () => {
    expect(findAttack("(?:ab)+$", "")).toEqual({
      before: "",
      pump: expect.stringMatching(/^(?:ab|ba)$/),
      after: expect.stringMatching(/^[^ab]$/),
    });
  });

  it("refuses what it cannot judge", () => {
    expect(() => findAttack("(?<=a+)b", "")).toThrow("lookbehind");
  });

  it("sees expressions wherever the code has them", () => {
    const planted = [
      "const a = /\\s+$/u;",
      "class B { static readonly c = text.replace(/x+$/g, ''); }",
      "const d = new RegExp(pattern); const e = RegExp('x', flags);",
      "text.match(`^a`); text.matchAll('a+'); text.search(/y/);",
    ].join("\n");
    const { literals: seen, built: made } = expressionsIn({ path: "planted.ts", text: planted });
    expect(seen.map(({ written }) => written)).toEqual(["/\\s+$/u", "/x+$/g", "/y/"]);
    expect(slow(seen)).toHaveLength(2);
    expect(made.map(({ written }) => written)).toEqual([
      "new RegExp(pattern)",
      "RegExp('x', flags)",
      "text.match(`^a`)",
      "text.matchAll('a+')",
    ]);
  });
});
