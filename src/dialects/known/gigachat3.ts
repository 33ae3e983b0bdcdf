import type { Dialect } from "../dialect.ts";
import { jsonCall } from "../reading/json-call.ts";
import { maybeClose, writeJsonCall } from "../reading/json-list.ts";

const nextMessage = "<|message_sep|>";
const header = "function call<|role_sep|>";

/**
 * `<|function_call|>{"name": …, "arguments": {…}}`; formerly `<|message_sep|>\n\nfunction call<|role_sep|>\n{…}`. There is no
 * closer.
 */
export const gigachat3: Dialect = {
  name: "gigachat3",
  models: "GigaChat 3 and 3.1",
  openers: ["<|function_call|>", header, `${nextMessage}\n\n${header}`],
  closers: ["</s>"],
  hidden: [nextMessage],
  *read(block) {
    yield* block.space();
    yield* jsonCall(block, { needsArguments: true });
    block.accept();
    yield* maybeClose(block);
  },
  write: (calls) => calls.map((call) => `<|function_call|>${writeJsonCall(call)}`).join(""),
};
