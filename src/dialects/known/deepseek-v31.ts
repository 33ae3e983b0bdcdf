import type { Block } from "../core/block.ts";
import type { Dialect, Reading } from "../dialect.ts";
import { jsonArguments } from "../reading/json-call.ts";
import { section } from "../reading/section.ts";

export const deepseekMarks = {
  open: ["<｜tool▁calls▁begin｜>"],
  close: ["<｜tool▁calls▁end｜>"],
  begin: "<｜tool▁call▁begin｜>",
  end: "<｜tool▁call▁end｜>",
  separator: "<｜tool▁sep｜>",
};

/** Markers around a tool's output, which some models write too, and at the end of a message. */
export const deepseekHidden = ["<｜tool▁output▁begin｜>", "<｜tool▁output▁end｜>", "<｜end▁of▁sentence｜>"];

const { open, close, begin, end, separator } = deepseekMarks;

/** `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>NAME<｜tool▁sep｜>{…}<｜tool▁call▁end｜>…<｜tool▁calls▁end｜>` */
export const deepseekV31: Dialect = {
  name: "deepseek-v31",
  models: "DeepSeek V3.1",
  openers: [...open, begin],
  closers: [end, ...close],
  hidden: deepseekHidden,
  *read(block) {
    yield* section(block, deepseekMarks, namedCall);
  },
  write: (calls) => {
    const written = calls.map(({ name, arguments: text }) => `${begin}${name}${separator}${text}${end}`);
    return `${open}${written.join("")}${close}`;
  },
};

function* namedCall(block: Block): Reading {
  const name = yield* block.run(/[^\s<]/);
  yield* block.expect(separator);
  block.begin(name);
  yield* block.space();
  yield* jsonArguments(block);
  block.end();
}
