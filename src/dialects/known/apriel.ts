import type { Dialect } from "../dialect.ts";
import { closeBlock } from "../reading/close.ts";
import { jsonList, writeJsonList } from "../reading/json-list.ts";

const open = "<tool_calls>";
const close = "</tool_calls>";

/** `<tool_calls>[{"name": …, "arguments": {…}}]</tool_calls>` */
export const apriel: Dialect = {
  name: "apriel",
  models: "Apriel",
  openers: [open],
  closers: [close],
  hidden: ["[BEGIN FINAL RESPONSE]", "[END FINAL RESPONSE]"],
  *read(block) {
    yield* jsonList(block);
    yield* closeBlock(block);
  },
  write: (calls) => `${open}${writeJsonList(calls)}${close}`,
};
