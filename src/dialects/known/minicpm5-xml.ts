import type { Block } from "../core/block.ts";
import type { Dialect, Reading } from "../dialect.ts";
import type { ArgumentsObject } from "../reading/arguments-object.ts";
import { type InvokeTags, invokeTags, loneInvoke, rawOf, rawValue, writeInvoke } from "../reading/invoke.ts";
import { rawText } from "../reading/raw-text.ts";

const tags = invokeTags("", [], { words: { invoke: "function", parameter: "param" } });
const format = { tags: [tags], closers: [], value };
const startOfData = "<![CDATA[";
const endOfData = "]]>";
const needsData = /[<&\r\n]/;

/** `<function name="NAME"><param name="KEY">VALUE</param></function>`; a value with markup in it is `<![CDATA[VALUE]]>`. */
export const minicpm5Xml: Dialect = {
  name: "minicpm5-xml",
  models: "MiniCPM5",
  // The second and third come from tokenizers whose spaces were not decoded.
  openers: ["<function name=", "<functionĠname=", "<functionname="],
  closers: [tags.close],
  *read(block) {
    yield* loneInvoke(block, format);
  },
  write: (calls) => calls.map((call) => writeInvoke(call, tags, (given) => ({ raw: writeValue(given) }))).join("\n"),
};

function* value(block: Block, object: ArgumentsObject, name: string, { endOfParameter, after }: InvokeTags) {
  if (!(yield* block.maybe(startOfData))) return yield* rawValue(block, object, name, tags);
  yield* data(block, object, name, { mark: endOfData + endOfParameter, follows: after });
  return false;
}

function* data(
  block: Block,
  object: ArgumentsObject,
  name: string,
  end: { mark: string; follows: readonly string[] },
): Reading {
  const parameter = object.parameter(name, "nothing");
  yield* rawText(block, [end], (text) => parameter.add(text));
  parameter.end();
}

function writeValue(given: unknown): string {
  const raw = rawOf(given);
  return needsData.test(raw) ? `${startOfData}${raw}${endOfData}` : raw;
}
