import { isObject, type JsonValue, parseJson } from "../../turn/index.ts";
import type { Block } from "../core/block.ts";
import type { Dialect, Reading } from "../dialect.ts";
import { ArgumentsObject } from "../reading/arguments-object.ts";
import { jsonObject } from "../reading/json-call.ts";
import { requireNothing } from "../reading/parameter-tags.ts";
import { rawText } from "../reading/raw-text.ts";

const fence = "```";
const open = "```tool";
const nameLine = /^\s*tool_?name:(.*)$/i;
const argumentLine = /^begin_?arg:(.*)$/i;
const endOfArgument = { mark: "END_ARG", follows: ["BEGIN_ARG", fence], atLineStart: true };

/** A fence of the language `tool`, with TOOL_NAME, and BEGIN_ARG and END_ARG around each value; or `@NAME(ID): {…}` on a line. */
export const codeFence: Dialect = {
  name: "code-fence",
  models: "any that is prompted by Continue or gptme",
  openers: [open, "@"],
  closers: [fence],
  atLineStart: true,
  *read(block) {
    if (block.opener === open) yield* fencedCall(block);
    else yield* lineCall(block);
    block.end();
    block.accept();
  },
  write: (calls) => calls.map(({ name, arguments: text }) => writeFence(name, text)).join("\n"),
};

/** `@NAME(ID): {…}`, starting after the `@`. */
function* lineCall(block: Block): Reading {
  const name = yield* block.run(/[\w.]/, 128);
  if (!block.tools.find(name)) block.fail("it is no tool's name");
  yield* block.expect("(");
  const id = yield* block.run(/[\w:.-]/, 128);
  yield* block.expect("):");
  yield* block.space();
  block.begin(name, id === "" ? undefined : id);
  yield* jsonObject(block);
}

function* fencedCall(block: Block): Reading {
  yield* block.run(/[ \t\r]/);
  yield* block.expect("\n");
  yield* block.space();
  const [, name = ""] = nameLine.exec(yield* line(block)) ?? [];
  if (name.trim() === "") block.fail("TOOL_NAME is missing");
  block.begin(name.trim());
  const object = new ArgumentsObject(block);
  for (let count = 0; ; count++) {
    yield* block.space();
    if (yield* block.closer()) {
      if (count === 0) requireNothing(block);
      break;
    }
    if (count > 0 && block.mends && (yield* block.peek()) === -1) {
      block.repaired("missing_close");
      break;
    }
    const [, key = ""] = argumentLine.exec(yield* line(block)) ?? [];
    if (key.trim() === "") block.fail("BEGIN_ARG is missing");
    yield* argument(block, object, key.trim());
  }
  object.end();
}

/** Reads the rest of the line, without its newline. */
function* line(block: Block): Reading<string> {
  return yield* block.run(/[^\r\n]/);
}

/** A value is text between two newlines. A value in quotes is JSON: Continue writes a model's past calls so. */
function* argument(block: Block, object: ArgumentsObject, name: string): Reading {
  yield* block.run(/\r/);
  yield* block.expect("\n");
  if (yield* block.sees('"')) {
    let held = "";
    yield* rawText(block, [endOfArgument], (text) => {
      held += text;
    });
    const value = parseJson(held);
    const parameter = object.parameter(name, typeof value === "string" ? "nothing" : "one newline");
    parameter.add(typeof value === "string" ? value : held);
    parameter.end();
    return;
  }
  const parameter = object.parameter(name, "one newline");
  // The parameter drops one newline before the value, so that a second one stays.
  parameter.add("\n");
  yield* rawText(block, [endOfArgument], (text) => parameter.add(text));
  parameter.end();
}

function writeFence(name: string, text: string): string {
  const given = parseJson(text);
  const values = Object.entries(isObject(given) ? given : {}).map(
    ([key, value]) => `BEGIN_ARG: ${key}\n${writeValue(value)}\nEND_ARG\n`,
  );
  return `${open}\nTOOL_NAME: ${name}\n${values.join("")}${fence}`;
}

function writeValue(value: JsonValue | undefined): string {
  const isPlain = typeof value === "string" && !/^"|^[ \t]*END_ARG/m.test(value) && !/^\s|\s$/.test(value);
  return isPlain ? value : JSON.stringify(value);
}
