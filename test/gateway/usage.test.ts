import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { UsageRecorder } from "../../src/gateway/usage.ts";
import { MemoryDatabase } from "../../src/store/memory-database.ts";
import { SqlStore } from "../../src/store/sql-store.ts";
import { StoreError, type UsageRow } from "../../src/store/store.ts";
import { type LogFields, TurnError, type TurnSummary, type Usage } from "../../src/turn/index.ts";

beforeEach(() => void vi.useFakeTimers({ now: new Date("2026-11-18T23:59:58Z") }));
afterEach(() => void vi.useRealTimers());

const usage: Usage = {
  inputTokens: 100,
  outputTokens: 20,
  totalTokens: 120,
  cachedTokens: 30,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
};
const ann = { owner: "key_ann", key: "ann", model: "fast" };

function scene(options: { mostSums?: number } = {}) {
  const writes: UsageRow[][] = [];
  const lines: string[] = [];
  const store = {
    isAway: false,
    async addUsage(rows: readonly UsageRow[]) {
      if (store.isAway) throw new StoreError("lost", "no connection");
      writes.push(rows.map((row) => ({ ...row })));
    },
  };
  const note = (_: LogFields, message: string) => void lines.push(message);
  const log = { isLevelEnabled: () => true, debug: note, info: note, warn: note, error: note };
  return { recorder: new UsageRecorder(store, { log, ...options }), store, writes, lines, log };
}

const row = (own: Partial<UsageRow>): UsageRow => ({
  ...ann,
  day: "2026-11-18",
  requests: 1,
  inputTokens: 100,
  cachedTokens: 30,
  outputTokens: 20,
  ...own,
});

function ended(status: TurnSummary["status"], used?: Usage): TurnSummary {
  const error = status === "failed" ? new TurnError("upstream_error", "no") : undefined;
  return { status, error, usage: used, firstContentMs: null, overheadMs: 0, totalMs: 1 };
}

describe("usage", () => {
  it("is summed by owner, key, model and day, and written once a second", async () => {
    const { recorder, writes } = scene();
    recorder.add({ ...ann, usage });
    recorder.add({ ...ann, usage });
    recorder.add({ ...ann, model: "slow", usage: undefined });
    await vi.advanceTimersByTimeAsync(999);
    expect(writes).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    const none = { inputTokens: 0, cachedTokens: 0, outputTokens: 0 };
    expect(writes).toEqual([
      [row({ requests: 2, inputTokens: 200, cachedTokens: 60, outputTokens: 40 }), row({ model: "slow", ...none })],
    ]);
    await vi.advanceTimersByTimeAsync(1_500);
    recorder.add({ ...ann, usage });
    await vi.advanceTimersByTimeAsync(10_000);
    expect(writes.slice(1)).toEqual([[row({ day: "2026-11-19" })]]);
  });

  it("of a turn is recorded when it finishes, unless the turn failed before it used anything", async () => {
    const { recorder, writes } = scene();
    for (const status of ["completed", "incomplete", "cancelled", "failed"] as const) {
      recorder.listener({ ...ann, model: status }).turnFinished?.(ended(status));
    }
    recorder.listener({ ...ann, model: "failed late" }).turnFinished?.(ended("failed", usage));
    await recorder.close();
    expect(writes.flat().map(({ model }) => model)).toEqual(["completed", "incomplete", "cancelled", "failed late"]);
  });

  it("is written when the gateway closes", async () => {
    const { recorder, writes } = scene();
    recorder.add({ ...ann, usage });
    await recorder.close();
    expect(writes).toEqual([[row({})]]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(writes).toHaveLength(1);
  });

  it("goes on being summed while the store is away, which the log says once", async () => {
    const { recorder, store, writes, lines } = scene();
    store.isAway = true;
    for (let second = 0; second < 20; second++) {
      recorder.add({ ...ann, usage });
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(lines).toEqual(["could not write usage to the store; trying again later"]);
    store.isAway = false;
    await vi.advanceTimersByTimeAsync(5_000);
    const sum = writes.flat().reduce((sum, { requests }) => sum + requests, 0);
    expect(sum).toBe(20);
  });

  it("that can never be written is reported at the end", async () => {
    const { recorder, store, lines } = scene();
    store.isAway = true;
    recorder.add({ ...ann, usage });
    recorder.add({ ...ann, model: "slow", usage });
    await recorder.close();
    expect(lines).toContain("could not write usage to the store: the count of 2 turns is lost");
  });

  it("of more models than memory holds is summed under one name", async () => {
    const { recorder, writes } = scene({ mostSums: 3 });
    for (let at = 0; at < 10; at++) recorder.add({ ...ann, model: `m${at}`, usage });
    await recorder.close();
    expect(writes.flat().map(({ model, requests }) => [model, requests])).toEqual([
      ["m0", 1],
      ["m1", 1],
      ["m2", 1],
      ["(other)", 7],
    ]);
  });

  it("is written in batches, and only what failed is written again", async () => {
    const { recorder, store, writes } = scene();
    for (let at = 0; at < 1_200; at++) recorder.add({ ...ann, model: `m${at}`, usage });
    const { addUsage } = store;
    store.addUsage = async (rows) => {
      if (writes.length === 1) store.isAway = true;
      await addUsage(rows);
    };
    await vi.advanceTimersByTimeAsync(1_000);
    expect(writes.map(({ length }) => length)).toEqual([500]);
    store.addUsage = addUsage;
    store.isAway = false;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(writes.map(({ length }) => length)).toEqual([500, 500, 200]);
    expect(new Set(writes.flat().map(({ model }) => model)).size).toBe(1_200);
  });

  it("ignores numbers that are none, and shortens the names of models", async () => {
    const { recorder, writes } = scene();
    recorder.add({ ...ann, model: "m".repeat(10_000), usage: { ...usage, inputTokens: Number.NaN, outputTokens: -1 } });
    await recorder.close();
    expect(writes.flat()).toEqual([row({ model: "m".repeat(200), inputTokens: 0, outputTokens: 0 })]);
  });
});

describe("a provider's absurd count", () => {
  it("is cut to one that a database can sum", async () => {
    const { recorder, writes } = scene();
    for (const outputTokens of [1e19, Number.MAX_VALUE, 7.9])
      recorder.add({ ...ann, usage: { ...usage, outputTokens } });
    await recorder.close();
    expect(writes.flat()).toMatchObject([{ requests: 3, outputTokens: 2e12 + 7 }]);
  });
});

describe("usage in a store", () => {
  it("adds up over gateways and restarts", async () => {
    vi.useRealTimers();
    const store = new SqlStore(new MemoryDatabase(), { kind: "memory" });
    const { log } = scene();
    for (let restart = 0; restart < 3; restart++) {
      const recorder = new UsageRecorder(store, { log, now: () => Date.parse("2026-11-18T12:00:00Z") });
      recorder.add({ ...ann, usage });
      recorder.add({ ...ann, model: "slow", usage });
      await recorder.close();
    }
    const sum = { requests: 3, inputTokens: 300, cachedTokens: 90, outputTokens: 60 };
    expect(await store.usage()).toEqual([row(sum), row({ ...sum, model: "slow" })]);
    await store.close();
  });
});
