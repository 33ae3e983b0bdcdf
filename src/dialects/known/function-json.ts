import type { Dialect } from "../dialect.ts";
import { closeBlock } from "../reading/close.ts";
import { jsonObject } from "../reading/json-call.ts";

/** `<function=NAME>{…}</function>` */
export const functionJson: Dialect = {
  name: "function-json",
  models: "Llama 3.1 and 3.2 with tools of the user's, Functionary 3.1",
  openers: ["<function="],
  closers: ["</function>"],
  *read(block) {
    const name = yield* block.run(/[^\s<>]/);
    yield* block.expect(">");
    yield* block.space();
    if (!(yield* block.sees("{"))) block.fail("the arguments are no object");
    block.begin(name);
    yield* jsonObject(block);
    block.end();
    yield* closeBlock(block);
  },
  write: (calls) => calls.map(({ name, arguments: text }) => `<function=${name}>${text}</function>`).join("\n"),
};
