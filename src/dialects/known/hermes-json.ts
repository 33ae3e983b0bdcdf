import type { Dialect } from "../dialect.ts";
import { closeBlock } from "../reading/close.ts";
import { jsonCall } from "../reading/json-call.ts";
import { closedList } from "../reading/json-list.ts";

const tags = [
  { open: "<tool_call>", close: "</tool_call>" },
  { open: "<longcat_tool_call>", close: "</longcat_tool_call>" },
];

/** `<tool_call>{"name": …, "arguments": …}</tool_call>`; the arguments are an object, or a string that holds one. */
export const hermesJson: Dialect = {
  name: "hermes-json",
  models: "Hermes 2 and 3, Qwen 2.5 and 3, QwQ, Granite 4, MiMo-VL, SmolLM3, Reka, Cogito, LongCat",
  openers: tags.map(({ open }) => open),
  closers: tags.map(({ close }) => close),
  hidden: ["<|im_end|>"],
  *read(block) {
    yield* block.space();
    if (yield* block.sees("[")) {
      yield* closedList(block);
      return;
    }
    yield* jsonCall(block, { mayBeEncoded: true });
    yield* closeBlock(block);
  },
  write: (calls) =>
    calls
      .map(
        ({ name, arguments: text }) =>
          `<tool_call>\n{"name": ${JSON.stringify(name)}, "arguments": ${text}}\n</tool_call>`,
      )
      .join("\n"),
};
