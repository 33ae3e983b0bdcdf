import { performance } from "node:perf_hooks";
import { vi } from "vitest";
import { stretch } from "../../src/turn/pace.ts";

/**
 * How many times more CPU time the work takes at eight times the size. Linear work gives about 8, quadratic work 64. The best of
 * several runs counts, so that a busy machine decides nothing.
 */
export function timeGrowth(work: (size: number) => void, size: number): number {
  bestOf(work, size);
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 3 && least >= mostGrowth; run++) {
    least = Math.min(least, bestOf(work, 8 * size) / bestOf(work, size));
  }
  return least;
}

/** Between linear and quadratic. */
export const mostGrowth = 24;

function bestOf(work: (size: number) => void, size: number): number {
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 5; run++) {
    const started = process.cpuUsage();
    work(size);
    const { user, system } = process.cpuUsage(started);
    best = Math.min(best, user + system);
  }
  return best;
}

/**
 * How often the event loop gets a turn while the work is under way. A stretch passes between two looks at the clock, so that the speed of
 * the machine decides nothing.
 */
export async function turnsDuring(work: () => Promise<unknown> | undefined): Promise<number> {
  let turns = 0;
  let isOver = false;
  const count = () => {
    if (isOver) return;
    turns++;
    setImmediate(count);
  };
  let time = performance.now();
  const clock = vi.spyOn(performance, "now").mockImplementation(() => (time += stretch));
  setImmediate(count);
  try {
    await work();
  } finally {
    isOver = true;
    clock.mockRestore();
    // Work that began at a time of the replaced clock is forgotten in the next turn.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return turns;
}
