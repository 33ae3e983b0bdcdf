import type { Dialect } from "../dialect.ts";
import { invokeList, invokeTags, loneInvoke, writeInvoke } from "../reading/invoke.ts";

const open = "<minimax:tool_call>";
const close = "</minimax:tool_call>";
const lone = "<invoke name=";
const tags = invokeTags("", [close]);
const format = { tags: [tags], closers: [close] };

/** `<minimax:tool_call><invoke name="NAME"><parameter name="KEY">VALUE</parameter></invoke></minimax:tool_call>`. */
export const minimaxM2Invoke: Dialect = {
  name: "minimax-m2-invoke",
  models: "MiniMax M2 to M2.7",
  openers: [open, lone],
  closers: [close, tags.close],
  *read(block) {
    if (block.opener === lone) yield* loneInvoke(block, format);
    else yield* invokeList(block, format);
  },
  write: (calls) => `${open}\n${calls.map((call) => writeInvoke(call, tags)).join("\n")}\n${close}`,
};
