import type { Reading } from "../dialect.ts";
import type { Block } from "./block.ts";
import { isText } from "./characters.ts";
import type { Meaning } from "./openers.ts";

/** Tries the dialects that share the block's opener, in order, until one can read it. */
export function* tryEach(block: Block, meanings: readonly Meaning[]): Reading {
  const start = block.unspentLength;
  const last = meanings.at(-1);
  for (const meaning of meanings) {
    if (meaning.kind !== "call") continue;
    block.turnTo(meaning.dialect, meaning.opener);
    try {
      yield* meaning.dialect.read(block);
      return;
    } catch (thrown) {
      const isLast = meaning === last || block.isGiven || block.accepted;
      if (thrown !== isText || isLast || !block.mayRewind(start)) throw thrown;
      block.rewind(start);
    }
  }
}
