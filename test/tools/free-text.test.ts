import { describe, expect, it } from "vitest";
import { FreeText } from "../../src/tools/index.ts";
import { piecesOf } from "../support/scripted-turn.ts";

/** The text that is read out of arguments, in pieces of so many characters. */
function read(written: string, size = written.length || 1): string {
  return given(piecesOf(size)(written)).join("");
}

/** What is given after each piece, and at the end. */
function given(pieces: readonly string[]): string[] {
  const text = new FreeText();
  return [...pieces.map((piece) => text.push(piece)), text.end()];
}

/** However it is cut. */
function expectText(written: string, text: string): void {
  for (const size of [1, 2, 3, 5, 7, 12, written.length || 1]) expect(read(written, size)).toBe(text);
}

const patch = '*** Begin Patch\n*** Update File: a/"b".ts\n-\tc:\\old\n+\t日本 😀\r\n*** End Patch\n';

describe("the free text of a tool that is called as a function", () => {
  it("comes out of the one argument as the model wrote it", () => {
    expectText(JSON.stringify({ input: patch }), patch);
    expectText(JSON.stringify({ input: patch }, null, 2), patch);
    expectText(` \n{\t"input" :\r\n ${JSON.stringify(patch)} }\n`, patch);
    expectText('{"input":""}', "");
  });

  it("ends at the last quote before a brace, however many there are", () => {
    const text = new FreeText();
    const written = '"}'.repeat(50_000);
    const given = text.push(`{"input":"a${written}`) + text.push('x"}') + text.end();
    expect(given).toBe(`a${written}x`);
  });

  it("streams: each piece gives what can be read of it", () => {
    expect(given(['{"in', 'put":', ' "Hel', "lo", "\\", "nwor", 'ld"', "}"])).toEqual([
      ...["", "", "Hel", "lo", "", "\nwor", "ld", ""],
      "",
    ]);
  });

  it("has no half of a character in a piece, whichever way the character is written", () => {
    expect(given(['{"input":"\ud83d', '\ude00"}'])).toEqual(["", "😀", ""]);
    expect(given(['{"input":"\\ud83d', '\\ude00"}'])).toEqual(["", "😀", ""]);
    expect(given(['{"input":"\\ud8', "3d", "\\", "u", "de0", '0"}'])).toEqual(["", "", "", "", "", "😀", ""]);
  });

  it("has half of a character where the text itself has no more of it", () => {
    for (const alone of ["\ud83d", "\ude00", "a\ud83db", "\ud83d\ud83d\ude00", "\ude00\ud83d", "\ud83d\\", '\ud83d"']) {
      expectText(JSON.stringify({ input: alone }), alone);
      expectText(`{"input":"${escaped(alone)}"}`, alone);
    }
    expectText('{"input":"\ud83d"}', "\ud83d");
  });

  it("knows every escape of JSON, also those that nobody must write", () => {
    expectText('{"input":"\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\u00e9\\u65E5\\u0000"}', '"\\/\b\f\n\r\tAé日\u0000');
    expectText('{"input":"</script> <\\/script>"}', "</script> </script>");
    expectText(`{"input":"${escaped(patch)}"}`, patch);
  });

  it("keeps an escape that JSON does not have, because in code it is part of the text", () => {
    expectText('{"input":"grep \\d+ \\$HOME \\\' C:\\users"}', "grep \\d+ \\$HOME \\' C:\\users");
  });

  it("ends at its quote, though an escape before it is none", () => {
    expectText('{"input":"C:\\u"}', "C:\\u");
    expectText('{"input":"\\u12"}', "\\u12");
    expectText('{"input":"\\ud83d\\u"}', "\ud83d\\u");
    expectText('{"input":"\\u","more":"text"}', "\\u");
  });

  it("may have line ends in it that are not escaped", () => {
    expectText('{"input":"one\ntwo\r\n\tthree"}', "one\ntwo\r\n\tthree");
  });
});

