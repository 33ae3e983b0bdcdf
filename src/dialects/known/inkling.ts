import type { Dialect } from "../dialect.ts";
import { closeBlock } from "../reading/close.ts";
import { jsonCall } from "../reading/json-call.ts";
import { writeJsonCall } from "../reading/json-list.ts";

const header = "<|message_model|>";
const invoke = "<|content_invoke_tool_json|>";
const close = "<|end_message|>";

/** `<|message_model|>NAME<|content_invoke_tool_json|>{"name": …, "args": {…}}<|end_message|>`; what is before the JSON may be missing. */
export const inkling: Dialect = {
  name: "inkling",
  models: "Inkling",
  openers: [header, invoke],
  closers: [close],
  hidden: ["<|content_text|>", close],
  *read(block) {
    if (block.opener === header) {
      const recipient = yield* block.run(/[^<]/, 128);
      if (!(yield* block.maybe(invoke))) {
        if (recipient !== "") block.fail("no call follows");
        block.hide();
        return;
      }
    }
    yield* block.space();
    yield* jsonCall(block);
    yield* closeBlock(block);
  },
  write: (calls) =>
    calls
      .map(
        (call) => `${header}${call.name}${invoke}${writeJsonCall(call, { name: "name", arguments: "args" })}${close}`,
      )
      .join(""),
};
