import { isObject, parseJson } from "../../turn/index.ts";
import type { Block } from "../core/block.ts";
import type { Dialect, Reading } from "../dialect.ts";
import { ArgumentsObject } from "../reading/arguments-object.ts";
import { rawText } from "../reading/raw-text.ts";

const open = "<tool_call>";
const close = "</tool_call>";
const functionOpen = "<function=";
const parameterOpen = "<parameter=";
const endOfFunction = "</function>";
const endOfParameter = "</parameter>";

/** `<tool_call><function=NAME><parameter=KEY>\nVALUE\n</parameter></function></tool_call>`; models forget any of the tags. */
export const qwen3FunctionXml: Dialect = {
  name: "qwen3-function-xml",
  models: "Qwen3-Coder, Qwen 3.5 to 3.8, Nemotron 3, Step 3.5, K-EXAONE 2, UI-TARS",
  openers: [open, functionOpen],
  closers: [close, endOfFunction],
  *read(block) {
    const isWrapped = block.opener === open;
    if (isWrapped) {
      yield* block.space();
      if (!(yield* block.maybe(functionOpen))) {
        yield* block.expect("function=");
        block.repaired("missing_open");
      }
    }
    for (;;) {
      yield* functionTags(block);
      yield* block.space();
      if (!(yield* block.sees(functionOpen))) break;
      block.accept();
      yield* block.expect(functionOpen);
    }
    if (isWrapped && !(yield* block.closer())) {
      const isOver = (yield* block.peek()) === -1 || (yield* block.sees(open));
      block.repaired(isOver ? "missing_close" : "stray_text");
    } else if (!isWrapped) yield* block.maybe(close);
    block.accept();
  },
  write: (calls) =>
    calls.map(({ name, arguments: text }) => `${open}\n${writeFunction(name, text)}\n${close}`).join("\n"),
};

/** From behind `<function=` to behind `</function>`. */
export function* functionTags(block: Block): Reading {
  const { text: name } = yield* block.until([">", "\n"]);
  block.begin(unquoted(name));
  const object = new ArgumentsObject(block);
  for (;;) {
    yield* block.space();
    if (yield* block.maybe(endOfFunction)) break;
    if ((yield* block.peek()) === -1 || (yield* block.sees(...block.dialect.closers, ...block.dialect.openers))) {
      block.repaired("missing_close");
      break;
    }
    yield* parameter(block, object, yield* parameterName(block));
  }
  object.end();
  block.end();
}

/** `<parameter=KEY>`, or, as some models have it, `<parameter>KEY</parameter>`. */
function* parameterName(block: Block): Reading<string> {
  if (yield* block.maybe(parameterOpen)) return unquoted((yield* block.until([">", "\n"])).text);
  yield* block.expect("<parameter>");
  block.repaired("misspelled_marker");
  return unquoted((yield* block.until([endOfParameter])).text);
}

function* parameter(block: Block, object: ArgumentsObject, name: string): Reading {
  const value = object.parameter(name, "one newline");
  const { openers, closers } = block.dialect;
  const others = closers.filter((mark) => mark !== endOfFunction);
  const end = yield* rawText(
    block,
    [
      { mark: endOfParameter, follows: ["<parameter", endOfFunction, functionOpen, ...others] },
      { mark: endOfFunction, follows: [...others, ...openers], stays: true },
      { mark: parameterOpen, atLineStart: true, stays: true },
      { mark: "<parameter>", atLineStart: true, stays: true },
    ],
    (text) => value.add(text),
  );
  if (end.stays) block.repaired("missing_close");
  value.end();
}

function unquoted(name: string): string {
  return name.trim().replace(/^["']|["']$/g, "");
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
