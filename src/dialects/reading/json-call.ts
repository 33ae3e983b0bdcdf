import { isObject, parseJson } from "../../turn/index.ts";
import type { Block } from "../core/block.ts";
import { Comment } from "../core/comment.ts";
import { JsonString } from "../core/json-string.ts";
import { JsonText } from "../core/json-text.ts";
import { declares, needsArguments } from "../core/tools.ts";
import type { Reading } from "../dialect.ts";

/** The shape of an object that represents a call. */
export interface JsonCallShape {
  name?: readonly string[];
  arguments?: readonly string[];
  /** The key of an id that the backend expects back. */
  id?: string;
  /** There is no marker: a key that calls do not have, before the tool's name, shows that it is another object. */
  isBare?: boolean;
  /** Without arguments the object is no call. */
  needsArguments?: boolean;
  /** Arguments may be a string that holds an object; otherwise that is reported as a repair. */
  mayBeEncoded?: boolean;
}

interface Found {
  arguments: boolean;
  /** Keys that calls do not have: perhaps the arguments, at the wrong level. */
  others: boolean;
}

const notJson = "the arguments are not JSON";
const noArguments = "there are no arguments";
const usualNames = ["name", "tool_name"];
/** Other keys of calls. */
const otherKeys = new Set(["type", "id", "index", "tool_call_id"]);
const usualArguments = ["arguments", "parameters", "args", "input"];

/**
 * Reads an object such as `{"name": …, "arguments": {…}}`: a complete call. The keys may come in any order, with others among
 * them.
 */
export function* jsonCall(block: Block, shape: JsonCallShape = {}): Reading {
  block.begin();
  const found: Found = { arguments: false, others: false };
  yield* callObject(block, shape, found, 0);
  if (!block.tool) block.fail("no tool is named");
  if (shape.isBare && isSchema(block)) block.fail("it defines a tool");
  if (!found.arguments) {
    if (shape.needsArguments || found.others) block.fail(noArguments);
    noneGiven(block);
  }
  block.end();
}

function* callObject(block: Block, shape: JsonCallShape, found: Found, depth: number): Reading {
  const names = shape.name ?? usualNames;
  const argumentKeys = shape.arguments ?? usualArguments;
  yield* block.expect("{");
  for (let count = 0; ; count++) {
    yield* gap(block);
    if (yield* block.maybe("}")) {
      if (count > 0) {
        if (!block.mends) block.fail("a comma is last");
        block.repaired("trailing_comma", block.offset - 1);
      }
      return;
    }
    const key = yield* objectKey(block);
    yield* gap(block);
    yield* block.expect(":");
    yield* gap(block);
    const next = yield* block.peek();
    if (names.includes(key) && isQuote(next)) {
      if (block.tool) block.fail("it is named twice");
      block.name(yield* jsonString(block));
    } else if (key === "function" && next === 0x7b && depth === 0) yield* callObject(block, shape, found, 1);
    else if (key === "function" && isQuote(next) && !block.tool) block.name(yield* jsonString(block));
    else if (argumentKeys.includes(key)) {
      if (found.arguments) block.fail("there are arguments twice");
      found.arguments = true;
      if (isQuote(next) && !shape.mayBeEncoded) block.repaired("double_encoded");
      yield* jsonArguments(block);
    } else if (key === shape.id && isQuote(next)) block.id(yield* jsonString(block));
    else {
      const isOther = !otherKeys.has(key);
      found.others ||= isOther;
      if (shape.isBare && isOther && (!block.tool || key === "description")) block.fail("it is another object");
      yield* skipValue(block);
    }
    yield* gap(block);
    if (yield* block.maybe(",")) continue;
    if (yield* block.maybe("}")) return;
    yield* missingBrace(block, found.arguments);
    return;
  }
}

/** Skips whitespace, and comments if repairs are allowed. */
function* gap(block: Block): Reading {
  yield* block.space();
  while (block.mends && (yield* block.peek()) === 0x2f) {
    block.repaired("comment");
    const comment = new Comment();
    for (;;) {
      block.at = comment.read(block.text, block.at);
      if (comment.isDone) break;
      if (comment.isBad || block.ended) block.fail(notJson);
      yield;
    }
    yield* block.space();
  }
}

/** Longest JSON Schema of a tool that a model lists. */
const longestSchema = 64 * 1024;

/** Whether the arguments are a JSON Schema: a model that lists its tools calls none. */
function isSchema(block: Block): boolean {
  const text = block.heldArguments ?? "";
  if (text.length > longestSchema || !text.includes('"properties"')) return false;
  if (block.tool && declares(block.tool, "properties")) return false;
  const given = parseJson(text);
  return isObject(given) && given.type === "object" && isObject(given.properties);
}

/** Reads a key, which may be unquoted if repairs are allowed. */
function* objectKey(block: Block): Reading<string> {
  const next = yield* block.peek();
  if (isQuote(next) || !block.mends) return yield* jsonString(block);
  const offset = block.offset;
  const key = yield* block.run(/[A-Za-z0-9_$]/);
  if (key === "") block.fail("a key is missing");
  block.repaired("unquoted_key", offset);
  return key;
}

/** The last brace may be missing if the block's closer follows. */
function* missingBrace(block: Block, hasArguments: boolean): Reading {
  const endsHere = yield* block.sees(...block.closers);
  // With a second error the meaning is ambiguous.
  if (!endsHere || !hasArguments || !block.mends || block.isMended) block.fail("the object is not closed");
  block.repaired("missing_close");
}

/** Reads arguments: an object, or a string that holds one. */
export function* jsonArguments(block: Block): Reading {
  const next = yield* block.peek();
  if (next === 0x7b) yield* jsonObject(block);
  else if (isQuote(next)) yield* encodedArguments(block);
  else if (yield* block.maybe("null")) noneGiven(block);
  else block.fail("the arguments are no object");
}

