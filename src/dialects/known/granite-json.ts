import type { Dialect } from "../dialect.ts";
import { closedList, jsonList, maybeClose, writeJsonList } from "../reading/json-list.ts";

/** `<|tool_call|>[{"name": …, "arguments": {…}}]`, without a closer; also `<tool_call>[…]` and formerly `<function_call>{…}`. */
export const graniteJson: Dialect = {
  name: "granite-json",
  models: "Granite 3, Granite 20B function calling, Phi-4 mini",
  openers: ["<|tool_call|>", "<tool_call>", "<function_call>"],
  closers: ["<|/tool_call|>", "</tool_call>", "</function_call>"],
  *read(block) {
    if (block.opener !== "<tool_call>") {
      yield* jsonList(block);
      yield* maybeClose(block);
      return;
    }
    // Other dialects share this marker, so only a complete list counts.
    yield* block.space();
    if (!(yield* block.sees("["))) block.fail("there is no list");
    yield* closedList(block);
  },
  write: (calls) => `<|tool_call|>${writeJsonList(calls)}`,
};
