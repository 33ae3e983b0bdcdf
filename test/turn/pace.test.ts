import { performance } from "node:perf_hooks";
import { describe, expect, it } from "vitest";
import { finished, paced, type Steps } from "../../src/turn/index.ts";

/** Steps that take a millisecond each, or longer on a busy machine. */
function* busy(steps: number): Steps<string> {
  for (let step = 0; step < steps; step++) {
    const end = performance.now() + 1;
    while (performance.now() < end);
    yield;
  }
  return "done";
}

function* broken(): Steps<string> {
  yield* busy(30);
  throw new Error("broken");
}

/** How often the event loop comes round while the work is done. */
async function turnsDuring(work: () => unknown): Promise<number> {
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await work();
  isOver = true;
  return turns;
}

describe("long work", () => {
  it("gives the event loop back again and again", async () => {
    expect(await turnsDuring(() => paced(busy(200)))).toBeGreaterThan(5);
    expect(await paced(busy(30))).toBe("done");
  });

  it("gives it back no less often if several pieces of work are under way", async () => {
    const together = () => Promise.all(Array.from({ length: 10 }, () => paced(busy(20))));
    expect(await turnsDuring(together)).toBeGreaterThan(5);
  });

  it("that fails rejects", async () => {
    await expect(async () => paced(broken())).rejects.toThrow("broken");
  });
});

describe("short work", () => {
  it("is done at once", () => {
    expect(paced(busy(0))).toBe("done");
    expect(finished(busy(15))).toBe("done");
  });
});
