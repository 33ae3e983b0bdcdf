import { isObject, parseJson } from "../../turn/index.ts";
import type { Block } from "../core/block.ts";
import type { Dialect, Reading } from "../dialect.ts";
import { ArgumentsObject } from "../reading/arguments-object.ts";
import { rawText } from "../reading/raw-text.ts";

const open = "<tool_call>";
const close = "</tool_call>";
const endOfFunction = "</function>";
const endOfParameter = "</parameter>";

/** `<tool_call><function=NAME><parameter=KEY>\nVALUE\n</parameter></function></tool_call>`; models forget any of the tags. */
export const qwen3FunctionXml: Dialect = {
  name: "qwen3-function-xml",
  models: "Qwen3-Coder, Qwen 3.5 to 3.8, Nemotron 3, Step 3.5, K-EXAONE 2, UI-TARS",
  openers: [open, "<function="],
  closers: [close, endOfFunction],
  reasoning: [{ open: "<think>", close: ["</think>"] }],
  *read(block) {
    const isWrapped = block.opener === open;
    if (isWrapped) {
      yield* block.space();
      yield* block.expect("<function=");
    }
    for (;;) {
      yield* functionTags(block);
      yield* block.space();
      if (!(yield* block.maybe("<function="))) break;
      block.accept();
    }
    if (!(yield* block.maybe(close)) && isWrapped) {
      const isOver = (yield* block.peek()) === -1 || (yield* block.sees(open));
      if (!isOver) block.repaired("stray_text");
      block.repaired("missing_close");
    }
    block.accept();
  },
  write: (calls) =>
    calls.map(({ name, arguments: text }) => `${open}\n${writeFunction(name, text)}\n${close}`).join("\n"),
};

/** From behind `<function=` to behind `</function>`. */
export function* functionTags(block: Block): Reading {
  const { text: name } = yield* block.until([">", "\n"]);
  block.begin(name.trim().replace(/^["']|["']$/g, ""));
  const object = new ArgumentsObject(block);
  for (;;) {
    yield* block.space();
    if (yield* block.maybe(endOfFunction)) break;
    if (yield* block.sees(...block.dialect.closers, "<tool_call>")) {
      block.repaired("missing_close");
      break;
    }
    if ((yield* block.peek()) === -1) block.fail("the function does not end");
    yield* block.expect("<parameter=");
    const { text: key } = yield* block.until([">", "\n"]);
    yield* parameter(block, object, key.trim());
  }
  object.end();
  block.end();
}

function* parameter(block: Block, object: ArgumentsObject, name: string): Reading {
  const value = object.parameter(name, "one newline");
  const after = ["<parameter=", endOfFunction, ...block.dialect.closers];
  const end = yield* rawText(
    block,
    [
      { mark: endOfParameter, follows: after },
      {
        mark: endOfFunction,
        follows: [...block.dialect.closers.filter((mark) => mark !== endOfFunction), ...block.dialect.openers],
        stays: true,
      },
      { mark: "<parameter=", atLineStart: true, stays: true },
    ],
    (text) => value.add(text),
  );
  if (end.stays) block.repaired("missing_close");
  value.end();
}

/** A call as tags, its values as they are. */
export function writeFunction(name: string, text: string): string {
  const given = parseJson(text);
  const parameters = Object.entries(isObject(given) ? given : {});
  const written = parameters.map(([key, value]) => {
    const raw = typeof value === "string" ? value : JSON.stringify(value);
    return `<parameter=${key}>\n${raw}\n</parameter>\n`;
  });
  return `<function=${name}>\n${written.join("")}</function>`;
}
