import { chatStream } from "./chat-answers.mjs";
import { responsesStream } from "./responses-answers.mjs";
import { readModelName } from "./script.mjs";

const streams = { chat: chatStream, responses: responsesStream };

/**
 * The writes of a stream. What begins an answer goes out with its first deltas, and what ends it in one write, so that every
 * write has something in it that a translator sends on at once. A held stream stops after its first delta: the provider waits before
 * the write `heldBefore` until it is told to go on.
 */
export function planStream(api, model) {
  const script = readModelName(model);
  const { opening, deltas, ending } = streams[api](script);
  const groups = [];
  for (let at = 0; at < deltas.length; at += script.perWrite) groups.push(deltas.slice(at, at + script.perWrite));
  groups[0].unshift(...opening);
  groups.push(ending);
  return {
    writes: groups.map((group) => Buffer.from(group.join(""))),
    events: groups.reduce((sum, group) => sum + group.length, 0),
    heldBefore: script.kind === "hold" ? 1 : undefined,
  };
}
