import type { Dialect } from "../dialect.ts";
import { closeBlock } from "../reading/close.ts";
import { pythonCalls, writePythonCall } from "../reading/python-call.ts";

const name = "llama-pythonic";
const models = "Llama 4, ToolACE";
const open = "<|python_start|>";
const close = "<|python_end|>";
const olmo = { open: "<function_calls>", close: "</function_calls>" };

/** `<|python_start|>[f(a="x", b=[1]), g(c=True)]<|python_end|>`; OLMo writes one call a line, between tags of its own. */
export const llamaPythonic: Dialect = {
  name,
  models,
  openers: [open, olmo.open],
  closers: [close, olmo.close],
  *read(block) {
    yield* pythonCalls(block);
    block.accept();
    yield* closeBlock(block);
  },
  write: (calls) => `${open}[${calls.map(writePythonCall).join(", ")}]${close}`,
};

/** The same without the markers: `[f(a="x", b=[1]), g(c=True)]`. */
export const barePythonic: Dialect = {
  name,
  models,
  bare: true,
  openers: ["["],
  closers: ["]"],
  *read(block) {
    yield* pythonCalls(block);
    if (yield* block.sees("(")) block.fail("it is a link");
    yield* block.maybe(close);
    block.accept();
  },
  write: (calls) => `[${calls.map(writePythonCall).join(", ")}]`,
};
