import type { Dialect, WrittenCall } from "../dialect.ts";
import { bareCalls, moreCalls } from "../reading/bare-calls.ts";
import { jsonCalls } from "../reading/json-call.ts";

const list = "functools[";

/** `<|python_tag|>{"name": …, "parameters": {…}}; {…}`; the model mostly omits the tag. */
export const llama3Json: Dialect = {
  name: "llama3-json",
  models: "Llama 3.1 to 3.3",
  openers: ["<|python_tag|>"],
  closers: ["<|eom_id|>", "<|eot_id|>"],
  hidden: ["<|eom_id|>", "<|eot_id|>"],
  *read(block) {
    yield* block.space();
    yield* jsonCalls(block);
    block.accept();
    yield* moreCalls(block);
  },
  write: (calls) => `<|python_tag|>${writeList(calls)}`,
};

/** The same without the tag; and ` functools[{…}]`. */
export const llama3BareJson: Dialect = {
  ...llama3Json,
  models: "Llama 3.1 to 3.3, FireFunction 2",
  openers: ["{", list],
  bare: true,
  *read(block) {
    if (block.opener === list) {
      block.at--;
      yield* jsonCalls(block);
      block.accept();
      return;
    }
    yield* bareCalls(block);
    yield* moreCalls(block);
  },
  write: writeList,
};

function writeList(calls: readonly WrittenCall[]): string {
  return calls
    .map(({ name, arguments: text }) => `{"name": ${JSON.stringify(name)}, "parameters": ${text}}`)
    .join("; ");
}
