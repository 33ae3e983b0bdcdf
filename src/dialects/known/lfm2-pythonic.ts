import type { Dialect } from "../dialect.ts";
import { closeBlock } from "../reading/close.ts";
import { jsonCall } from "../reading/json-call.ts";
import { pythonCalls, writePythonCall } from "../reading/python-call.ts";

const open = "<|tool_call_start|>";
const close = "<|tool_call_end|>";

/** `<|tool_call_start|>[f(a="x"), group.g(b=[1])]<|tool_call_end|>`; a call may also be a JSON object, with or without the list. */
export const lfm2Pythonic: Dialect = {
  name: "lfm2-pythonic",
  models: "LFM2, LFM2.5",
  openers: [open],
  closers: [close],
  *read(block) {
    yield* pythonCalls(block, jsonCall);
    block.accept();
    yield* closeBlock(block);
  },
  write: (calls) => `${open}[${calls.map(writePythonCall).join(", ")}]${close}`,
};
