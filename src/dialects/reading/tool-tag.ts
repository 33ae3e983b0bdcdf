import type { Block } from "../core/block.ts";
import type { Reading } from "../dialect.ts";

const nameCharacter = /[\w.:-]/;
const longestName = 128;
/** How far to look ahead for a tag. */
const farthest = 192;

/** Reads a tag whose name is a tool's, after its `<`. Any other tag fails at once, without a report. */
export function* toolTag(block: Block): Reading<{ name: string; isEmpty: boolean }> {
  const name = yield* toolName(block);
  yield* block.space();
  const isEmpty = yield* block.maybe("/");
  yield* block.expect(">");
  return { name, isEmpty };
}

/** Reads the beginning of such a tag. */
export function* toolName(block: Block): Reading<string> {
  yield* block.space();
  const name = yield* block.run(nameCharacter, longestName);
  if (!block.tools.find(name)) block.fail("it is no tag of a tool");
  block.closers = [`</${name}>`];
  return name;
}

/** Reads a line that is the name of a tool, perhaps with a colon. Any other line fails at once, without a report. */
export function* toolLine(block: Block): Reading<string> {
  const word = block.opener + (yield* block.run(nameCharacter, longestName));
  const name = word.replace(/:$/, "");
  if (!block.tools.get(name)) block.fail("it is no name of a tool");
  yield* block.run(/[ \t\r]/);
  yield* block.expect("\n");
  block.closers = [`</${name}>`];
  return name;
}

export function* closingTag(block: Block, name: string): Reading {
  yield* block.expect("</");
  yield* block.space();
  yield* block.expect(name);
  yield* block.space();
  yield* block.expect(">");
}

/** Whether another call follows. The pattern captures its tool name. Consumes only whitespace. */
export function* seesCall(block: Block, shape: RegExp): Reading<boolean> {
  yield* block.space();
  return block.tools.find(yield* tagAhead(block, shape)) !== undefined;
}

/** The name of the next tag, which the pattern captures; "" if the pattern does not match. Consumes nothing. */
export function* tagAhead(block: Block, shape: RegExp): Reading<string> {
  if ((yield* block.peek()) !== 0x3c) return "";
  yield* block.need(farthest);
  const [, name = ""] = shape.exec(block.text.slice(block.at, block.at + farthest)) ?? [];
  return name;
}
