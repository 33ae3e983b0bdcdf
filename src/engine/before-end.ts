/** How long the end of a turn waits for work that must finish before it, in milliseconds. A seam may set another limit. */
const defaultLimit = 2_000;

/** Resolves once all work is done; rejects with the first failure, or with `TooLate` when the limit is reached. */
export async function waitBeforeEnd(work: readonly Promise<void>[], limit = defaultLimit): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new TooLate(limit)), limit);
  });
  try {
    await Promise.race([Promise.all(work), late]);
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
