import type { Block } from "../core/block.ts";
import type { Dialect, Reading } from "../dialect.ts";
import { jsonObject } from "../reading/json-call.ts";

const letters = [..."abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"];
const open = ">>>";
/** The recipient of visible text. */
const everyone = "all";

/** `>>>NAME\n{…}`; text goes to `>>>all\n`. */
export const functionary: Dialect = {
  name: "functionary",
  models: "Functionary 3.2",
  openers: [open],
  closers: ["<|eot_id|>"],
  hidden: ["<|eot_id|>"],
  *read(block) {
    yield* message(block, "");
  },
  write: (calls) => calls.map(({ name, arguments: text }) => `${open}${name}\n${text}`).join(""),
};

/** The first `>>>` is the end of the prompt, so that a message begins with the name. */
export const functionaryStart: Dialect = {
  ...functionary,
  openers: letters,
  bare: true,
  atStart: true,
  mustBeNamed: true,
  *read(block) {
    yield* message(block, block.opener);
    while (yield* block.maybe(open)) yield* message(block, "");
  },
  write: (calls) => functionary.write(calls).slice(open.length),
};

/** `<function=NAME>{…}</function>` of version 3.1. */
export const functionaryTags: Dialect = {
  ...functionary,
  models: "Functionary 3.1",
  openers: ["<function="],
  closers: ["</function>"],
  bare: true,
  *read(block) {
    const { text: name } = yield* block.until([">"], 128);
    block.begin(name);
    yield* block.space();
    yield* jsonObject(block);
    block.end();
    yield* block.space();
    yield* block.expect("</function>");
    block.accept();
  },
  write: (calls) => calls.map(({ name, arguments: text }) => `<function=${name}>${text}</function>`).join(""),
};

function* message(block: Block, begun: string): Reading {
  const name = begun + (yield* block.run(/[^\s>]/, 128));
  yield* block.maybe("\r");
  yield* block.expect("\n");
  if (name === everyone && !block.tools.get(everyone)) {
    // With nothing after it, it is an ordinary word.
    if ((yield* block.peek()) === -1) block.fail("nothing follows");
    block.hide();
    return;
  }
  block.begin(name);
  yield* block.space();
  yield* jsonObject(block);
  block.end();
  block.accept();
}
