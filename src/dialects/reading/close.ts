import type { Block } from "../core/block.ts";
import type { Reading } from "../dialect.ts";

/**
 * Reads the closer of a block whose calls are complete. Surplus brackets before it are skipped. If it is missing, the end of the
 * message or the next block must follow.
 */
export function* closeBlock(block: Block): Reading {
  yield* block.space();
  while (!block.isStrict && (yield* block.sees("}", "]"))) {
    block.repaired("extra_close");
    block.at++;
    yield* block.space();
  }
  // Some models close reasoning that they did not open.
  if (yield* block.maybe("</think>")) {
    block.repaired("stray_text");
    yield* block.space();
  }
  if (!(yield* block.closer())) {
    const isOver = (yield* block.peek()) === -1 || (yield* block.sees(...block.dialect.openers));
    if (!isOver || block.isStrict) block.fail("the block is not closed");
    block.repaired("missing_close");
  }
  block.accept();
}
