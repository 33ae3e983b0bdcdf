import type { Block } from "../core/block.ts";
import { type KnownTool, parameterNames, parameterSchema, resolve } from "../core/tools.ts";
import type { Reading } from "../dialect.ts";
import { ArgumentsObject } from "./arguments-object.ts";
import { escapeEntities, unescapeEntities } from "./entities.ts";
import { rawText } from "./raw-text.ts";
import { declaredTypes, isPlainString } from "./values.ts";

const tag = /^<[/A-Za-z]/;
const literal = "<![CDATA[";
/** XML constructs that are not tags, and their ends. */
const sections = new Map([
  [literal, "]]>"],
  ["<!--", "-->"],
  ["<?", "?>"],
]);

/** Reads `VALUE</NAME>`: a call whose text can be only one parameter of the tool. With tags in it, it fails. */
export function* loneParameter(block: Block, name: string): Reading {
  const tool = block.tools.find(name);
  const parameter = tool && loneString(tool);
  if (parameter === undefined) block.fail("it is unclear which parameter it is");
  const text = yield* plainText(block, `</${name}>`);
  if (text === "") block.fail("there is no parameter");
  block.begin(name);
  if (!block.mends) block.fail("a parameter has no tag");
  block.repaired("missing_open");
  const object = new ArgumentsObject(block);
  const value = object.parameter(parameter, "nothing");
  value.add(text);
  value.end();
  object.end();
  block.end();
  block.accept();
}

/** The only string that the tool requires; or, if it requires nothing, the only string that it takes. */
function loneString(tool: KnownTool): string | undefined {
  const { required } = resolve(tool.parameters, tool.parameters) ?? {};
  const strings = parameterNames(tool).filter((name) => isString(tool, name));
  const needed = Array.isArray(required) && required.length > 0 ? required : strings;
  return needed.length === 1 ? strings.find((name) => name === needed[0]) : undefined;
}

function isString(tool: KnownTool, name: string): boolean {
  return isPlainString(declaredTypes(parameterSchema(tool, name), tool.parameters));
}

function* plainText(block: Block, close: string): Reading<string> {
  let text = "";
  for (;;) {
    yield* rawText(block, [{ mark: "<", stays: true }], (more) => {
      text += more;
    });
    if (yield* block.maybe(close)) return unescapeEntities(text.trim());
    const section = yield* block.oneOf([...sections.keys()]);
    if (section !== "") {
      const inside = yield* sectionText(block, sections.get(section) ?? "");
      if (section === literal) text += escapeEntities(inside);
    } else {
      yield* block.need(2);
      if (tag.test(block.text.slice(block.at, block.at + 2))) block.fail("there are other tags");
      text += block.text.charAt(block.at++);
    }
  }
}

function* sectionText(block: Block, end: string): Reading<string> {
  let text = "";
  yield* rawText(block, [{ mark: end }], (more) => {
    text += more;
  });
  return text;
}
