import { describe, expect, it } from "vitest";
import { giveLoopBack, inLaterTurn, stretch } from "../../src/turn/index.ts";

const busy = (milliseconds: number) => {
  for (const until = performance.now() + milliseconds; performance.now() < until; );
};

/** How many turns the event loop makes until the promise is settled. */
async function turnsUntil(promise: Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await promise;
  isOver = true;
  return turns;
}

describe("work for a later turn of the event loop", () => {
  it("is not begun at once, and keeps its order", async () => {
    const done: number[] = [];
    for (const number of [1, 2, 3]) inLaterTurn(() => void done.push(number));
    expect(done).toEqual([]);
    await giveLoopBack();
    expect(done).toEqual([1, 2, 3]);
  });

  it("of many streams holds up the others no longer than that of one", async () => {
    const all = Array.from(
      { length: 8 },
      () => new Promise<void>((resolve) => inLaterTurn(() => resolve(busy(stretch)))),
    );
    expect(await turnsUntil(Promise.all(all))).toBeGreaterThanOrEqual(7);
  });

  it("that adds more work does not keep the event loop", async () => {
    let left = 20;
    const work = (resolve: () => void) => {
      if (--left === 0) resolve();
      else inLaterTurn(() => work(resolve));
    };
    expect(await turnsUntil(new Promise<void>((resolve) => inLaterTurn(() => work(resolve))))).toBeGreaterThanOrEqual(
      18,
    );
  });
});
