import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { argumentsState, isTooDeep, ObjectEnd, readArguments } from "../../src/tools/index.ts";

describe("the state of a call's arguments", () => {
  it.each([
    ['{"a":1}', "whole"],
    ["", "whole"],
    ["  \n", "whole"],
    ["[]", "whole"],
    ['"text"', "whole"],
    ['{"a":1', "cut"],
    ['{"a":"x', "cut"],
    ['{"a":"x\\', "cut"],
    ["{", "cut"],
    ['{"a"', "cut"],
    ['{"a":', "cut"],
    ['{"a":1,', "cut"],
    ['{"a":tr', "cut"],
    ['{"a":-', "cut"],
    ['{"a":1.5e', "cut"],
    ["[1,2", "cut"],
    ["{'a':1}", "broken"],
    ['{"a":1}}', "broken"],
    ['{"a":1,}', "broken"],
    ["{a:1", "broken"],
    ['{"a":True', "broken"],
    ["get weather", "broken"],
    ['{"a":1} and', "broken"],
    ['{"a" 1', "broken"],
    ['{"a":"line\nbreak', "broken"],
  ] as const)("%j is %s", (text, state) => {
    expect(argumentsState(text)).toBe(state);
  });

  it("calls every proper beginning of an object cut, and the object itself whole", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(), (value, place) => {
        const text = JSON.stringify(value);
        expect(argumentsState(text)).toBe("whole");
        const at = 1 + (place % (text.length - 1));
        expect(argumentsState(text.slice(0, at))).toBe("cut");
      }),
    );
  });

  it("reads a megabyte once", () => {
    const text = `{"a":[${"[".repeat(500_000)}`;
    expect(argumentsState(text)).toBe("cut");
  });
});

describe("the end of arguments that are still growing", () => {
  it("is reached with the last character of an object, and not before", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const text = JSON.stringify(value);
        const end = new ObjectEnd();
        for (const character of text) {
          expect(end.reached).toBe(false);
          end.feed(character);
        }
        expect(end.reached).toBe(true);
      }),
    );
  });

  it("is not reached by a text that has no brackets", () => {
    const end = new ObjectEnd();
    end.feed("plain");
    expect(end.reached).toBe(false);
  });
});

describe("what stands in the place of arguments", () => {
  it.each([
    ['{"a":1}', '{"a":1}'],
    ["", ""],
    [{ a: 1 }, { a: 1 }],
    [[], {}],
    [[1], "[1]"],
    [5, "5"],
    [false, "false"],
    [null, undefined],
    [undefined, undefined],
  ])("%j is read as %j", (given, read) => {
    expect(readArguments(given)).toEqual(read);
  });

  it("is refused where it is too deep to be written down again", () => {
    const nested = (depth: number) => JSON.parse(`${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`);
    expect(isTooDeep(nested(100))).toBe(false);
    expect(isTooDeep(nested(100_000))).toBe(true);
  });
});
