import { isObject, parseJson } from "../../turn/index.ts";
import type { Block } from "../core/block.ts";
import { type KnownTools, parameterNames } from "../core/tools.ts";
import type { Reading, TextRepair, WrittenCall } from "../dialect.ts";
import { ArgumentsObject } from "./arguments-object.ts";
import { jsonObject } from "./json-call.ts";
import { rawText, type TextEnd } from "./raw-text.ts";

/** One spelling of the tags of `<invoke name="N"><parameter name="K">V</parameter></invoke>`. */
export interface InvokeTags {
  open: string;
  close: string;
  parameter: string;
  endOfParameter: string;
  /** What may follow a parameter. */
  after: readonly string[];
  /** What ends a value. */
  ends: readonly TextEnd[];
  /** Models are known to write it, but it is wrong. */
  isMisspelled: boolean;
}

export type Attributes = ReadonlyMap<string, string>;

/** A format of calls in such tags. */
export interface InvokeFormat {
  tags: readonly InvokeTags[];
  /** What ends the list of calls. */
  closers: readonly string[];
  /** A token that models wrongly put into names. */
  leak?: string;
  /** The tool that is meant by a name. */
  toolName?(name: string, tools: KnownTools): string;
  /** Reads a value and its closing tag; true if it turned out to be all of the arguments. */
  value?(block: Block, object: ArgumentsObject, name: string, tags: InvokeTags, of: Attributes): Reading<boolean>;
}

interface Words {
  invoke: string;
  parameter: string;
}

const noEnd = "the call does not end";
const usualWords = { invoke: "invoke", parameter: "parameter" };

/** The tags with this prefix. */
export function invokeTags(
  prefix: string,
  closers: readonly string[],
  { isMisspelled = false, words = usualWords }: { isMisspelled?: boolean; words?: Words } = {},
): InvokeTags {
  const open = `<${prefix}${words.invoke}`;
  const close = `</${prefix}${words.invoke}>`;
  const parameter = `<${prefix}${words.parameter}`;
  const endOfParameter = `</${prefix}${words.parameter}>`;
  const after = [parameter, close, open, ...closers];
  const ends: TextEnd[] = [
    { mark: endOfParameter, follows: after },
    { mark: close, follows: [`${open} name=`, ...closers], stays: true },
  ];
  // Without a prefix the tag may be part of a document.
  if (prefix !== "") ends.push({ mark: `${parameter} name=`, atLineStart: true, stays: true });
  return { open, close, parameter, endOfParameter, after, ends, isMisspelled };
}

/** Reads consecutive calls, from after the list's opener to after its closer. */
export function* invokeList(block: Block, format: InvokeFormat): Reading {
  const opens = format.tags.map(({ open }) => open);
  yield* block.space();
  for (;;) {
    yield* invoke(block, format);
    yield* block.space();
    if (!(yield* block.sees(...opens))) break;
    block.accept();
  }
  if ((yield* block.oneOf(format.closers)) === "") block.repaired("missing_close");
  block.accept();
}

/** Reads a single call whose tag is the block's opener. If it should be in a list, the list's closer may follow. */
export function* loneInvoke(block: Block, format: InvokeFormat): Reading {
  block.at -= block.opener.length;
  yield* invoke(block, format, format.closers.length > 0 ? "missing_open" : undefined);
  block.accept();
  if (format.closers.length === 0) return;
  yield* block.space();
  if ((yield* block.oneOf(format.closers)) !== "") block.hide();
}

/** Reads from `<invoke` to after `</invoke>`. */
export function* invoke(block: Block, format: InvokeFormat, repair?: TextRepair): Reading {
  const open = yield* block.oneOf(format.tags.map((tags) => tags.open));
  const tags = format.tags.find((each) => each.open === open);
  if (!tags) block.fail("there is no call");
  const { attributes, isEmpty, isMended } = yield* restOfTag(block, format.leak);
  const name = attributes.get("name");
  if (name === undefined) block.fail("no tool is named");
  block.begin(format.toolName?.(name, block.tools) ?? name);
  if (repair) block.repaired(repair);
  if (tags.isMisspelled || isMended) block.repaired("misspelled_marker");
  if (isEmpty) block.arguments("{}");
  else yield* callArguments(block, format, tags);
  block.end();
}

