import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type Counted, createRateLimits, type RateLimits } from "../../src/guard/index.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const alice = { name: "alice" };
const bob = { name: "bob" };

async function countTimes(limits: RateLimits, key: Counted | null, times: number): Promise<boolean[]> {
  const allowed: boolean[] = [];
  for (let time = 0; time < times; time += 1) allowed.push((await limits.count(key))?.allowed ?? true);
  return allowed;
}

describe("a rate", () => {
  test("lets as many requests through as it says, and no more until the window is over", async () => {
    const limits = createRateLimits({ requests: 3, per: 60_000 });
    expect(await countTimes(limits, alice, 5)).toEqual([true, true, true, false, false]);
    vi.advanceTimersByTime(59_999);
    expect(await countTimes(limits, alice, 1)).toEqual([false]);
    vi.advanceTimersByTime(1);
    expect(await countTimes(limits, alice, 4)).toEqual([true, true, true, false]);
  });

  test("tells what is left, and when the window is over", async () => {
    const limits = createRateLimits({ requests: 2, per: 10_000 });
    expect(await limits.count(alice)).toMatchObject({ allowed: true, remaining: 1, reset: 10_000 });
    vi.advanceTimersByTime(4_000);
    expect(await limits.count(alice)).toMatchObject({ allowed: true, remaining: 0, reset: 6_000 });
    vi.advanceTimersByTime(1_000);
    expect(await limits.count(alice)).toMatchObject({
      allowed: false,
      remaining: 0,
      reset: 5_000,
      rate: { requests: 2, per: 10_000 },
    });
  });

  test.each([1, 250, 500, 1_500, 86_400_000, 24 * 86_400_000])(
    "may have a window of %i milliseconds, to the millisecond",
    async (per) => {
      const limits = createRateLimits({ requests: 1, per });
      expect(await countTimes(limits, alice, 2)).toEqual([true, false]);
      vi.advanceTimersByTime(per - 1);
      expect(await countTimes(limits, alice, 1)).toEqual([false]);
      vi.advanceTimersByTime(1);
      expect(await countTimes(limits, alice, 2)).toEqual([true, false]);
    },
  );

  test("counts each key by itself, and everybody as one where there are no keys", async () => {
    const limits = createRateLimits({ requests: 1, per: 1_000 });
    expect(await countTimes(limits, alice, 2)).toEqual([true, false]);
    expect(await countTimes(limits, bob, 2)).toEqual([true, false]);
    expect(await countTimes(limits, null, 2)).toEqual([true, false]);
  });

  test("of a key's own wins over the usual one; null is no limit", async () => {
    const limits = createRateLimits({ requests: 1, per: 1_000 });
    const own = { ...alice, rate: { requests: 2, per: 1_000 } };
    expect(await countTimes(limits, own, 3)).toEqual([true, true, false]);
    expect(limits.count({ ...bob, rate: null })).toBeNull();
  });

  test("that is not set limits nobody, but those who have one of their own", async () => {
    const limits = createRateLimits(null);
    expect(limits.count(alice)).toBeNull();
    expect(limits.count(null)).toBeNull();
    expect(await limits.count({ ...bob, rate: { requests: 1, per: 1_000 } })).toMatchObject({ allowed: true });
  });

  test("never lets more through in a window than it says, whoever asks when", async () => {
    const asks = fc.array(fc.record({ who: fc.constantFrom("a", "b"), after: fc.nat({ max: 40 }) }), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 100 }),
        asks,
        async (requests, per, all) => {
          const limits = createRateLimits({ requests, per });
          const windows = new Map<string, { until: number; used: number }>();
          for (const { who, after } of all) {
            vi.advanceTimersByTime(after);
            const window = windows.get(who);
            const current = window && Date.now() < window.until ? window : { until: Date.now() + per, used: 0 };
            current.used += 1;
            windows.set(who, current);
            expect(await limits.count({ name: who })).toEqual({
              rate: { requests, per },
              allowed: current.used <= requests,
              remaining: Math.max(0, requests - current.used),
              reset: current.until - Date.now(),
            });
          }
        },
      ),
      { numRuns: 100 },
    );
  });
});
