import { setTimeout as sleep } from "node:timers/promises";

/** Opened first and left open: what the first streams cost once (code, pools, heap pages) is not counted. */
const base = 300;

/**
 * What one more idle stream costs a process that is new: memory after a collection with `base` streams open, then with `count`
 * more. `heap` is what V8 and its buffers hold. `rss` is what the system gave, in pages that are not given back at once: a hint.
 */
export async function measureIdleStreams(middle, load, { url, body }, count) {
  const streams = await load.open(url, body, base);
  const before = await settled(middle);
  streams.push(...(await load.open(url, body, count)));
  const after = await settled(middle);
  for (const stream of streams) stream.on("error", () => {}).destroy();
  return {
    streams: count,
    heap: (after.heap - before.heap) / count,
    rss: (after.rss - before.rss) / count,
  };
}

/** Memory when what has been begun is done, after a collection. */
export async function settled(middle) {
  await sleep(300);
  return middle.ask("memory");
}
