import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { matchesPattern, samplePattern } from "../../../src/backends/demo/pattern.ts";

const simple = [
  "^[a-z]+$",
  "^\\d{3}-\\d{4}$",
  "^(foo|bar)+baz?$",
  "[A-Z]{2,3}",
  "^[^@\\s]+@[^@\\s]+\\.[a-z]{2,}$",
  "^#(?:[0-9a-fA-F]{3}){1,2}$",
  "^a.c$|^x*$",
  "^\\+?[1-9]\\d{1,14}$",
  "^[\\w.-]+$",
  "^(a?){4}b$",
];

describe("simple patterns", () => {
  it.each(simple)("%s has a sample", (pattern) => {
    expect(samplePattern(pattern, 0)).toMatch(new RegExp(pattern, "u"));
  });

  it("match what RegExp matches", () => {
    const texts = fc.oneof(
      fc.stringMatching(/^[abcx@.0-9A-Z-]{0,8}$/),
      fc.constantFrom(...simple).map((p) => samplePattern(p, 2) ?? ""),
    );
    fc.assert(
      fc.property(fc.constantFrom(...simple), texts, (pattern, text) => {
        expect(matchesPattern(pattern, text)).toBe(new RegExp(pattern, "u").test(text));
      }),
      { numRuns: 1_000 },
    );
  });

  it("grow to a length", () => {
    expect(samplePattern("^[a-z]+$", 6)).toBe("aaaaaa");
  });
});

describe("other patterns", () => {
  it.each(["(?=a)b", "\\bword\\b", "(", "[z-a]", "a{2", "\\p{L}+", "(a)\\1", "x".repeat(400), "*"])(
    "%s is left alone",
    (pattern) => {
      expect(samplePattern(pattern, 0)).toBeUndefined();
      expect(matchesPattern(pattern, "a")).toBeUndefined();
    },
  );

  it("that make other engines backtrack take no time", () => {
    const before = performance.now();
    expect(matchesPattern("^(((((a*)*)*)*)*)*b$", "a".repeat(1_500))).not.toBe(true);
    expect(matchesPattern("^(a|aa)+$", `${"a".repeat(1_500)}b`)).not.toBe(true);
    expect(performance.now() - before).toBeLessThan(200);
  });
});
