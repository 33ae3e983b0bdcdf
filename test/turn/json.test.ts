import { describe, expect, it } from "vitest";
import { answerLimits, beyondLimits, parseJson, textLimits } from "../../src/turn/index.ts";

const megabytes = (unit: string, count: number) => unit.repeat((count * 1024 * 1024) / unit.length);

describe("JSON in a text", () => {
  it("is parsed; anything else is undefined", () => {
    expect(parseJson('{"a":[1]}')).toEqual({ a: [1] });
    expect(parseJson("{a:1}")).toBeUndefined();
    expect(parseJson(`"${"é".repeat(200_000)}"`)).toBe("é".repeat(200_000));
    expect(parseJson(`{"a":"${megabytes("[{,", 1)}"}`)).toEqual({ a: megabytes("[{,", 1) });
  });

  it.each([
    ["brackets", megabytes("[", 8)],
    ["brackets that are closed", `${"[".repeat(500_000)}${"]".repeat(500_000)}`],
    ["empty lists", `[${megabytes("[],", 8)}1]`],
    ["empty objects", `[${megabytes("{},", 8)}1]`],
    ["keys", `{${megabytes('"k":1,', 8)}"k":1}`],
    ["numbers", `[${megabytes("1,", 8)}1]`],
  ])("that would hold the loop and fill the memory is not parsed: %s", (_case, text) => {
    expect(beyondLimits(text, textLimits)).toBeDefined();
    expect(beyondLimits(text, answerLimits)).toBeDefined();
    const before = process.memoryUsage().heapUsed;
    expect(parseJson(text)).toBeUndefined();
    // To parse it takes at least ten times its size.
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(40 * 1024 * 1024);
  });

  it("may be deep or long up to its limits", () => {
    const deep = `${"[".repeat(512)}"${"x".repeat(70_000)}"${"]".repeat(512)}`;
    expect(parseJson(deep)).toBeDefined();
    expect(parseJson(`[${deep}]`)).toBeUndefined();
    expect(parseJson(`[${"12345,".repeat(49_990)}1]`)).toHaveLength(49_991);
    expect(parseJson(`[${"12345,".repeat(50_010)}1]`)).toBeUndefined();
    expect(parseJson(`[${"12345,".repeat(50_010)}1]`, answerLimits)).toHaveLength(50_011);
  });
});
