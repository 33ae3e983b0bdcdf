import type { Dialect } from "../dialect.ts";
import { invoke, invokeTags, writeInvoke } from "../reading/invoke.ts";

const open = "<｜tool_calls_begin｜>";
const close = "<｜tool_calls_end｜>";
const openCall = "<｜tool_call_begin｜>";
const closeCall = "<｜tool_call_end｜>";
const type = "function";
const separator = "<｜tool_sep｜>";
const tags = invokeTags("steptml:", [closeCall, close]);
const format = { tags: [tags], closers: [closeCall, close] };

/** `<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="NAME"><steptml:parameter name="KEY">VALUE…`. */
export const step3Steptml: Dialect = {
  name: "step3-steptml",
  models: "Step 3",
  openers: [open, openCall],
  closers: [close, closeCall, tags.close],
  *read(block) {
    if (block.opener === openCall) block.at -= openCall.length;
    let isWhole = false;
    for (;;) {
      yield* block.space();
      yield* block.maybe(openCall);
      if (yield* block.maybe(type)) yield* block.expect(separator);
      yield* block.space();
      yield* invoke(block, format, block.opener === openCall ? "missing_open" : undefined);
      yield* block.space();
      isWhole = yield* block.maybe(closeCall);
      yield* block.space();
      if (!(yield* block.sees(openCall, tags.open))) break;
      block.accept();
    }
    if (!(yield* block.maybe(close)) && !isWhole) block.repaired("missing_close");
    block.accept();
  },
  write: (calls) => {
    const written = calls.map((call) => `${openCall}${type}${separator}${writeInvoke(call, tags)}${closeCall}`);
    return `${open}${written.join("")}${close}`;
  },
};
