import { setTimeout as sleep } from "node:timers/promises";
import { checkCalls } from "./check-calls.mjs";
import { settled } from "./memory.mjs";

/** Streams of many calls are much work: all at once would only wait for each other. */
const concurrency = 16;

/** The timers of an HTTP client hold what has ended until they look at it again, about once a second. */
const letGo = 1_000;

/**
 * What one more call costs a process that is new, in bytes of heap and buffers after a collection.
 *
 * `held` is while the provider holds the streams: the slope between streams of few calls and as many streams of many. `kept` is when
 * they have ended: all that has grown since the warm-up, by all calls since then. The warm-up is streams of many calls too: in them
 * code is compiled and pools are filled.
 */
export async function measureCalls(middle, load, requestFor, { streams, few, many, mark }) {
  const run = async (calls, count, whileHeld) => {
    const { api, url, body } = requestFor(calls);
    const held = await load.hold(url, body, { count, concurrency, mark });
    const during = await whileHeld?.();
    for (const answer of await held.end()) checkCalls(answer, api, calls);
    return during;
  };
  const pass = async (calls) => {
    const during = await run(calls, streams, () => settled(middle));
    // Something always holds on to the streams that came last, so the last ones are small.
    await run(1, concurrency);
    await sleep(letGo);
    return { during: during.heap, after: (await settled(middle)).heap, ended: streams * calls + concurrency };
  };
  const warm = await pass(many);
  const low = await pass(few);
  const high = await pass(many);
  const more = streams * (many - few);
  const kept = (high.after - warm.after) / (low.ended + high.ended);
  // The streams of few calls have ended by then, but something of their calls is kept.
  return { calls: more, held: (high.during - low.during - low.ended * kept) / more, kept };
}
