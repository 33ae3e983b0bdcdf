import type { Dialect } from "../dialect.ts";
import { hermesJson } from "./hermes-json.ts";

/** `<tool_call>{"name": …, "arguments": …}</tool_call>`, as `hermes-json` has it. */
export const ernie45: Dialect = { ...hermesJson, name: "ernie45", models: "Ernie 4.5" };

/**
 * Text that is no call is in `<response>…</response>`. Many other models write such tags as text, so these count only if the
 * dialect is named.
 */
export const ernie45Response: Dialect = {
  ...ernie45,
  openers: ["<response>", "</response>"],
  closers: [],
  bare: true,
  *read(block) {
    // As the whole message it is text.
    if (block.opener === "<response>" && (yield* block.peek()) === -1) block.fail("nothing follows");
    block.hide();
  },
};
