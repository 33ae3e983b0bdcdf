import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dialects, type ReadingOptions, readMessage } from "../../src/dialects/index.ts";
import { forms } from "../../src/dialects/known/index.ts";
import { anyCalls, options, traitsOf } from "./any-calls.ts";
import { cutAt, places, units } from "./pieces.ts";

const everything = [
  ...new Set(
    forms.flatMap(({ openers, closers, hidden = [], reasoning = [] }) => [
      ...openers,
      ...closers,
      ...hidden,
      ...reasoning.flatMap(({ open, close }) => [open, ...close]),
    ]),
  ),
];

/** Scraps that mean something to some dialect, in no order at all. */
const scraps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...everything) },
    {
      weight: 4,
      arbitrary: fc.constantFrom(
        "find",
        "get_weather",
        '"name"',
        '"arguments"',
        "{",
        "}",
        "[",
        "]",
        ":",
        ",",
        "\n",
        " ",
        '"',
        "'",
        "=",
        "(",
        ")",
        "`",
        "```",
        "~~~\n",
        "\\",
        "|",
        "<",
        ">",
        "/",
      ),
    },
    { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 6 }) },
    { weight: 1, arbitrary: fc.integer().map(String) },
    { weight: 1, arbitrary: fc.constantFrom("x".repeat(300), "<b>".repeat(100)) },
  ),
  { maxLength: 40 },
);

const anyOptions: fc.Arbitrary<Partial<ReadingOptions>> = fc.record({
  dialects: fc.oneof(fc.constant("auto" as const), fc.constant(dialects.map(({ name }) => name))),
  repair: fc.boolean(),
  limit: fc.constantFrom(512, 700, 100_000),
  rereads: fc.constantFrom(0, 600, 2000, undefined),
  patience: fc.constantFrom(0, 8, 512),
  beginsInReasoning: fc.boolean(),
});
const ending = fc.constantFrom("stop" as const, "cut" as const);

function holds(text: string, settings: ReadingOptions, how: "stop" | "cut", cuts: readonly number[]): void {
  const whole = readMessage(text, settings, how);
  expect(whole.spans.map((span) => span.text).join("")).toBe(text);
  const told = JSON.stringify(whole);
  expect(JSON.stringify(readMessage(units(text), settings, how))).toBe(told);
  expect(JSON.stringify(readMessage(cutAt(text, cuts), settings, how))).toBe(told);
}

describe("whatever a model writes", () => {
  const [first] = dialects;
  if (!first) throw new Error("there are no dialects");
  const { tools } = options(first);

  it("nothing is thrown, lost, or told differently when it is cut elsewhere: scraps of all dialects", () => {
    fc.assert(
      fc.property(scraps, anyOptions, ending, places, (pieces, more, how, cuts) => {
        holds(pieces.join(""), { tools, ...more }, how, cuts);
      }),
      { numRuns: 2000, endOnFailure: true },
    );
  });

  it("nothing is thrown, lost, or told differently when it is cut elsewhere: any characters", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", maxLength: 200 }),
        anyOptions,
        ending,
        places,
        (text, more, how, cuts) => {
          holds(text, { tools, ...more }, how, cuts);
        },
      ),
      { numRuns: 300, endOnFailure: true },
    );
  });

  it.each(dialects.map((dialect) => [dialect.name, dialect] as const))(
    "nothing is thrown, lost, or told differently when it is cut elsewhere: calls in %s with something changed",
    (name, dialect) => {
      const change = fc.record({
        place: fc.double({ min: 0, max: 1, noNaN: true }),
        gone: fc.nat(6),
        instead: fc.oneof(fc.constant(""), fc.constantFrom(...everything), fc.string({ unit: "binary", maxLength: 3 })),
      });
      fc.assert(
        fc.property(
          anyCalls(traitsOf(name)),
          fc.array(change, { minLength: 1, maxLength: 3 }),
          anyOptions,
          ending,
          places,
          (calls, changes, more, how, cuts) => {
            let text = dialect.write(calls);
            for (const { place, gone, instead } of changes) {
              const at = Math.floor(place * text.length);
              text = text.slice(0, at) + instead + text.slice(at + gone);
            }
            holds(text, { ...options(dialect), ...more }, how, cuts);
          },
        ),
        { numRuns: 60, endOnFailure: true },
      );
    },
  );
});

describe("time", () => {
  // Each of these was, or would be, quadratic in a reader that looks back. The bound is on work, not on speed: a quadratic reader
  // needs minutes.
  const size = 40_000;
  const names = [...new Set(dialects.filter(({ internal }) => !internal).map(({ name }) => name))];

  it.each([
    ["an opener again and again", "<tool_call>"],
    ["a name again and again", '<tool_call>{"name": "find", "arguments": {'],
    ["quotes", '<tool_call>{"name": "find", "arguments": {"words": "a" b'],
    ["brackets", "[[[["],
    ["braces", "{"],
    ["comparisons", "a < b "],
    ["functools[", "functools["],
    ["headers", "<|channel|>foo<|message|> "],
    ["ticks", "`"],
    ["ticks of all kinds", "` `` ``` "],
    ["white space", " \n"],
    ["closing tags", "</parameter></function>"],
    ["a tag of an open value", "<function=find><parameter=words></parameter> "],
    ["letters", "find\nx"],
  ])(
    "is linear in the length of %s",
    (_, piece) => {
      const text = piece.repeat(size / piece.length);
      for (const length of [4, text.length]) {
        for (const chosen of ["auto" as const, names]) {
          const pieces = Array.from({ length: Math.ceil(text.length / length) }, (_value, index) =>
            text.slice(index * length, (index + 1) * length),
          );
          const read = readMessage(pieces, { tools: ["find"], dialects: chosen });
          expect(read.spans.reduce((sum, span) => sum + span.text.length, 0)).toBe(text.length);
        }
      }
    },
    60_000,
  );
});
