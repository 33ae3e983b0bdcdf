import type { Block } from "../core/block.ts";
import type { Dialect, Reading } from "../dialect.ts";
import { jsonArguments } from "../reading/json-call.ts";
import { section } from "../reading/section.ts";
import { deepseekHidden, deepseekMarks } from "./deepseek-v31.ts";

const { open, close, begin, end, separator } = deepseekMarks;
const kind = `function${separator}`;
const fence = "```";

/** As DeepSeek V3.1, but each call is ``function<｜tool▁sep｜>NAME\n```json\n{…}\n``` ``. */
export const deepseekV3Json: Dialect = {
  name: "deepseek-v3-json",
  models: "DeepSeek V3 and R1, Cogito",
  openers: [...open, begin],
  closers: [end, ...close],
  hidden: deepseekHidden,
  *read(block) {
    yield* section(block, deepseekMarks, fencedCall);
  },
  write: (calls) => {
    const written = calls.map(
      ({ name, arguments: text }) => `${begin}${kind}${name}\n${fence}json\n${text}\n${fence}${end}`,
    );
    return `${open}${written.join("\n")}${close}`;
  },
};

function* fencedCall(block: Block): Reading {
  yield* block.expect(kind);
  block.begin(yield* block.run(/[^\s`{<]/));
  yield* block.space();
  if (yield* block.maybe(fence)) yield* block.maybe("json");
  yield* block.space();
  yield* jsonArguments(block);
  block.end();
  yield* block.space();
  yield* block.maybe(fence);
}
