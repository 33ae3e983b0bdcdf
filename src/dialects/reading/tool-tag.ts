import type { Block } from "../core/block.ts";
import type { Reading } from "../dialect.ts";

const nameCharacter = /[\w.:-]/;
const longestName = 128;
/** How far is looked for the next call behind one. */
const farthest = 192;

/** A tag whose name is a tool's, from behind its `<`. Any other tag fails at once, and without a report. */
export function* toolTag(block: Block): Reading<{ name: string; isEmpty: boolean }> {
  yield* block.space();
  const name = yield* block.run(nameCharacter, longestName);
  if (!block.tools.find(name)) block.fail("it is no tag of a tool");
  yield* block.space();
  const isEmpty = yield* block.maybe("/");
  yield* block.expect(">");
  block.closers = [`</${name}>`];
  return { name, isEmpty };
}

/** A closing tag, from behind its `</`. */
export function* closingTag(block: Block, name: string): Reading {
  yield* block.space();
  yield* block.expect(name);
  yield* block.space();
  yield* block.expect(">");
}

/** Whether another call follows, which looks like this: its name is what the pattern captures. Nothing is taken but white space. */
export function* seesCall(block: Block, shape: RegExp): Reading<boolean> {
  yield* block.space();
  if ((yield* block.peek()) !== 0x3c) return false;
  yield* block.need(farthest);
  const [, name] = shape.exec(block.text.slice(block.at, block.at + farthest)) ?? [];
  return name !== undefined && block.tools.find(name) !== undefined;
}
