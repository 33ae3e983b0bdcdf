import { describe, expect, it } from "vitest";
import { formatDuration, formatSize, parseDuration, parseSize } from "../../src/config/index.ts";

describe("durations", () => {
  it.each([
    ["250ms", 250],
    ["10s", 10_000],
    ["1.5s", 1_500],
    ["5m", 300_000],
    ["2h", 7_200_000],
    ["30d", 2_592_000_000],
    ["0ms", 0],
    [0, 0],
  ])("%s is %d milliseconds", (written, milliseconds) => {
    expect(parseDuration(written)).toBe(milliseconds);
  });

  it.each(["10", "ten", "-1s", "10 seconds", "1e3s", "s", "", "9999999999999s", 10, null, [], {}])(
    "%j is not a duration",
    (written) => {
      expect(parseDuration(written)).toBeUndefined();
    },
  );

  it("are written in the largest unit that fits", () => {
    expect([0, 250, 1_500, 90_000, 120_000, 2_592_000_000].map(formatDuration)).toEqual([
      "0ms",
      "250ms",
      "1500ms",
      "90s",
      "2m",
      "30d",
    ]);
  });
});

describe("sizes", () => {
  it.each([
    ["64kb", 65_536],
    ["4mb", 4_194_304],
    ["4MB", 4_194_304],
    ["1.5kb", 1_536],
    ["1gb", 1_073_741_824],
    ["512b", 512],
    ["512", 512],
    [512, 512],
  ])("%s is %d bytes", (written, bytes) => {
    expect(parseSize(written)).toBe(bytes);
  });

  it.each(["4 megabytes", "-1kb", "kb", "", -1, 1.5, Number.NaN, null])("%j is not a size", (written) => {
    expect(parseSize(written)).toBeUndefined();
  });

  it("are written in the largest unit that fits", () => {
    expect([1, 1_000, 65_536, 33_554_432].map(formatSize)).toEqual(["1b", "1000b", "64kb", "32mb"]);
  });
});
