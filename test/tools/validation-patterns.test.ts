import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ArgumentChecks } from "../../src/tools/validation/index.ts";
import type { JsonObject } from "../../src/turn/index.ts";

function fits(parameters: JsonObject, value: string): boolean {
  return !new ArgumentChecks([{ type: "function", name: "tool", parameters }]).check("tool", value);
}

describe("a pattern means what it means in JavaScript", () => {
  it.each([
    ["^[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\\.[A-Za-z]{2,}$", ["a.b+c@example.co.uk"], ["a@b", "@example.com"]],
    ["^\\d{4}-\\d{2}-\\d{2}$", ["2024-05-01"], ["2024-5-1", "2024-05-01\n"]],
    ["^\\+?[1-9]\\d{1,14}$", ["+4930123456"], ["0123", "+"]],
    ["^[^\\s@]+$", ["a", "ä"], ["a b", "a\u00a0b", "a\u2003b", "a@"]],
    ["^\\S+$", ["a"], ["a\u00a0b", "\ufeff"]],
    ["^[\\s\\S]*$", ["a\n\u2028b", ""], []],
    ["^.+$", ["abc", "a\u0085b"], ["a\nb", "a\rb", "a\u2028b"]],
    ["^#(?:[0-9a-fA-F]{3}){1,2}$", ["#fff", "#00aaFF"], ["#ff", "fff"]],
    ["^(?<year>\\d{4})$", ["2024"], ["24"]],
    ["^\\u00e9\\x41\\u{1F600}\\uD83D\\uDE00$", ["éA😀😀"], ["eA"]],
    ["^\\p{Lu}\\p{Script=Greek}+$", ["Éαβ"], ["éαβ", "Éab"]],
    ["^[\\]\\[\\-\\\\^.]+$", ["[]-\\^."], ["a"]],
    ["^[[:alpha:]]$", ["a]", ":]"], ["a", "b"]],
    ["^\\/\\-\\@\\#\\_$", ["/-@#_"], ["/"]],
    ["^a{2,}b{0,1}c{,2}$", ["aac{,2}", "aaabc{,2}"], ["ac", "aacc"]],
    ["^\\cA\\0\\t\\v[\\b]$", ["\u0001\0\t\v\b"], ["A"]],
    ["\\bword\\b", ["a word."], ["swords"]],
    ["(^a|b$)", ["ab", "xb"], ["bx"]],
    ["", ["", "anything"], []],
  ])("%s", (pattern, matching, others) => {
    for (const text of matching) expect(fits({ pattern }, text), text).toBe(true);
    for (const text of others) expect(fits({ pattern }, text), text).toBe(false);
  });

  it("also beside one that turns out to be unreadable", () => {
    const parameters = { properties: { a: { pattern: "^x" }, b: { pattern: "\\p{Nothing}" }, c: { pattern: "^x" } } };
    const checks = new ArgumentChecks([{ type: "function", name: "tool", parameters }]);
    for (let round = 0; round < 2; round++) {
      expect(checks.check("tool", { a: "x", b: "x", c: "x" })).toBeUndefined();
      expect(checks.check("tool", { a: "x", b: "x", c: "y" })?.path).toBe("/c");
      expect(checks.check("tool", { a: "y", b: "x" })?.path).toBe("/a");
    }
  });

  it("or is left out", () => {
    const left = [
      "(?=a)",
      "(?!a)",
      "(?<=a)",
      "(?<!a)",
      "(a)\\1",
      "(?<n>a)\\k<n>",
      "\\A",
      "\\z",
      "\\Qa\\E",
      "(?i)a",
      "[]",
      "[^]",
    ];
    const wrong = ["(", ")", "[a", "a**", "a{2,1}", "[b-a]", "\\", "a{1001}", "\\p{Nothing}", "(?P<n>a)", "(?x"];
    for (const pattern of [...left, ...wrong]) {
      expect(fits({ pattern }, "~"), pattern).toBe(true);
      expect(fits({ not: { pattern } }, "~"), pattern).toBe(true);
    }
  });

  it("for any pattern that both read", () => {
    const atom = fc.constantFrom(
      ..."a b - _ \\d \\D \\w \\W \\s \\S . [ab] [^ab] [a-c_] [\\w.-] [\\s\\S] [^\\d\\s] [\\]x] [[:a] \\. \\/ \\u0061 \\x62 \\u{1F600} 😀 \\n \\t [\\b] \\p{L} \\P{L} \\b ^ $ (?<n>a) [\\-a] [+-] \\v".split(
        " ",
      ),
    );
    const { expression } = fc.letrec<{ expression: string }>((tie) => ({
      expression: fc.oneof(
        { maxDepth: 3 },
        atom,
        fc.tuple(tie("expression"), tie("expression")).map(([a, b]) => a + b),
        fc.tuple(tie("expression"), tie("expression")).map(([a, b]) => `(${a}|${b})`),
        fc
          .tuple(tie("expression"), fc.constantFrom("*", "+", "?", "{2}", "{1,2}", "*?"))
          .map(([a, q]) => `(?:${a})${q}`),
      ),
    }));
    const text = fc.array(
      fc.constantFrom(..."a b c _ - . é Ω 😀 1 A [ : ] x".split(" "), " ", "\n", "\r", "\u2028", "\u00a0", "\v", "\b"),
      { maxLength: 6 },
    );
    fc.assert(
      fc.property(expression, fc.array(text, { minLength: 4, maxLength: 4 }), (pattern, texts) => {
        let native: RegExp;
        try {
          native = new RegExp(pattern, "u");
        } catch {
          return;
        }
        for (const pieces of texts) expect(fits({ pattern }, pieces.join(""))).toBe(native.test(pieces.join("")));
      }),
      { numRuns: 2_000 },
    );
  });
});
