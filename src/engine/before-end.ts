import { inTime, TurnError } from "../turn/index.ts";

/** How long the end of a turn waits for work that must finish before it, in milliseconds. A seam may set another limit. */
const defaultLimit = 2_000;

/**
 * Waits for all of the work. Rejects at once with a `TurnError`, which fails the turn; otherwise with the first failure when all is
 * done, or with `TooLate` when the limit is reached.
 */
export async function waitBeforeEnd(work: readonly Promise<void>[], limit = defaultLimit): Promise<void> {
  const outcomes = await inTime(settled(work), limit, () => new TooLate(limit));
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
}

async function settled(work: readonly Promise<void>[]): Promise<PromiseSettledResult<void>[]> {
  await Promise.all(work.map((each) => each.catch(throwTurnError)));
  return await Promise.allSettled(work);
}

function throwTurnError(reason: unknown): void {
  if (reason instanceof TurnError) throw reason;
}

class TooLate extends Error {
  constructor(limit: number) {
    super(`what must happen before the end of a turn took longer than ${limit} ms`);
    this.name = "TooLate";
  }
}
