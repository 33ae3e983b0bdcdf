import { parse, stringify } from "yaml";
import { isObject, parseJson } from "../../turn/index.ts";
import type { Block } from "../core/block.ts";
import type { Dialect, Reading } from "../dialect.ts";
import { requireNothing } from "../reading/parameter-tags.ts";
import { rawText, type TextEnd } from "../reading/raw-text.ts";
import { seesCall, toolName, toolTag } from "../reading/tool-tag.ts";
import { yamlArguments } from "../reading/yaml-arguments.ts";

/** How arguments begin, so that a tag in a sentence is not taken for a call: with a key, an object, or a comment. */
const beginning = /^\s*(?:<\/|---|#|\{|["'][^\n]|[^\s<>:{}[\],&*!|%@`"'#-][^:\n]{0,128}:(?:\s|$))/;
const nextCall = /^<\s*([\w.:-]+)\s*(?:\/>|>\s*[^\s<])/;
/** How far to look ahead for the beginning. */
const farthest = 192;
/** YAML is parsed in one step. */
const longest = 128 * 1024;

/** `<TOOL>`, the arguments as YAML, `</TOOL>`. */
export const yamlXml: Dialect = {
  name: "yaml-xml",
  models: "any that is prompted to use tool names as tags around YAML",
  openers: ["<"],
  closers: [],
  bare: true,
  *read(block) {
    do {
      if (block.accepted) yield* block.expect("<");
      const { name, isEmpty } = yield* toolTag(block);
      if (!isEmpty) yield* expectBeginning(block);
      block.begin(name);
      const text = isEmpty ? "" : yield* body(block, name);
      if (text.trim() === "") requireNothing(block);
      block.arguments(yamlArguments(block, text));
      block.end();
      block.accept();
    } while (yield* seesCall(block, nextCall));
  },
  write: (calls) => calls.map(({ name, arguments: text }) => `<${name}>\n${writeYaml(text)}</${name}>`).join("\n"),
};

/** `<TOOL`, the arguments as YAML, `/>`. */
export const yamlXmlInside: Dialect = {
  ...yamlXml,
  atLineStart: true,
  mustBeNamed: true,
  *read(block) {
    const name = yield* toolName(block);
    yield* block.run(/[ \t\r]/);
    yield* block.expect("\n");
    yield* expectBeginning(block);
    block.closers = ["\n/>"];
    block.begin(name);
    block.arguments(yamlArguments(block, yield* yamlText(block, { mark: "/>", atLineStart: true })));
    block.end();
    block.accept();
  },
};

/** A tag in a sentence is no call and is not reported. */
function* expectBeginning(block: Block): Reading {
  yield* block.need(farthest);
  if (!beginning.test(ahead(block))) block.fail("there is no parameter");
}

function ahead(block: Block): string {
  return block.text.slice(block.at, block.at + farthest);
}

function* body(block: Block, name: string): Reading<string> {
  const isOnOwnLines = /^[ \t\r]*\n/.test(ahead(block));
  return yield* yamlText(block, { mark: `</${name}>`, atLineStart: isOnOwnLines });
}

function* yamlText(block: Block, end: TextEnd): Reading<string> {
  let text = "";
  yield* rawText(block, [end], (more) => {
    text += more;
    const surplus = text.length - longest;
    if (surplus <= 0) return;
    // It fails at the same character, however much of it is buffered.
    block.at += more.length - surplus;
    block.fail("the arguments are too long");
  });
  return text;
}

/** Writes ordinary YAML if that can be read back, otherwise JSON, which is YAML too. */
function writeYaml(text: string): string {
  const given = parseJson(text);
  if (!isObject(given)) return "{}\n";
  const usual = stringify(given, { aliasDuplicateObjects: false, lineWidth: 0 });
  const isReadable = beginning.test(usual) && !usual.includes("</");
  if (isReadable && JSON.stringify(parse(usual)) === JSON.stringify(given)) return usual;
  return `${JSON.stringify(given).replaceAll("<", "\\u003c")}\n`;
}