function* callArguments(block: Block, format: InvokeFormat, tags: InvokeTags): Reading {
  const object = new ArgumentsObject(block);
  const { value = rawValue } = format;
  yield* block.space();
  if (yield* block.sees("{")) {
    yield* jsonObject(block);
    yield* endOfInvoke(block, format, tags, true);
    return;
  }
  let hasSome = false;
  while (yield* block.maybe(tags.parameter)) {
    hasSome = true;
    const { attributes, isEmpty } = yield* restOfTag(block);
    const name = attributes.get("name");
    if (name === undefined) block.fail("a parameter has no name");
    if (object.has(name)) block.fail("a parameter is given twice");
    if (isEmpty) object.parameter(name, "nothing").end();
    else if (yield* value(block, object, name, tags, attributes)) {
      yield* endOfInvoke(block, format, tags, true);
      return;
    }
    yield* block.space();
  }
  yield* endOfInvoke(block, format, tags, hasSome);
  object.end();
}

/**
 * Reads the closing tag. It may be missing before the next call or the end of the list, and at the end of the message if there
 * were arguments.
 */
function* endOfInvoke(block: Block, { closers }: InvokeFormat, tags: InvokeTags, hasSome: boolean): Reading {
  yield* block.space();
  if (yield* block.maybe(tags.close)) return;
  if (!(yield* block.sees(tags.open, ...closers))) {
    if (!hasSome || closers.length === 0) block.fail(noEnd);
    if (yield* block.closer()) return;
    if ((yield* block.peek()) !== -1) block.fail(noEnd);
  }
  block.repaired("missing_close");
}

/** Reads an unquoted value and its closing tag. */
export function* rawValue(block: Block, object: ArgumentsObject, name: string, tags: InvokeTags): Reading<boolean> {
  const value = object.parameter(name, "nothing");
  yield* valueText(block, withOthers(block, object, tags), (text) => value.add(text));
  value.end();
  return false;
}

/** A line that begins with another parameter of the tool ends the value, even without its closing tag. */
function withOthers({ tool }: Block, object: ArgumentsObject, tags: InvokeTags): InvokeTags {
  const others = tool ? parameterNames(tool).filter((name) => !object.has(name)) : [];
  const marks = others.map((name) => ({ mark: `${tags.parameter} name="${name}"`, atLineStart: true, stays: true }));
  return marks.length === 0 ? tags : { ...tags, ends: [...tags.ends, ...marks] };
}

/** Reads the text of a value and its closing tag. */
export function* valueText(block: Block, tags: InvokeTags, give: (text: string) => void): Reading {
  const end = yield* rawText(block, tags.ends, give);
  if (end.stays) block.repaired("missing_close");
}

interface RestOfTag {
  attributes: Attributes;
  /** The tag closes itself: `<invoke name="N"/>`. */
  isEmpty: boolean;
  /** A token that does not belong there was dropped. */
  isMended: boolean;
}

/** Reads the attributes of a tag and its `>`. */
function* restOfTag(block: Block, leak?: string): Reading<RestOfTag> {
  const attributes = new Map<string, string>();
  let isMended = false;
  for (;;) {
    yield* block.space();
    // A tokenizer's symbol for a space, which was not decoded.
    if (yield* block.maybe("Ġ")) isMended = true;
    const end = yield* block.oneOf([">", "/>"]);
    if (end !== "") return { attributes, isEmpty: end === "/>", isMended };
    const key = yield* block.run(/[\w-]/, 64);
    yield* block.space();
    yield* block.expect("=");
    yield* block.space();
    const quote = yield* block.oneOf(['"', "'"]);
    if (quote === "") {
      attributes.set(key, yield* block.run(/[^\s<>"'/]/));
      continue;
    }
    const { text, mark } = yield* block.until(leak === undefined ? [quote] : [quote, leak]);
    attributes.set(key, text);
    if (mark === quote) continue;
    isMended = true;
    while (yield* block.maybe(mark));
    // The token may replace the rest of the tag.
    if (!(yield* block.maybe(quote))) return { attributes, isEmpty: false, isMended };
  }
}

/** Writes a call as tags, with raw values. */
export function writeInvoke(
  { name, arguments: text }: WrittenCall,
  { open, close, parameter, endOfParameter }: InvokeTags,
  writeValue: (value: unknown) => { attributes?: string; raw: string } = (value) => ({ raw: rawOf(value) }),
): string {
  const given = parseJson(text);
  const parameters = Object.entries(isObject(given) ? given : {}).map(([key, value]) => {
    const { attributes = "", raw } = writeValue(value);
    return `${parameter} name="${key}"${attributes}>${raw}${endOfParameter}\n`;
  });
  return `${open} name="${name}">\n${parameters.join("")}${close}`;
}

/** Writes a value without quotes or type. */
export function rawOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
