import type { JsonObject } from "../../turn/index.ts";
import type { Block } from "../core/block.ts";
import { declares, type KnownTool, needsArguments, parameterSchema } from "../core/tools.ts";
import type { Reading } from "../dialect.ts";
import { ArgumentsObject, type Trim } from "./arguments-object.ts";
import { Entities } from "./entities.ts";
import { rawText, type TextEnd } from "./raw-text.ts";
import { closingTag, tagAhead } from "./tool-tag.ts";
import { declaredTypes } from "./values.ts";
import { XmlValues } from "./xml-tree.ts";

/** How the parameters of a call are written as tags. */
export interface ParameterTags {
  /** Name of the tag around the parameters. */
  around: string;
  /** How a value that is declared as a string is trimmed. */
  trim: Trim;
  /** `&lt;` stands for `<`. */
  hasEntities?: boolean;
  /** The surrounding tag was not opened, so it need not be closed: the parameters end where no parameter of the tool follows. */
  isUnopened?: boolean;
}

const openingTag = /^<([^\s<>/]+)\s*>/;

/** Reads all arguments of a call, `<KEY>VALUE</KEY>…`, and the closing tag around them. */
export function* parameterTags(block: Block, tags: ParameterTags): Reading {
  const object = new ArgumentsObject(block);
  let held: Held | undefined;
  for (let count = 0; ; count++) {
    yield* block.space();
    // A surplus closing tag is skipped; after a string it could belong to the value.
    if (held && held.name !== tags.around && block.mends && (yield* block.maybe(`</${held.name}>`))) {
      block.repaired("extra_close");
      continue;
    }
    const isCut = count > 0 && block.mends && (yield* isOver(block, tags));
    if (isCut || (yield* block.sees("</"))) {
      if (held) give(block, object, held, tags);
      if (isCut) block.repaired("missing_close");
      else yield* closingTag(block, tags.around);
      if (count === 0) requireNothing(block);
      break;
    }
    yield* block.expect("<");
    const { name, isEmpty } = yield* parameterTag(block);
    if (held && held.name !== name) {
      give(block, object, held, tags);
      held = undefined;
    }
    if (isString(block, name)) yield* string(block, object, name, isEmpty, tags);
    else {
      held ??= { name, texts: [] };
      held.texts.push(isEmpty ? "" : yield* heldText(block, name, tags));
    }
  }
  object.end();
}

function* isOver(block: Block, { around, isUnopened }: ParameterTags): Reading<boolean> {
  if ((yield* block.peek()) === -1) return true;
  return isUnopened === true && !(yield* seesParameter(block, block.tool)) && !(yield* block.sees(`</${around}>`));
}

/** Whether the tag of one of the tool's parameters comes next. */
export function* seesParameter(block: Block, tool: KnownTool | undefined): Reading<boolean> {
  const name = yield* tagAhead(block, openingTag);
  return name !== "" && tool !== undefined && declares(tool, name);
}

/** A call without arguments is no call if the tool requires some. */
export function requireNothing(block: Block): void {
  if (block.tool && needsArguments(block.tool)) block.fail("there are no arguments");
}

/** Values of one parameter, emitted together when no more of them follow. */
interface Held {
  name: string;
  texts: string[];
}

/** Reads `<KEY>` or `<KEY/>`; attributes are ignored. */
function* parameterTag(block: Block): Reading<{ name: string; isEmpty: boolean }> {
  const { text: tag } = yield* block.until([">"]);
  const isEmpty = tag.endsWith("/");
  const [name = ""] = (isEmpty ? tag.slice(0, -1) : tag).split(/\s/, 1);
  if (name === "" || /^[!?]|</.test(tag)) block.fail("a parameter is missing");
  return { name, isEmpty };
}

function schemaOf(block: Block, name: string): JsonObject | undefined {
  return block.tool && parameterSchema(block.tool, name);
}

function isString(block: Block, name: string): boolean {
  const types = declaredTypes(schemaOf(block, name), block.tool?.parameters);
  return types.size === 1 && types.has("string");
}

/** What ends a value. If its own closing tag is missing, the surrounding one ends it, provided that the message ends there too. */
function valueEnds(name: string, tags: ParameterTags): TextEnd[] {
  if (tags.isUnopened) return [{ mark: `</${name}>` }];
  return [
    { mark: `</${name}>`, follows: ["<"] },
    { mark: `</${tags.around}>`, follows: [], stays: true },
  ];
}

function* string(block: Block, object: ArgumentsObject, name: string, isEmpty: boolean, tags: ParameterTags): Reading {
  if (object.has(name)) block.fail("a parameter is given twice");
  const value = object.parameter(name, tags.trim);
  const entities = tags.hasEntities ? new Entities() : undefined;
  if (!isEmpty) {
    const end = yield* rawText(block, valueEnds(name, tags), (text) => value.add(entities?.add(text) ?? text));
    if (end.stays) block.repaired("missing_close");
  }
  value.add(entities?.end() ?? "");
  value.end();
}

/** Reads a value that may contain tags, even of its own name. */
function* heldText(block: Block, name: string, tags: ParameterTags): Reading<string> {
  const open = { mark: `<${name}>` };
  const close = { mark: `</${name}>` };
  let text = "";
  let depth = 0;
  for (;;) {
    const ends = depth > 0 ? [open, close] : [open, ...valueEnds(name, tags)];
    const { mark, stays } = yield* rawText(block, ends, (more) => {
      text += more;
    });
    if (stays) block.repaired("missing_close");
    if (mark === open.mark) depth++;
    else if (depth-- === 0) return text;
    text += mark;
  }
}

function give(block: Block, object: ArgumentsObject, { name, texts }: Held, tags: ParameterTags): void {
  const values = new XmlValues(block, tags.hasEntities ?? false);
  object.json(name)(values.read(texts, schemaOf(block, name)));
}
