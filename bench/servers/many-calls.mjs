import { createHash } from "node:crypto";
import { chatDelta, chatEnding } from "./chat-answers.mjs";
import { toolName } from "./script.mjs";

/** The last that a client hears before the provider holds the stream. */
export const marks = { open: "Here the first call goes on", finished: "Here all calls are done." };

/** What has come of the arguments of a call when the provider holds the stream: the beginning, or everything. */
export function argumentsAtHold(kind, index) {
  const pieces = piecesOf(index);
  return (kind === "open" ? pieces.slice(0, begun) : pieces).join("");
}

export function argumentsOf(index) {
  return piecesOf(index).join("");
}

/** How many pieces an open call has had. */
const begun = 2;

/** Cut as models cut them. No two calls of a stream have the same. */
function piecesOf(index) {
  const path = `notes/entry-${String(index).padStart(4, "0")}.md`;
  return ['{"path":"', path, '","con', 'tent":"', marks.open, " and", " so do the", " others", '"}'];
}

/**
 * A chat stream of many calls, held before its last write.
 *
 * open: the calls are mixed, as some providers send them: each has begun and none is whole. A gateway gives them one after the
 * other, so all but the first wait in it. That one goes on when all have begun, which is how the client knows that they have.
 *
 * finished: one whole call after the other. A chat provider does not say that a call is done, but a text behind the last call does.
 *
 * What the client waits for is a small write of its own: what a gateway may keep of its last read is the same for few and many calls.
 */
export function planManyCalls({ kind, pieces: count }, stream) {
  const calls = Array.from({ length: count }, (_, index) => new Call(stream, index));
  const { said, mark, rest } = kinds[kind](calls);
  const opening = chatDelta({ role: "assistant", content: null, refusal: null });
  const writes = [[opening, ...said], [mark], [...rest, ...chatEnding("tool_calls")]];
  return {
    writes: writes.map((events) => Buffer.from(events.join(""))),
    heldBefore: 2,
    // What an idle connection costs must not be in what is kept after the end.
    closes: true,
  };
}

const kinds = {
  open(calls) {
    const [first, ...others] = calls;
    return {
      said: calls.flatMap((call) => [call.start(), ...call.deltas(0, begun)]),
      mark: first.deltas(begun, piecesOf(0).indexOf(marks.open) + 1).join(""),
      rest: [...first.deltas(piecesOf(0).indexOf(marks.open) + 1), ...others.flatMap((call) => call.deltas(begun))],
    };
  },
  finished(calls) {
    return {
      said: calls.flatMap((call) => [call.start(), ...call.deltas(0)]),
      mark: chatDelta({ content: marks.finished }),
      rest: [],
    };
  },
};

class Call {
  #index;
  #id;

  constructor(stream, index) {
    this.#index = index;
    this.#id = `call_${createHash("sha256").update(`${stream} ${index}`).digest("hex").slice(0, 24)}`;
  }

  start() {
    const fields = { id: this.#id, type: "function", function: { name: toolName, arguments: "" } };
    return chatDelta({ tool_calls: [{ index: this.#index, ...fields }] });
  }

  deltas(from, to) {
    const entry = (piece) => ({ index: this.#index, function: { arguments: piece } });
    return piecesOf(this.#index)
      .slice(from, to)
      .map((piece) => chatDelta({ tool_calls: [entry(piece)] }));
  }
}
