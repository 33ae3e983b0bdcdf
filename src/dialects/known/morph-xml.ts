import { isObject, parseJson } from "../../turn/index.ts";
import type { Dialect } from "../dialect.ts";
import { escapeEntities } from "../reading/entities.ts";
import { loneParameter } from "../reading/lone-parameter.ts";
import { type ParameterTags, parameterTags, requireNothing, seesParameter } from "../reading/parameter-tags.ts";
import { seesCall, toolLine, toolTag } from "../reading/tool-tag.ts";

const letters = [..."abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"];
const nextCall = /^<\s*([\w.:-]+)\s*(?:\/>|>\s*<)/;

/** `<TOOL><KEY>VALUE</KEY>…</TOOL>`: tags inside a value are an object, a repeated tag is a list; entities are decoded. */
export const morphXml: Dialect = {
  name: "morph-xml",
  models: "any that is prompted to use tool names as tags, as for Cline and Roo",
  openers: ["<"],
  closers: [],
  bare: true,
  *read(block) {
    do {
      if (block.accepted) yield* block.expect("<");
      const { name, isEmpty } = yield* toolTag(block);
      yield* block.space();
      // A tag in a sentence is no call and is not reported.
      if (!isEmpty && !(yield* block.sees("<"))) block.fail("there is no parameter");
      block.begin(name);
      if (isEmpty) {
        requireNothing(block);
        block.arguments("{}");
      } else yield* parameterTags(block, tagsAround(name));
      block.end();
      block.accept();
    } while (yield* seesCall(block, nextCall));
  },
  write: (calls) => calls.map(({ name, arguments: text }) => writeTags(name, text)).join("\n"),
};

/** `<TOOL>VALUE</TOOL>`, if only one parameter can be meant. */
export const morphXmlText: Dialect = {
  ...morphXml,
  atLineStart: true,
  mustBeNamed: true,
  *read(block) {
    const { name, isEmpty } = yield* toolTag(block);
    if (isEmpty) block.fail("there is no parameter");
    yield* loneParameter(block, name);
  },
};

/** The tool's name on a line of its own instead of its tag, followed by the parameters. */
export const morphXmlLine: Dialect = {
  ...morphXml,
  openers: letters,
  atLineStart: true,
  mustBeNamed: true,
  *read(block) {
    const name = yield* toolLine(block);
    yield* block.space();
    if (!(yield* seesParameter(block, block.tools.get(name)))) block.fail("there is no parameter");
    block.begin(name);
    if (!block.mends) block.fail("the tag of the tool is missing");
    block.repaired("missing_open");
    yield* parameterTags(block, { ...tagsAround(name), isUnopened: true });
    block.end();
    block.accept();
  },
};

function tagsAround(name: string): ParameterTags {
  return { around: name, trim: "nothing", hasEntities: true };
}

function writeTags(name: string, text: string): string {
  const given = parseJson(text);
  const written = Object.entries(isObject(given) ? given : {}).map(([key, value]) => {
    const raw = typeof value === "string" ? value : JSON.stringify(value);
    return `<${key}>${escapeEntities(raw)}</${key}>\n`;
  });
  return `<${name}>\n${written.join("")}</${name}>`;
}
