import type { Dialect } from "../dialect.ts";
import { jsonCalls } from "../reading/json-call.ts";

const list = "functools[";
const open = "<|tool_call|>";
const close = "<|/tool_call|>";

/** `functools[{"name": …, "arguments": {…}}]`, or the same list between `<|tool_call|>` and `<|/tool_call|>`. */
export const phi4: Dialect = {
  name: "phi4",
  models: "Phi-4-mini",
  openers: [list, open],
  closers: [close],
  hidden: [close],
  *read(block) {
    if (block.opener === list) block.at--;
    else yield* block.space();
    yield* jsonCalls(block);
    if (block.opener === open) {
      yield* block.space();
      yield* block.maybe(close);
    }
    block.accept();
  },
  write: (calls) => {
    const items = calls.map(({ name, arguments: text }) => `{"name": ${JSON.stringify(name)}, "arguments": ${text}}`);
    return `${list}${items.join(", ")}]`;
  },
};
