import { describe, expect, it, vi } from "vitest";
import { Cancellation, TurnError } from "../../src/turn/index.ts";

const gone = new TurnError("client_closed", "gone");

describe("a cancellation", () => {
  it("tells everybody who listens, once, and only the first reason", () => {
    const cancellation = new Cancellation();
    const [one, other, left] = [vi.fn(), vi.fn(), vi.fn()];
    for (const listener of [one, other, left]) cancellation.onCancel(listener);
    cancellation.offCancel(left);
    cancellation.cancel(gone);
    cancellation.cancel(new TurnError("shutting_down", "later"));
    expect([one, other, left].map(({ mock }) => mock.calls.length)).toEqual([1, 1, 0]);
    expect(cancellation.reason).toBe(gone);
  });

  it("lets a listener leave or cancellation again while it tells", () => {
    const cancellation = new Cancellation();
    const other = vi.fn();
    cancellation.onCancel(() => {
      cancellation.offCancel(other);
      cancellation.cancel(gone);
    });
    cancellation.onCancel(other);
    cancellation.cancel(gone);
    expect(other).not.toHaveBeenCalled();
  });

  it("ends a pause at once, and leaves no timer behind", async () => {
    vi.useFakeTimers();
    const cancellation = new Cancellation();
    const pause = cancellation.pause(60_000);
    expect(vi.getTimerCount()).toBe(1);
    cancellation.cancel(gone);
    await pause;
    await cancellation.pause(60_000);
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });
});