/** Every character as an escape. */
function escaped(text: string): string {
  return text.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

describe("arguments that are not written as they should be", () => {
  it.each<[string, string, string]>([
    ["the text itself", patch, patch],
    ["a text that begins like JSON", '{"a": 1, }\n{ not json', '{"a": 1, }\n{ not json'],
    ["a text that begins like the arguments", '{"input" of the form', '{"input" of the form'],
    ["a text in braces", "{ return 1 }", "{ return 1 }"],
    ["white space", "  \n", "  \n"],
    ["a JSON string", JSON.stringify(patch), patch],
    ["another key", JSON.stringify({ patch }), patch],
    ["a key of another case", JSON.stringify({ Input: patch }), patch],
    ["an escaped key", '{"\\u0069nput":"text"}', "text"],
    ["a key before it", JSON.stringify({ reason: "because", input: patch }), patch],
    ["a key behind it", JSON.stringify({ input: patch, reason: "because" }), patch],
    ["objects beside it", JSON.stringify({ of: { input: "no" }, input: patch, and: ["x"] }), patch],
    ["nothing", "", ""],
    ["a list", '["a","b"]', '["a","b"]'],
    ["a number", "17", "17"],
    ["null", "null", "null"],
    ["an object without text", '{"input":17}', '{"input":17}'],
    ["an object in the argument", '{"input":{"patch":"x"}}', '{"input":{"patch":"x"}}'],
    ["two other keys", '{"a":"x","b":"y"}', '{"a":"x","b":"y"}'],
    ["a lot of space before", `${" ".repeat(300)}{${"\n".repeat(300)}"input":"x"}`, "x"],
  ])("as %s", (_how, written, text) => {
    expectText(written, text);
  });

  it("with the argument twice have one of the two texts, and never both", () => {
    for (const size of [1, 4, 40]) expect(["a", "b"]).toContain(read('{"input":"a","input":"b"}', size));
  });

  it("give what is there where they stop in the middle", () => {
    expect(read('{"input":"half a te')).toBe("half a te");
    expect(read('{"input":"half\\')).toBe("half\\");
    expect(read('{"input":"half\\ud83d')).toBe("half\ud83d");
  });
});

describe("a megabyte of free text", () => {
  const long = '+ const a = "b\\n";\t// 日本 😀\n'.repeat(40_000);

  it.each<[string, string]>([
    ["as the argument", JSON.stringify({ input: long })],
    ["all in escapes", `{"input":"${escaped(long.slice(0, 200_000))}"}`],
    ["as itself", long],
    ["behind another key", JSON.stringify({ why: "x", input: long })],
  ])("%s is read in pieces of four characters", (how, written) => {
    expect(read(written, 4) === (how === "all in escapes" ? long.slice(0, 200_000) : long)).toBe(true);
  });

  it.each<[string, string, string]>([
    ["a quote and white space", `{"input":"x"${" ".repeat(200_000)}}`, "x"],
    ["another argument", `{"input":"x","why":"${"a".repeat(200_000)}"}`, "x"],
    ["white space that goes nowhere", `{"input":"a", "b"${" ".repeat(200_000)}x`, `a", "b`],
    ["white space in other quotes", `{'input': 'a'${" ".repeat(200_000)}z`, `{'input': 'a'${" ".repeat(200_000)}z`],
    ["what only looks like one", `{"input":"f("a", "b"${"a".repeat(200_000)}"}`, `f("a", "b"${"a".repeat(200_000)}`],
  ])("before %s is read in pieces of four characters", (_what, written, text) => {
    expect(read(written, 4) === text).toBe(true);
  });
});

describe("slips behind the free text", () => {
  it.each([
    ['{"input":"ls"}}', "ls"],
    ['{"input":"ls",}', "ls"],
    ['{"input":"x"}{"input":"y"}', "x"],
    ['{"input":"ls" , }', "ls"],
    ['{"input":"ls"}\n```', "ls"],
    ['{"input":"ls"}</tool_call>', "ls"],
    ['{"input":"f("a", "b")","why":"because"}', 'f("a", "b")'],
    ['{"input":"x={"a":"b"}"}', 'x={"a":"b"}'],
    ['{"input":"x={"a":"b"};"}', 'x={"a":"b"};'],
  ])("are no part of it: %s", (written, text) => {
    for (const size of [1, 2, 3, 7, 1_000]) expect(read(written, size)).toBe(text);
  });
});
