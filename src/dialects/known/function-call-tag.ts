import type { Dialect } from "../dialect.ts";
import { jsonList, maybeClose, writeJsonCall } from "../reading/json-list.ts";

/** `<function_call>{"name": …, "arguments": {…}}</function_call>`; the closing tag is often missing. */
export const functionCallTag: Dialect = {
  name: "function_call-tag",
  models: "Granite 20B function calling, and models that are prompted so",
  openers: ["<function_call>"],
  closers: ["</function_call>"],
  *read(block) {
    yield* jsonList(block);
    yield* maybeClose(block);
  },
  write: (calls) => calls.map((call) => `<function_call>${writeJsonCall(call)}</function_call>`).join("\n"),
};