/** Missing arguments are valid if the tool requires none. */
function noneGiven(block: Block): void {
  if (block.tool && needsArguments(block.tool)) block.fail(noArguments);
  block.arguments("{}");
}

/** Reads an object as the arguments. */
export function* jsonObject(block: Block): Reading {
  if ((yield* block.peek()) !== 0x7b) block.fail("the arguments are no object");
  yield* jsonValue(
    block,
    (delta) => block.arguments(delta),
    (key) => block.forbids(key),
  );
}

/** Reads any JSON value and emits it as it arrives. */
export function* jsonValue(block: Block, give: (delta: string) => void, forbids?: (key: string) => boolean): Reading {
  const json = block.jsonText(forbids);
  for (;;) {
    block.at = json.read(block.text, block.at);
    give(json.take());
    if (json.isDone) return;
    if (json.isBad || block.ended) {
      // A closer while brackets are still open: the model forgot to close them.
      const isClosed = json.isBad && (yield* block.sees(...block.closers));
      if (!isClosed || !json.reopen() || !json.close(block.text.length - block.at)) block.fail(notJson);
      give(json.take());
      return;
    }
    yield;
  }
}

function* skipValue(block: Block): Reading {
  yield* jsonValue(block, () => {});
}

/** Reads a string that holds an object, or free text for a tool that takes only that. */
function* encodedArguments(block: Block): Reading {
  // Repairs inside the string are reported at the offset of the string.
  const { offset } = block;
  const string = new JsonString(block.text.charCodeAt(block.at), block.mends, (repair) =>
    block.repaired(repair, offset),
  );
  block.at++;
  const parameter = block.tool?.freeText;
  if (parameter !== undefined && block.mends) yield* encodedText(block, string, parameter);
  else yield* encodedObject(block, string, offset);
}

/** Reads the next piece of the string's decoded text. */
function* piece(block: Block, string: JsonString): Reading<string> {
  for (;;) {
    block.at = string.read(block.text, block.at);
    const text = string.take();
    if (text !== "" || string.isDone) return text;
    if (string.isBad || block.ended) block.fail(notJson);
    yield;
  }
}

/** Buffers the whole string: free text may begin like an object. */
function* encodedText(block: Block, string: JsonString, parameter: string): Reading {
  let text = "";
  while (!string.isDone) text += yield* piece(block, string);
  const isWrapped = isObject(parseJson(text)) || new RegExp(`^\\s*\\{\\s*"${parameter}"\\s*:`).test(text);
  if (isWrapped) block.arguments(text);
  else {
    block.repaired("missing_open");
    block.arguments(JSON.stringify({ [parameter]: text }));
  }
}

/** Streams the object that the string holds. */
function* encodedObject(block: Block, string: JsonString, offset: number): Reading {
  const forbids = (key: string) => block.forbids(key);
  const inner = new JsonText(block.mends, (repair) => block.repaired(repair, offset), forbids);
  let isEmpty = true;
  let isBroken = false;
  while (!string.isDone) {
    const decoded = yield* piece(block, string);
    if (!isBroken && (!isEmpty || decoded.trim() !== "")) {
      isBroken = isEmpty && !decoded.trimStart().startsWith("{");
      isEmpty = false;
      const end = inner.isDone || isBroken ? 0 : inner.read(decoded, 0);
      block.arguments(inner.take());
      isBroken ||= inner.isBad || (inner.isDone && decoded.slice(end).trim() !== "");
    }
  }
  // Only now is the end of the string certain.
  if (isBroken) block.fail(notJson);
  if (isEmpty) noneGiven(block);
  else if (!inner.isDone) {
    if (!inner.close(0)) block.fail(notJson);
    block.arguments(inner.take());
  }
}

/** Longest name or key. */
const longestString = 1024;

/** Reads a short string, such as a name or a key. */
export function* jsonString(block: Block): Reading<string> {
  const delimiter = yield* block.peek();
  if (delimiter !== 0x22 && !(delimiter === 0x27 && block.mends)) block.fail("a string is missing");
  if (delimiter === 0x27) block.repaired("single_quotes");
  const { offset } = block;
  const string = new JsonString(delimiter, block.mends, (repair) => block.repaired(repair, offset));
  block.at++;
  let text = "";
  let left = longestString;
  for (;;) {
    const from = block.at;
    // A string that is too long fails at the same character, however much of it is buffered.
    const some = block.text.length - from > left ? block.text.slice(0, from + left) : block.text;
    block.at = string.read(some, from);
    text += string.take();
    left -= block.at - from;
    if (string.isDone) return text;
    if (string.isBad || block.ended || left === 0) block.fail("a string does not end");
    yield;
  }
}

/** Reads one call or a list of calls. Each call is accepted as soon as it is read, unless `isAllOrNothing`. */
export function* jsonCalls(block: Block, shape: JsonCallShape = {}, isAllOrNothing = false): Reading {
  if (!(yield* block.maybe("["))) {
    yield* jsonCall(block, shape);
    return;
  }
  for (let count = 0; ; count++) {
    yield* block.space();
    if (yield* block.maybe("]")) {
      if (count === 0) block.fail("there is no call");
      return;
    }
    yield* jsonCall(block, shape);
    if (!isAllOrNothing) block.accept();
    yield* block.space();
    if ((yield* block.maybe(",")) || (yield* block.sees("{"))) continue;
    if (yield* block.maybe("]")) return;
    const next = yield* block.peek();
    if (next !== -1 && !(yield* block.sees(...block.closers))) block.fail("the list is not closed");
    block.repaired("missing_close");
    return;
  }
}

function isQuote(character: number): boolean {
  return character === 0x22 || character === 0x27;
}
