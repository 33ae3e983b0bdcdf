import { describe, expect, it, vi } from "vitest";
import { Stop, TurnError } from "../../src/turn/index.ts";

const gone = new TurnError("client_closed", "gone");

describe("a stop", () => {
  it("tells everybody who listens, once, and only the first reason", () => {
    const stop = new Stop();
    const [one, other, left] = [vi.fn(), vi.fn(), vi.fn()];
    for (const listener of [one, other, left]) stop.onStop(listener);
    stop.offStop(left);
    stop.now(gone);
    stop.now(new TurnError("shutting_down", "later"));
    expect([one, other, left].map(({ mock }) => mock.calls.length)).toEqual([1, 1, 0]);
    expect(stop.reason).toBe(gone);
  });

  it("lets a listener leave or stop again while it tells", () => {
    const stop = new Stop();
    const other = vi.fn();
    stop.onStop(() => {
      stop.offStop(other);
      stop.now(gone);
    });
    stop.onStop(other);
    stop.now(gone);
    expect(other).not.toHaveBeenCalled();
  });

  it("ends a pause at once, and leaves no timer behind", async () => {
    vi.useFakeTimers();
    const stop = new Stop();
    const pause = stop.pause(60_000);
    expect(vi.getTimerCount()).toBe(1);
    stop.now(gone);
    await pause;
    await stop.pause(60_000);
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });
});
