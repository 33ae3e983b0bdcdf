import type { Dialect } from "../dialect.ts";
import { closeBlock } from "../reading/close.ts";
import { pythonCalls, writePythonCall } from "../reading/python-call.ts";

const open = "<function_calls>";
const close = "</function_calls>";

/** `<function_calls>f(a="x")\ng(b=[1], c=True)</function_calls>`: one call a line. */
export const olmo3: Dialect = {
  name: "olmo3",
  models: "OLMo 3",
  openers: [open],
  closers: [close],
  reasoning: [{ open: "<think>", close: ["</think>"] }],
  *read(block) {
    yield* pythonCalls(block);
    block.accept();
    yield* closeBlock(block);
  },
  write: (calls) => `${open}${calls.map(writePythonCall).join("\n")}${close}`,
};
