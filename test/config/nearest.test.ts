import { describe, expect, it } from "vitest";
import { didYouMean, nearestNames } from "../../src/config/index.ts";

describe("the nearest name", () => {
  const names = ["connect", "first_content", "idle", "total", "base_url"];

  it.each([
    ["conect", "connect"],
    ["conenct", "connect"],
    ["firstContent", "first_content"],
    ["first-content", "first_content"],
    ["baseurl", "base_url"],
    ["IDLE", "idle"],
  ])("of %s is %s", (written, meant) => {
    expect(nearestNames(written, names)[0]).toBe(meant);
    expect(didYouMean(written, names)).toBe(`; did you mean ${meant}?`);
  });

  it("is nobody's when nothing is near", () => {
    expect(nearestNames("zebra", names)).toEqual([]);
    expect(nearestNames("", names)).toEqual([]);
    expect(didYouMean(5, names)).toBe("");
  });

  it("comes first among several", () => {
    expect(nearestNames("gpt-5.2", ["gpt-5", "gpt-5.1", "gpt-5.22", "o3"])).toEqual(["gpt-5.1", "gpt-5.22", "gpt-5"]);
  });

  it("is found quickly, however long a name a stranger sends", () => {
    const started = performance.now();
    expect(nearestNames("x".repeat(1_000_000), ["x".repeat(1_000_000)])).toEqual([]);
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  it("costs a bounded time, however many names there are", () => {
    const hint = (count: number) => {
      let read = 0;
      function* offered() {
        for (; read < count; read++) yield `m${read}`.padEnd(128, "xyz");
      }
      nearestNames("x".repeat(128), offered(), 1);
      return read;
    };
    expect(hint(50)).toBe(50);
    expect(hint(100_000)).toBeLessThan(100);
  });

  it("is found among thousands", () => {
    const many = Array.from({ length: 2_000 }, (_, at) => `some/other-model-${at}`);
    expect(nearestNames("gtp-5", [...many, "gpt-5"], 1)).toEqual(["gpt-5"]);
  });
});
