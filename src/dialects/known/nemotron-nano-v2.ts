import type { Dialect } from "../dialect.ts";
import { closeBlock } from "../reading/close.ts";
import { jsonList, writeJsonList } from "../reading/json-list.ts";

/** `<TOOLCALL>[{"name": …, "arguments": {…}}]</TOOLCALL>` */
export const nemotronNanoV2: Dialect = {
  name: "nemotron-nano-v2",
  models: "Nemotron Nano 2, Llama Nemotron",
  openers: ["<TOOLCALL>"],
  closers: ["</TOOLCALL>"],
  *read(block) {
    yield* jsonList(block);
    yield* closeBlock(block);
  },
  write: (calls) => `<TOOLCALL>${writeJsonList(calls)}</TOOLCALL>`,
};
