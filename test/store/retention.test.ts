import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Retention } from "../../src/store/retention.ts";
import { LogLines } from "./scripted-database.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** A store with some batches of old contents. */
class OldContents {
  batches = 0;
  isAway = false;
  readonly calls: { before: number; now: number }[] = [];

  async expire(before: number, now: number): Promise<boolean> {
    this.calls.push({ before, now });
    if (this.isAway) throw new Error("away");
    if (this.batches > 0) this.batches--;
    return this.batches > 0;
  }
}

let log: LogLines;
let store: OldContents;

beforeEach(() => {
  vi.useFakeTimers({ now: 100 * day });
  log = new LogLines();
  store = new OldContents();
});

afterEach(() => {
  vi.useRealTimers();
});

describe("what is kept for a time", () => {
  it("is deleted after a minute, and then every hour", async () => {
    const retention = new Retention(store, { keep: 30 * day, log });
    await vi.advanceTimersByTimeAsync(minute - 1);
    expect(store.calls).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(store.calls).toEqual([{ before: 70 * day + minute, now: 100 * day + minute }]);
    await vi.advanceTimersByTimeAsync(2 * hour);
    expect(store.calls).toHaveLength(3);
    retention.stop();
  });

  it.each([
    ["2s", 2_000, 1_000],
    ["10m", 10 * minute, minute],
    ["5h", 5 * hour, 30 * minute],
  ])("for %s is deleted soon after that", async (_, keep, interval) => {
    const retention = new Retention(store, { keep, log });
    await vi.advanceTimersByTimeAsync(3 * hour);
    expect(store.calls.at(-1)?.now).toBe((store.calls.at(-2)?.now ?? 0) + interval);
    retention.stop();
  });

  it("is deleted in batches with pauses, until there is nothing more", async () => {
    store.batches = 5;
    const retention = new Retention(store, { keep: day, log });
    await vi.advanceTimersByTimeAsync(minute);
    expect(store.calls).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(minute);
    expect(store.calls).toHaveLength(5);
    retention.stop();
  });

  it("stays for ever without a limit, but expired records go", async () => {
    const retention = new Retention(store, { keep: null, log });
    await vi.advanceTimersByTimeAsync(minute);
    expect(store.calls).toEqual([{ before: 0, now: 100 * day + minute }]);
    retention.stop();
  });

  it("is tried again after an outage, which is logged once", async () => {
    store.isAway = true;
    const retention = new Retention(store, { keep: day, log });
    await vi.advanceTimersByTimeAsync(3 * hour);
    expect(store.calls).toHaveLength(3);
    expect(log.lines).toHaveLength(1);
    store.isAway = false;
    await vi.advanceTimersByTimeAsync(hour);
    store.isAway = true;
    await vi.advanceTimersByTimeAsync(hour);
    expect(log.lines).toHaveLength(2);
    retention.stop();
  });

  it("is left alone after the end", async () => {
    store.batches = 100;
    const retention = new Retention(store, { keep: day, log });
    await vi.advanceTimersByTimeAsync(minute);
    retention.stop();
    const { length } = store.calls;
    await vi.advanceTimersByTimeAsync(2 * hour);
    expect(store.calls).toHaveLength(length);
  });
});
