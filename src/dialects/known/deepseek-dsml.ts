import { isObject, type JsonValue, parseJson } from "../../turn/index.ts";
import type { Block } from "../core/block.ts";
import { declares, type KnownTool, parameterNames, parameterSchema } from "../core/tools.ts";
import type { Dialect, Reading } from "../dialect.ts";
import { type ArgumentsObject, RawParameter } from "../reading/arguments-object.ts";
import {
  type Attributes,
  type InvokeFormat,
  type InvokeTags,
  invokeList,
  invokeTags,
  loneInvoke,
  rawOf,
  rawValue,
  valueText,
  writeInvoke,
} from "../reading/invoke.ts";
import { jsonValue } from "../reading/json-call.ts";
import { declaredTypes, readValue } from "../reading/values.ts";

const right = "｜DSML｜";
const misspelled = [
  "‖DSML‖",
  "｜｜DSML｜｜",
  "|DSML|",
  "||DSML||",
  "｜ DSML ｜",
  " ｜DSML｜ ",
  "| DSML |",
  " | DSML | ",
];
const spellings = [right, ...misspelled];
const lists = ["tool_calls>", "function_calls>"];

const closers = spellings.flatMap((spelling) => lists.map((list) => `</${spelling}${list}`));
const tags = invokeTags(right, closers);
const format: InvokeFormat = {
  tags: [tags, ...misspelled.map((spelling) => invokeTags(spelling, closers, { isMisspelled: true }))],
  closers,
  value,
};
const string = declaredTypes({ type: "string" }, undefined);
const noString = declaredTypes({ type: ["integer", "number", "boolean", "null", "array", "object"] }, undefined);

/** `<｜DSML｜tool_calls><｜DSML｜invoke name="NAME"><｜DSML｜parameter name="KEY" string="true">VALUE</｜DSML｜parameter>…`. */
export const deepseekDsml: Dialect = {
  name: "deepseek-dsml",
  models: "DeepSeek V3.2 (`function_calls`) and V4 (`tool_calls`)",
  openers: spellings.flatMap((spelling) => [...lists, "invoke name="].map((word) => `<${spelling}${word}`)),
  closers: [...closers, ...format.tags.map(({ close }) => close)],
  *read(block) {
    if (block.opener.endsWith("name=")) yield* loneInvoke(block, format);
    else yield* invokeList(block, format);
  },
  write: (calls) => {
    const written = calls.map((call) => writeInvoke(call, tags, writeValue));
    return `<${right}${lists[0]}\n${written.join("\n")}\n</${right}${lists[0]}`;
  },
};

function writeValue(given: unknown): { attributes: string; raw: string } {
  return { attributes: ` string="${typeof given === "string"}"`, raw: rawOf(given) };
}

/** The `string` attribute gives the type. If it contradicts the schema, the schema wins. */
function* value(
  block: Block,
  object: ArgumentsObject,
  name: string,
  spelled: InvokeTags,
  of: Attributes,
): Reading<boolean> {
  const { tool } = block;
  const types = declaredTypes(tool && parameterSchema(tool, name), tool?.parameters);
  const isString = of.get("string") !== "false";
  if (isString && types.has("string")) {
    object.json(name);
    const parameter = new RawParameter(block, string, "nothing");
    yield* valueText(block, spelled, (text) => parameter.add(text));
    parameter.end();
    return false;
  }
  if (isString || types.has("string")) return yield* rawValue(block, object, name, spelled);
  if (yield* block.sees("{", "[")) return yield* structure(block, object, name, spelled);
  if (types.size > 0) return yield* rawValue(block, object, name, spelled);
  const give = object.json(name);
  let raw = "";
  yield* valueText(block, spelled, (text) => {
    raw += text;
  });
  if (parseJson(raw) !== undefined) give(raw.trim());
  else {
    const { json, repairs } = readValue(raw, noString);
    for (const repair of repairs) block.repaired(repair);
    give(json);
  }
  return false;
}

/** Reads an object or a list as JSON. An object named `arguments` may hold all parameters instead. */
function* structure(block: Block, object: ArgumentsObject, name: string, spelled: InvokeTags): Reading<boolean> {
  const { tool, mends } = block;
  const mayHoldAll = mends && tool && name === "arguments" && !declares(tool, name) && parameterNames(tool).length > 0;
  if (!mayHoldAll) {
    yield* jsonValue(block, object.json(name));
    yield* endOfValue(block, spelled);
    return false;
  }
  let json = "";
  yield* jsonValue(block, (delta) => {
    json += delta;
  });
  yield* endOfValue(block, spelled);
  const isAll = holdsParameters(parseJson(json), tool) && !(yield* block.sees(spelled.parameter));
  if (isAll) {
    block.repaired("double_encoded");
    block.arguments(json);
  } else object.json(name)(json);
  return isAll;
}

function holdsParameters(given: JsonValue | undefined, tool: KnownTool): boolean {
  return isObject(given) && Object.keys(given).every((key) => declares(tool, key));
}

function* endOfValue(block: Block, { endOfParameter }: InvokeTags): Reading {
  yield* block.space();
  yield* block.expect(endOfParameter);
  yield* block.space();
}
