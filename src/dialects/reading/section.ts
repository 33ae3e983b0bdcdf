import type { Block } from "../core/block.ts";
import type { Reading } from "../dialect.ts";

/** The markers of a section of calls. */
export interface SectionMarks {
  /** Around all calls. */
  open: readonly string[];
  close: readonly string[];
  /** Around each call. */
  begin: string;
  end: string;
}

/**
 * Reads a section of calls that have markers of their own; the markers around the section may be missing. A call is emitted as
 * soon as it is complete, so that an unreadable one does not affect the others.
 */
export function* section(block: Block, marks: SectionMarks, readCall: (block: Block) => Reading): Reading {
  const { offset } = block;
  const isOpened = block.opener !== marks.begin;
  if (isOpened) {
    yield* block.space();
    yield* block.expect(marks.begin);
  }
  for (let isFirst = true; ; isFirst = false) {
    yield* readCall(block);
    if (isFirst && !isOpened) block.repaired("missing_open", offset);
    yield* endOfCall(block, marks);
    block.accept();
    yield* block.space();
    if (!(yield* block.maybe(marks.begin))) break;
  }
  if ((yield* block.oneOf(marks.close)) !== "") block.accept();
  else if (isOpened) block.repaired("missing_close");
}

function* endOfCall(block: Block, marks: SectionMarks): Reading {
  yield* block.space();
  if (yield* block.maybe(marks.end)) return;
  const isOver = (yield* block.peek()) === -1 || (yield* block.sees(marks.begin, ...marks.close));
  if (!isOver) block.fail("the call is not closed");
  block.repaired("missing_close");
}
