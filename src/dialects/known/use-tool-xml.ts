import { isObject, type JsonObject, parseJson } from "../../turn/index.ts";
import type { Block } from "../core/block.ts";
import { declares, parameterNames } from "../core/tools.ts";
import type { Dialect, Reading } from "../dialect.ts";
import { closeBlock } from "../reading/close.ts";
import { jsonArguments, jsonValue } from "../reading/json-call.ts";
import { parameterTags, requireNothing } from "../reading/parameter-tags.ts";

const nameTags = ["<name>", "<tool_name>", "<tool>"];
const argumentsTags = ["<args>", "<arguments>"];
const nameAttribute = /\sname\s*=\s*(?:"([^"]*)"|'([^']*)')/;
const nameKeys = ["name", "tool_name", "tool"];
const argumentsKeys = ["args", "arguments", "parameters", "input"];

/** `<use_tool><name>NAME</name><args>{…}</args></use_tool>`; or one tag for each argument; or the name as an attribute; or JSON. */
export const useToolXml: Dialect = {
  name: "use_tool-xml",
  models: "any that is prompted by Obsidian Copilot, and by others that took its format over",
  openers: ["<use_tool"],
  closers: ["</use_tool>"],
  *read(block) {
    const { text: attributes } = yield* block.until([">"]);
    if (/^[^\s/]/.test(attributes)) block.fail("it is another tag");
    const [, quoted, apostrophed] = nameAttribute.exec(attributes) ?? [];
    block.begin(quoted ?? apostrophed);
    if (attributes.endsWith("/")) {
      requireNothing(block);
      block.arguments("{}");
      block.end();
      block.accept();
      return;
    }
    yield* block.space();
    if (!block.tool && (yield* block.sees("{"))) {
      yield* jsonBody(block);
      return;
    }
    if (!block.tool) yield* nameTag(block);
    yield* body(block);
  },
  write: (calls) =>
    calls
      .map(({ name, arguments: text }) => `<use_tool>\n<name>${name}</name>\n<args>\n${text}\n</args>\n</use_tool>`)
      .join("\n"),
};

function* nameTag(block: Block): Reading {
  const tag = yield* block.oneOf(nameTags);
  if (tag === "") block.fail("no tool is named");
  const { text } = yield* block.until([tag.replace("<", "</")]);
  block.name(text.trim());
  yield* block.space();
}

function* body(block: Block): Reading {
  if (yield* block.sees("{")) yield* jsonArguments(block);
  else {
    const tag = yield* block.oneOf(argumentsTags);
    if (tag === "") {
      yield* parameterTags(block, { around: "use_tool", trim: "all" });
      block.end();
      block.accept();
      return;
    }
    yield* block.space();
    if (yield* block.sees("<")) yield* parameterTags(block, { around: tag.slice(1, -1), trim: "all" });
    else {
      yield* jsonArguments(block);
      yield* block.space();
      yield* block.expect(tag.replace("<", "</"));
    }
  }
  block.end();
  yield* closeBlock(block);
}

/** Reads an object that contains the name. The arguments are an object inside it, or its other members. */
function* jsonBody(block: Block): Reading {
  let text = "";
  yield* jsonValue(block, (delta) => {
    text += delta;
  });
  const given = parseJson(text);
  if (!isObject(given)) block.fail("the call is no object");
  const nameKey = nameKeys.find((key) => typeof given[key] === "string");
  const { [nameKey ?? ""]: name } = given;
  if (nameKey === undefined || typeof name !== "string") block.fail("no tool is named");
  block.name(name);
  block.arguments(JSON.stringify(argumentsIn(block, given, nameKey)));
  block.end();
  yield* closeBlock(block);
}

function argumentsIn(block: Block, given: JsonObject, nameKey: string): JsonObject {
  for (const key of argumentsKeys) {
    const { [key]: value } = given;
    const object = typeof value === "string" ? parseJson(value) : value;
    if (isObject(object)) return object;
  }
  const { tool } = block;
  // If the tool's parameters are unknown, every member may be an argument.
  const isForTool = !tool || parameterNames(tool).length === 0 || declares(tool, nameKey);
  if (isForTool) return given;
  const { [nameKey]: _, ...others } = given;
  return others;
}
