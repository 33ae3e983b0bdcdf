import { describe, expect, it } from "vitest";
import { join, mostInPortion, sizeOf, split } from "../../src/store/portions.ts";

const rows = (count: number, text = "text") => Array.from({ length: count }, (_, index) => ({ index, text }));

describe("a large value", () => {
  it.each([
    ["a long list", rows(100_000)],
    [
      "long lists inside",
      { owner: "ann", input: rows(5000), output: { items: rows(1000), base: null }, short: [1, [2]] },
    ],
    ["few long texts", { parts: rows(112, "x".repeat(50_000)), other: [rows(2), "y".repeat(300_000)] }],
    [
      "long lists in a large list",
      [{ list: rows(300), text: "x".repeat(200_000) }, { list: rows(400, "x".repeat(5_000)) }],
    ],
    [
      "large lists in a large list",
      rows(3, "x".repeat(100_000)).map((row) => ({ ...row, list: rows(20, "y".repeat(20_000)) })),
    ],
    ["long texts", { parts: rows(600, "x".repeat(50_000)) }],
    ["a small value", { owner: "ann", input: rows(3), name: null, isNew: true }],
    ["a text", "x".repeat(1_000_000)],
    ["nothing", undefined],
  ])("is the same after it was sent in portions: %s", (_, value) => {
    const original = structuredClone(value);
    const { rest, portions } = split(value, [0, "value"]);
    expect(value).toEqual(original);
    const received = [{ value: structuredClone(rest) }];
    for (const portion of structuredClone(portions)) join(received, portion);
    expect(received[0]?.value).toEqual(original);
  });

  it("is sent in portions of a limited size", () => {
    const { rest, portions } = split({ few: rows(10), many: rows(100_000), long: rows(600, "x".repeat(50_000)) }, []);
    expect(sizeOf(rest)).toBeLessThan(2000);
    expect(portions.length).toBeGreaterThan(100);
    for (const portion of portions) expect(sizeOf(portion.items)).toBeLessThan(1.1 * mostInPortion);
  });

  it("is sent in portions when its lists are short, but their items large", () => {
    const piece = mostInPortion / 2 - 100;
    const { rest, portions } = split(
      { contents: rows(112, "x".repeat(piece)), answers: [{ output: rows(9, "x".repeat(piece)) }] },
      [],
    );
    expect(sizeOf(rest)).toBeLessThan(2000);
    expect(portions).toHaveLength(56 + 5);
    for (const portion of portions) expect(sizeOf(portion.items)).toBeLessThan(1.1 * mostInPortion);
  });

  it("stays together in small portions where its items differ", () => {
    const list = [...rows(100), { index: 100, text: "x".repeat(mostInPortion) }, ...rows(100)];
    expect(split(list, []).portions.map(({ items }) => items.length)).toEqual([100, 1, 100]);
  });

  it("is measured by a sample of its lists", () => {
    expect(sizeOf(rows(100_000))).toBeGreaterThan(0.9 * 1000 * sizeOf(rows(100)));
    expect(sizeOf(rows(100_000))).toBeLessThan(1.1 * 1000 * sizeOf(rows(100)));
    expect(sizeOf("x".repeat(1000))).toBe(1016);
  });
});
