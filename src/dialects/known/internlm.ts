import type { Dialect } from "../dialect.ts";
import { closeBlock } from "../reading/close.ts";
import { jsonList, writeJsonCall } from "../reading/json-list.ts";

const open = "<|action_start|>";
const plugin = "<|plugin|>";
const close = "<|action_end|>";

/** `<|action_start|><|plugin|>{"name": …, "parameters": {…}}<|action_end|>` */
export const internlm: Dialect = {
  name: "internlm",
  models: "InternLM 2 and 2.5",
  openers: [open],
  closers: [close],
  *read(block) {
    yield* block.space();
    yield* block.expect(plugin);
    yield* jsonList(block);
    yield* closeBlock(block);
  },
  write: (calls) =>
    calls
      .map((call) => `${open}${plugin}\n${writeJsonCall(call, { name: "name", arguments: "parameters" })}\n${close}`)
      .join("\n"),
};
