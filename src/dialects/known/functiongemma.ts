import type { Dialect } from "../dialect.ts";
import { closeBlock } from "../reading/close.ts";
import { colonCall, writeColonCall } from "./gemma4.ts";

const open = "<start_function_call>";
const close = "<end_function_call>";
const mark = "<escape>";

/** `<start_function_call>call:NAME{key:<escape>text<escape>,other:42}<end_function_call>`. */
export const functiongemma: Dialect = {
  name: "functiongemma",
  models: "FunctionGemma",
  openers: [open],
  closers: [close],
  hidden: ["<start_function_response>"],
  *read(block) {
    yield* colonCall(block, mark);
    yield* closeBlock(block);
  },
  write: (calls) => calls.map((call) => `${open}${writeColonCall(call, mark)}${close}`).join(""),
};
