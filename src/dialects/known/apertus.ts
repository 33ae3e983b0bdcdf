import type { Block } from "../core/block.ts";
import type { Dialect, Reading } from "../dialect.ts";
import { closeBlock } from "../reading/close.ts";
import { jsonArguments, jsonString } from "../reading/json-call.ts";

const open = "<|tools_prefix|>";
const close = "<|tools_suffix|>";

/** `<|tools_prefix|>[{"NAME": {…}}]<|tools_suffix|>` */
export const apertus: Dialect = {
  name: "apertus",
  models: "Apertus",
  openers: [open],
  closers: [close],
  reasoning: [{ open: "<|inner_prefix|>", close: ["<|inner_suffix|>"] }],
  *read(block) {
    yield* block.space();
    yield* block.expect("[");
    do {
      yield* block.space();
      yield* callByKey(block);
      block.accept();
      yield* block.space();
    } while (yield* block.maybe(","));
    yield* bracket(block, "]");
    yield* closeBlock(block);
  },
  write: (calls) => {
    const written = calls.map(({ name, arguments: text }) => `{${JSON.stringify(name)}: ${text}}`);
    return `${open}[${written.join(", ")}]${close}`;
  },
};

/** An object whose only key is the name of the tool. */
function* callByKey(block: Block): Reading {
  yield* block.expect("{");
  yield* block.space();
  block.begin(yield* jsonString(block));
  yield* block.space();
  yield* block.expect(":");
  yield* block.space();
  yield* jsonArguments(block);
  yield* block.space();
  yield* bracket(block, "}");
  block.end();
}

/** Reads a bracket, which may be missing if the block's closer follows or the message ends. */
function* bracket(block: Block, mark: string): Reading {
  if (yield* block.maybe(mark)) return;
  const endsHere = (yield* block.peek()) === -1 || (yield* block.sees(...block.dialect.closers));
  if (!endsHere || !block.mends) block.fail(`"${mark}" is missing`);
  block.repaired("missing_close");
}
