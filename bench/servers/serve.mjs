import { setTimeout as sleep } from "node:timers/promises";

/**
 * The child's end: starts a server, tells the parent what `start` gives (its `url`), and answers what the parent asks about this process,
 * or asks it to do (`more`). It ends with its parent, whatever happens to that.
 */
export async function serve(start, more = {}) {
  process.on("disconnect", () => process.exit(0));
  process.on("message", async ({ id, ask, argument }) => {
    const answer = await { ...answers, ...more }[ask](argument);
    process.send({ id, answer: answer ?? null });
  });
  process.send({ started: await start() });
}

const answers = {
  cpu() {
    const { user, system } = process.cpuUsage();
    return { user, system };
  },
  /** After several collections: what the first finalises is freed by the next, and pages are given back after that. */
  async memory() {
    for (let times = 0; times < 5; times++) {
      globalThis.gc();
      await sleep(50);
    }
    const { rss, heapUsed, external } = process.memoryUsage();
    return { rss, heap: heapUsed + external };
  },
};

/** Listens on a free port of the loopback interface. */
export function listen(server) {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => resolve(`http://127.0.0.1:${server.address().port}`));
  });
}
