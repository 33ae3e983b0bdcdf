import type { Reading } from "../dialect.ts";
import type { Block } from "./block.ts";
import { isText } from "./characters.ts";
import type { Meaning } from "./openers.ts";

/** Tries the dialects that share the block's opener, in order, until one can read it. */
export function* tryEach(block: Block, meanings: readonly Meaning[]): Reading {
  const start = block.unspentLength;
  for (const [index, meaning] of meanings.entries()) {
    if (meaning.kind !== "call") continue;
    block.turnTo(meaning.dialect, meaning.opener);
    try {
      yield* meaning.dialect.read(block);
      return;
    } catch (thrown) {
      const isLast = index === meanings.length - 1;
      if (thrown !== isText || isLast || block.isGiven || block.accepted) throw thrown;
      block.rewind(start);
    }
  }
}
