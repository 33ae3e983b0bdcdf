import type { Block } from "../core/block.ts";
import type { Dialect, Reading } from "../dialect.ts";
import { jsonObject } from "../reading/json-call.ts";
import { jsonList, maybeClose } from "../reading/json-list.ts";

const open = "[TOOL_CALLS]";
const beginOfId = "[CALL_ID]";
const beginOfArguments = "[ARGS]";

/** `[TOOL_CALLS]NAME[CALL_ID]ID[ARGS]{…}`, in which all but the name and the arguments may be missing; formerly `[TOOL_CALLS][{…}]`. */
export const mistral: Dialect = {
  name: "mistral",
  models: "Mistral, Ministral, Magistral, Devstral",
  openers: [open],
  closers: ["</s>"],
  reasoning: [{ open: "[THINK]", close: ["[/THINK]"] }],
  *read(block) {
    yield* block.space();
    if (yield* block.sees("[", "{")) yield* jsonList(block, { id: "id" });
    else yield* namedCall(block);
    yield* maybeClose(block);
  },
  write: (calls) => calls.map(({ name, arguments: text }) => `${open}${name}${beginOfArguments}${text}`).join(""),
};

function* namedCall(block: Block): Reading {
  const name = yield* block.run(/[^\s[{]/);
  yield* block.space();
  const id = (yield* block.maybe(beginOfId)) ? yield* block.run(/[^\s[{]/) : undefined;
  yield* block.maybe(beginOfArguments);
  yield* block.space();
  if (!(yield* block.sees("{"))) block.fail("the arguments are no object");
  block.begin(name, id);
  yield* jsonObject(block);
  block.end();
  block.accept();
}
