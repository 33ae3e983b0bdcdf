import type { Dialect } from "../dialect.ts";
import { hermesJson } from "./hermes-json.ts";

/** `<tool_call>{"name": …, "arguments": …}</tool_call>`, as `hermes-json` has it. */
export const ernie45: Dialect = { ...hermesJson, name: "ernie45", models: "Ernie 4.5" };

/** What is no call stands in `<response>…</response>`; many others write such tags and mean them, so these count only by name. */
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
