import type { Dialect } from "../dialect.ts";
import { functions, writeFunction } from "./qwen3-function-xml.ts";

const open = "<seed:tool_call>";
const close = "</seed:tool_call>";

/** `<seed:tool_call><function=NAME><parameter=KEY>VALUE</parameter></function></seed:tool_call>`. */
export const seedOssXml: Dialect = {
  name: "seed-oss-xml",
  models: "Seed-OSS",
  openers: [open],
  closers: [close, "</function>"],
  reasoning: [{ open: "<seed:think>", close: ["</seed:think>"] }],
  *read(block) {
    yield* block.space();
    yield* block.expect("<function=");
    yield* functions(block);
    if (!(yield* block.maybe(close))) block.repaired("missing_close");
    block.accept();
  },
  write: (calls) =>
    calls.map(({ name, arguments: text }) => `${open}\n${writeFunction(name, text)}\n${close}`).join("\n"),
};
