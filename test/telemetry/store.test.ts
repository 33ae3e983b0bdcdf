import { afterEach, describe, expect, it, vi } from "vitest";
import { createMetrics, type StoreSource, TurnEvents, TurnLog, TurnMetrics } from "../../src/telemetry/index.ts";
import type { EventFields, EventSink, LogFields } from "../../src/turn/index.ts";

afterEach(() => void vi.useRealTimers());

const size = { rows: { messages: 12, keys: 2 }, bytes: 4_096 };

async function storeLines(metrics: ReturnType<typeof createMetrics>): Promise<string[]> {
  return (await metrics.text()).split("\n").filter((line) => line.startsWith("toolwire_store_"));
}

describe("the metrics of the store", () => {
  it("show its rows, its size and what waits for it", async () => {
    const metrics = createMetrics({ store: { queue: 3, stats: async () => size } });
    expect(await storeLines(metrics)).toEqual(
      expect.arrayContaining([
        'toolwire_store_rows{table="messages"} 12',
        'toolwire_store_rows{table="keys"} 2',
        "toolwire_store_bytes 4096",
        "toolwire_store_queue 3",
      ]),
    );
  });

  it("show how long commits took, and why some failed", async () => {
    const metrics = createMetrics();
    metrics.storeCommitted(0.004);
    metrics.storeCommitted(0.3);
    for (const reason of ["lost", "lost", "full", "a text of somebody"]) metrics.storeFailed(reason);
    expect(await storeLines(metrics)).toEqual(
      expect.arrayContaining([
        'toolwire_store_commit_seconds_bucket{le="0.005"} 1',
        "toolwire_store_commit_seconds_count 2",
        'toolwire_store_failures_total{reason="lost"} 2',
        'toolwire_store_failures_total{reason="full"} 1',
        'toolwire_store_failures_total{reason="other"} 1',
      ]),
    );
  });

  it("ask for the size at most once a second, and less often if counting takes long", async () => {
    vi.useFakeTimers();
    let takes = 0;
    const stats = vi.fn(async () => {
      await new Promise((resolve) => setTimeout(resolve, takes));
      return size;
    });
    const metrics = createMetrics({ store: { queue: 0, stats } });
    const scrape = async () => {
      const scraped = storeLines(metrics);
      await vi.advanceTimersByTimeAsync(500);
      await scraped;
    };
    await scrape();
    await scrape();
    expect(stats).toHaveBeenCalledTimes(1);
    takes = 400;
    await scrape();
    expect(stats).toHaveBeenCalledTimes(2);
    for (let second = 0; second < 35; second++) {
      await scrape();
      await vi.advanceTimersByTimeAsync(500);
    }
    expect(stats).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(5_000);
    await scrape();
    expect(stats).toHaveBeenCalledTimes(3);
  });

  it.each<[string, StoreSource["stats"]]>([
    ["fails", () => Promise.reject(new Error("away"))],
    ["does not answer", () => new Promise(() => {})],
  ])("are there without its size if the store %s", async (_, stats) => {
    vi.useFakeTimers();
    const metrics = createMetrics({ store: { queue: 1, stats } });
    const scraped = storeLines(metrics);
    await vi.advanceTimersByTimeAsync(1_000);
    const lines = await scraped;
    expect(lines).toContain("toolwire_store_queue 1");
    expect(lines.join("\n")).not.toMatch(/^toolwire_store_(?:bytes|rows)/m);
  });

  it("show the last known size while the store does not answer", async () => {
    vi.useFakeTimers();
    const stats = vi.fn<StoreSource["stats"]>().mockResolvedValueOnce(size);
    const metrics = createMetrics({ store: { queue: 0, stats: () => stats() ?? new Promise(() => {}) } });
    await storeLines(metrics);
    await vi.advanceTimersByTimeAsync(2_000);
    const scraped = storeLines(metrics);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await scraped).toContain("toolwire_store_bytes 4096");
    expect(stats).toHaveBeenCalledTimes(2);
  });
});

describe("a turn that cannot be stored", () => {
  it("is an event", () => {
    const events: EventFields[] = [];
    const write: EventSink["write"] = (event, request_id, fields) => void events.push({ event, request_id, ...fields });
    new TurnEvents({ on: true, keepsValues: false, write }, "request-1", "chutes").storeFailed("slow");
    expect(events).toEqual([{ event: "store_failed", request_id: "request-1", reason: "slow" }]);
  });

  it.each([
    ["lost", "the store cannot be reached; the turn is not stored"],
    ["full", "the store has no space left; the turn is not stored"],
    ["something", "the store failed; the turn is not stored"],
  ])("is a warning: %s", (reason, message) => {
    const lines: [LogFields, string][] = [];
    const warn = (fields: LogFields, line: string) => void lines.push([fields, line]);
    const log = { isLevelEnabled: () => true, debug: warn, info: warn, warn, error: warn };
    new TurnLog(log, { requestId: "request-1", backend: "chutes", redact: true }).storeFailed(reason);
    expect(lines).toEqual([[{ request_id: "request-1", backend: "chutes", reason }, message]]);
  });

  it("is counted", async () => {
    const metrics = createMetrics();
    new TurnMetrics(metrics, "chutes").storeFailed("broken");
    expect(await storeLines(metrics)).toContain('toolwire_store_failures_total{reason="broken"} 1');
  });
});
