import { parseJson } from "../../turn/index.ts";
import type { Block } from "../core/block.ts";
import type { Dialect, Reading, WrittenCall } from "../dialect.ts";
import { closeBlock } from "../reading/close.ts";
import { looseObject, writeLoose } from "../reading/loose-object.ts";

const open = "<|tool_call>";
const close = "<tool_call|>";
const mark = '<|"|>';
const endOfThought = "<channel|>";

/** `<|tool_call>call:NAME{key:<|"|>text<|"|>,other:42}<tool_call|>`. */
export const gemma4: Dialect = {
  name: "gemma4",
  models: "Gemma 4",
  openers: [open],
  closers: [close],
  reasoning: [
    { open: "<|channel>thought", close: [endOfThought] },
    { open: "<|channel>", close: [endOfThought] },
  ],
  hidden: [endOfThought, "<|tool_response>", "<turn|>"],
  *read(block) {
    yield* colonCall(block, mark);
    yield* closeBlock(block);
    while (yield* block.maybe(close)) {
      block.repaired("extra_close");
      block.accept();
    }
  },
  write: (calls) => calls.map((call) => `${open}${writeColonCall(call, mark)}${close}`).join(""),
};

/** `call:NAME{…}`; the word before the colon may be missing. */
export function* colonCall(block: Block, stringMark: string): Reading {
  yield* block.space();
  const written = yield* block.run(/[\w.\-/:]/);
  yield* block.space();
  if (!(yield* block.sees("{"))) block.fail("there are no arguments");
  block.begin(written.replace(/^(?:call)?:/, ""));
  if (!written.startsWith("call:")) block.repaired("misspelled_marker");
  yield* looseObject(block, stringMark);
  block.end();
}

export function writeColonCall({ name, arguments: text }: WrittenCall, stringMark: string): string {
  return `call:${name}${writeLoose(parseJson(text) ?? {}, stringMark)}`;
}
