import { chatStream } from "./chat-answers.mjs";
import { responsesStream } from "./responses-answers.mjs";
import { readModelName } from "./script.mjs";

const streams = { chat: chatStream, responses: responsesStream };

/**
 * The writes of a stream. What begins an answer goes out with its first deltas, and what ends it in one write, so that every
 * write has something in it that a translator sends on at once. A held stream stops after its first delta.
 */
export function planStream(api, model) {
  const script = readModelName(model);
  const { opening, deltas, ending } = streams[api](script);
  const groups = [];
  for (let at = 0; at < deltas.length; at += script.perWrite) groups.push(deltas.slice(at, at + script.perWrite));
  groups[0].unshift(...opening);
  if (script.kind === "hold") groups.length = 1;
  else groups.push(ending);
  return {
    writes: groups.map((group) => Buffer.from(group.join(""))),
    events: groups.reduce((sum, group) => sum + group.length, 0),
    held: script.kind === "hold",
  };
}
