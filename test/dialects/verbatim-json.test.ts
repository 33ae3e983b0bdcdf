import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { VerbatimJson } from "../../src/dialects/index.ts";
import { cutAt, cutsInTwo, places, units } from "./pieces.ts";

function pass(pieces: Iterable<string>) {
  const json = new VerbatimJson();
  let out = "";
  for (const piece of pieces) out += json.push(piece);
  const { rest, ending } = json.end();
  return { out: out + rest, ending, repairs: [...json.repairs] };
}

/** JSON with white space in places where people and models put it. */
const anyJson = fc
  .tuple(fc.object({ withNullPrototype: false }), fc.constantFrom(undefined, 1, 2, "\t"))
  .map(([value, indent]) => JSON.stringify(value, null, indent));

describe("arguments that are JSON", () => {
  it("are passed on as they are written, however they are cut", () => {
    fc.assert(
      fc.property(anyJson, places, (text, cuts) => {
        for (const pieces of [[text], units(text), cutAt(text, cuts)]) {
          expect(pass(pieces)).toEqual({ out: text, ending: "whole", repairs: [] });
        }
      }),
    );
  });

  it("are passed on at once, but for what may still prove to be a slip", () => {
    const json = new VerbatimJson();
    expect(json.push('{"city": "Pa')).toBe('{"city": "Pa');
    expect(json.push('ris"')).toBe('ris"');
    expect(json.push(",")).toBe("");
    expect(json.push(' "d')).toBe(', "d');
    expect(json.push('ays": 3, ')).toBe('ays": 3');
    expect(json.push('"x": [')).toBe(', "x": [');
  });
});

describe("arguments with one slip", () => {
  const slips: [name: string, written: string, meant: string, repair: string][] = [
    ["a comma too many", '{"a": [1, 2,], "b": 1 , }', '{"a": [1, 2],"b":1}', "trailing_comma"],
    ["a comma behind a string", '{"location":"Rome",}', '{"location":"Rome"}', "trailing_comma"],
    ["single quotes behind a string", `{"a":"x", 'b':1}`, '{"a":"x","b":1}', "single_quotes"],
    ["a key without quotes behind a string", '{"a":"x", b:1}', '{"a":"x","b":1}', "unquoted_key"],
    ["a comment behind a string", '{"a":"x", // c\n"b":1}', '{"a":"x","b":1}', "comment"],
    ["a comment behind a number", '{"days":3/* d */}', '{"days":3}', "comment"],
    ["a comment behind a literal", '{"ok":true// d\n}', '{"ok":true}', "comment"],
    ["a comment behind a string at the end", '{"location": "Rome" // city\n}', '{"location":"Rome"}', "comment"],
    ["single quotes", `{"a": 1, 'b': 'it"s'}`, '{"a": 1,"b":"it\\"s"}', "single_quotes"],
    ["a literal of Python", '{"a": True, "b": None}', '{"a": true,"b":null}', "python_literal"],
    ["a line break in a string", '{"a": "one\ntwo", "b": 2}', '{"a": "one\\ntwo","b":2}', "raw_newline"],
    ["an escape that JSON has not", '{"a": "it\\\'s \\d", "b": 2}', '{"a": "it\'s \\\\d","b":2}', "bad_escape"],
    ["a key without quotes", '{"a": 1, b: 2}', '{"a": 1,"b":2}', "unquoted_key"],
    ["a comment", '{"a": 1, // one\n"b": 2}', '{"a": 1,"b":2}', "comment"],
    ["a bracket too many", '{"a": 1}}', '{"a": 1}', "extra_close"],
    ["an object in a string", JSON.stringify('{"a": "b"}'), '{"a": "b"}', "double_encoded"],
  ];

  it.each(slips)("%s is mended, however they are cut", (_, written, meant, repair) => {
    expect(JSON.parse(meant)).toBeTypeOf("object");
    for (const pieces of [[written], units(written), ...cutsInTwo(written)]) {
      const { out, ending, repairs } = pass(pieces);
      expect(JSON.parse(out)).toEqual(JSON.parse(meant));
      expect({ ending, repairs }).toEqual({ ending: "whole", repairs: [repair] });
    }
  });

  it("are cut off where they stop in the middle: nothing is completed", () => {
    expect(pass(["{'city': 'Par"])).toMatchObject({ ending: "cut" });
    expect(pass(["{'city': ", "'Paris'"])).toMatchObject({ ending: "cut" });
    expect(pass(["{'location': 'Rome', 'ok': Tru"])).toMatchObject({ ending: "cut" });
  });
});

describe("arguments that nothing can mend", () => {
  it.each([
    "not JSON at all",
    '{"a": 1 2}',
    '{"a" 1}',
    '{"a": 01}',
    '{"a": 1}{"a": 1}',
    '"just words"',
    '{"a": nope}',
    '{"location": "Rome" Italy}',
    '{"a": 1 // note}',
    '{"a": "x", /* note}',
    '{"a": 1}\u00a0',
    '{"a": "say "hi" now"}',
    "}",
  ])("%j is passed on as it is", (text) => {
    for (const pieces of [[text], units(text), ...cutsInTwo(text)]) {
      expect(pass(pieces)).toEqual({ out: text, ending: "whole", repairs: [] });
    }
  });

  it("are as deep as they are, if they are too deep to be any", () => {
    const text = `${"[".repeat(1_000)}${"[],".repeat(1_000)}[]${"]".repeat(1_000)}`;
    for (const pieces of [[text], units(text)])
      expect(pass(pieces)).toEqual({ out: text, ending: "whole", repairs: [] });
  });

  it("lose nothing, though their beginning was mended", () => {
    for (const pieces of [units('{"l": [True, Rome]}'), ...cutsInTwo('{"l": [True, Rome]}')]) {
      expect(pass(pieces).out.replaceAll(" ", "")).toMatch(/^\{"l":\[[Tt]rue,Rome\]\}$/);
    }
  });

  /** JSON with a slip of each kind somewhere in it, in any place. */
  const slips = fc
    .tuple(
      anyJson,
      fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
      fc.constantFrom(...",'/TN#\n\\x{}[]\""),
    )
    .map(([text, place, slip]) => {
      const at = Math.floor(place * text.length);
      return text.slice(0, at) + slip + text.slice(at);
    });

  it("are JSON once they are said to be mended, and otherwise what they were", () => {
    fc.assert(
      fc.property(slips, places, (text, cuts) => {
        const whole = pass([text]);
        if (whole.repairs.length === 0 && whole.ending === "whole") expect(whole.out).toBe(text);
        for (const { out, ending, repairs } of [whole, pass(units(text)), pass(cutAt(text, cuts))]) {
          if (repairs.length > 0 && ending === "whole") expect(() => JSON.parse(out)).not.toThrow();
        }
      }),
      { numRuns: 3_000 },
    );
  });

  it("do no harm, whatever they are", () => {
    const odd = fc.array(
      fc.constantFrom('"', "'", "\\", "{", "}", "[", "]", ",", ":", " ", "\n", "a", "1", "T", "u", "/"),
    );
    fc.assert(
      fc.property(odd, places, (characters, cuts) => {
        const text = characters.join("");
        const { out, ending, repairs } = pass(cutAt(text, cuts));
        if (repairs.length === 0 && ending === "whole") return;
        if (ending === "whole") expect(() => JSON.parse(out)).not.toThrow();
      }),
      { numRuns: 2_000 },
    );
  });
});
