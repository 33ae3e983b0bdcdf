/** How long the end of a turn waits for work that must finish before it, in milliseconds. A seam may set another limit. */
const defaultLimit = 2_000;

/** Waits for all of the work. Rejects with the first failure, or with `TooLate` when the limit is reached. */
export async function waitBeforeEnd(work: readonly Promise<void>[], limit = defaultLimit): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new TooLate(limit)), limit);
  });
  try {
    const outcomes = await Promise.race([Promise.allSettled(work), late]);
    for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
  } finally {
    clearTimeout(timer);
  }
}

class TooLate extends Error {
  constructor(limit: number) {
    super(`what must happen before the end of a turn took longer than ${limit} ms`);
    this.name = "TooLate";
  }
}
