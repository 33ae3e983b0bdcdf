import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { StallWatch } from "../../src/telemetry/index.ts";
import type { Log, LogFields } from "../../src/turn/index.ts";

let warnings: { fields: LogFields; message: string }[];
const log: Log = {
  isLevelEnabled: () => true,
  debug() {},
  info() {},
  warn: (fields, message) => void warnings.push({ fields, message }),
  error() {},
};

let watch: StallWatch;
beforeEach(async () => {
  warnings = [];
  watch = new StallWatch(log);
  await ticked();
});
afterEach(() => watch.close());

/** Holds the event loop. */
function hold(milliseconds: number): void {
  for (const until = performance.now() + milliseconds; performance.now() < until; );
}

/** The watch has looked at what came before. */
function ticked(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 120));
}

/** Of the warnings about this request: a busy machine may hold the loop as well. */
function about(requestId: string | undefined) {
  return warnings.filter(({ fields }) => fields.request_id === requestId);
}

describe("a hold of the event loop", () => {
  test("is a warning that names the request whose work it was", async () => {
    const work = watch.request("req_slow", "POST /v1/responses");
    work.model = "fast";
    work.begin();
    hold(300);
    work.end();
    watch.request("req_next", "POST /v1/responses").begin();
    await ticked();
    const [{ fields, message } = { fields: {}, message: "" }] = about("req_slow");
    expect(fields).toEqual({ request_id: "req_slow", held_ms: expect.any(Number), cpu_ms: expect.any(Number) });
    expect(fields.held_ms).toBeGreaterThanOrEqual(300);
    expect(message).toBe(
      `the event loop was held for ${fields.held_ms} ms by request req_slow (POST /v1/responses, model fast)`,
    );
    expect(about("req_next")).toEqual([]);
    expect(watch.stalls).toBeGreaterThanOrEqual(1);
  });

  test("is found if the work never says that it has ended", async () => {
    watch.request("req_silent", "POST /v1/responses").begin();
    hold(300);
    await ticked();
    expect(about("req_silent")).toHaveLength(1);
  });

  test("is found if several steps of one request are long only together", async () => {
    const work = watch.request("req_steps", "POST /v1/responses");
    for (let step = 0; step < 3; step++) {
      work.begin();
      hold(120);
      work.end();
    }
    await ticked();
    expect(about("req_steps")[0]?.fields.held_ms).toBeGreaterThanOrEqual(360);
  });

  test("by nobody's work accuses nobody", async () => {
    const work = watch.request("req_done", "POST /v1/responses");
    work.begin();
    work.end();
    hold(350);
    await ticked();
    expect(about("req_done")).toEqual([]);
    expect(about(undefined)[0]?.message).toMatch(
      /^the event loop was held for \d+ ms; no request is known to have held it$/,
    );
  });

  test("is logged a few times a minute, and counted always", async () => {
    for (let times = 0; times < 7; times++) {
      watch.request(`req_${times}`, "POST /v1/responses").begin();
      hold(210);
      await ticked();
    }
    expect(warnings).toHaveLength(5);
    expect(watch.stalls).toBeGreaterThanOrEqual(7);
  }, 15_000);
});

test("waiting is no hold", async () => {
  watch.request("req_waits", "POST /v1/responses").begin();
  await new Promise((resolve) => setTimeout(resolve, 400));
  expect(about("req_waits")).toEqual([]);
});

test("two gateways in one process: each names its own requests, and a closed one nothing", async () => {
  const other = new StallWatch({ ...log, warn: () => warnings.push({ fields: {}, message: "other" }) });
  const work = other.request("req_other", "POST /v1/responses");
  watch.request("req_mine", "POST /v1/responses").begin();
  hold(300);
  await ticked();
  expect(about("req_mine")).toHaveLength(1);
  expect(warnings.filter(({ message }) => message === "other")).toEqual([]);
  work.begin();
  other.close();
  hold(300);
  work.end();
  await ticked();
  expect(about("req_other")).toEqual([]);
});

test("the longest delay is what it was since the last look", async () => {
  watch.takeDelays();
  await ticked();
  hold(300);
  await ticked();
  const longest = watch.takeDelays().at(-1);
  expect(longest?.[0]).toBe(1);
  expect(longest?.[1]).toBeGreaterThan(0.25);
  expect(longest?.[1]).toBeLessThan(5);
});
