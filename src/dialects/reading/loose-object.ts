import { isObject, type JsonObject, type JsonValue } from "../../turn/index.ts";
import type { Block } from "../core/block.ts";
import { propertyOf, resolve } from "../core/tools.ts";
import type { Reading } from "../dialect.ts";
import { RawParameter } from "./arguments-object.ts";
import { jsonString, jsonValue } from "./json-call.ts";
import { type Answer, inJson, looksLike, marked } from "./look-ahead.ts";
import { rawText } from "./raw-text.ts";
import { declaredTypes } from "./values.ts";

/** Deepest nesting of arguments. */
const deepest = 64;

const keyCharacter = /[^\s:,{}[\]<"']/;
const nextKey = /\s{0,64}(?:([^\s:,{}[\]<"']{1,128}\s{0,16}:|[<"'}])|(?:[^\s:,{}[\]<"']{1,128}\s{0,16})?$)/y;

/** Without a declared type, a bare word has the type that it looks like. */
const anything = declaredTypes({ type: ["string", "integer", "number", "boolean", "null"] }, undefined);

/**
 * Reads `{key:value, …}`: unquoted keys, strings between two equal markers and without escapes, nested objects and lists. A value
 * without the marker is read by its declared type.
 */
export function* looseObject(block: Block, mark: string): Reading {
  yield* object(block, mark, block.tool?.parameters, 0);
}

function* object(block: Block, mark: string, schema: JsonObject | undefined, depth: number): Reading {
  if (depth > deepest) block.fail("it is too deep");
  yield* block.expect("{");
  block.arguments("{");
  const keys = new Set<string>();
  for (;;) {
    yield* block.space();
    if (yield* block.maybe("}")) {
      if (keys.size > 0) trailingComma(block);
      break;
    }
    const key = yield* readKey(block, mark);
    if (keys.has(key)) block.fail("a key is given twice");
    block.arguments(`${keys.size === 0 ? "" : ","}${JSON.stringify(key)}:`);
    keys.add(key);
    yield* value(block, mark, propertyOf(schema, key, block.tool?.parameters), "}", depth + 1);
    yield* block.space();
    if (yield* block.maybe(",")) continue;
    yield* closeBracket(block, "}");
    break;
  }
  block.arguments("}");
}

function* list(block: Block, mark: string, schema: JsonObject | undefined, depth: number): Reading {
  if (depth > deepest) block.fail("it is too deep");
  yield* block.expect("[");
  block.arguments("[");
  for (let count = 0; ; count++) {
    yield* block.space();
    if (yield* block.maybe("]")) {
      if (count > 0) trailingComma(block);
      break;
    }
    if (count > 0) block.arguments(",");
    yield* value(block, mark, resolve(schema?.items, block.tool?.parameters), "]", depth + 1);
    yield* block.space();
    if (yield* block.maybe(",")) continue;
    yield* closeBracket(block, "]");
    break;
  }
  block.arguments("]");
}

function trailingComma(block: Block): void {
  if (!block.mends) block.fail("a comma is last");
  block.repaired("trailing_comma", block.offset - 1);
}

/** A bracket may be missing if the block's closer follows. */
function* closeBracket(block: Block, bracket: string): Reading {
  if (yield* block.maybe(bracket)) return;
  if (!block.mends || !(yield* block.sees(...block.closers))) block.fail(`"${bracket}" is missing`);
  block.repaired("missing_close");
}

function* readKey(block: Block, mark: string): Reading<string> {
  let key: string;
  if (yield* block.maybe(mark)) key = (yield* block.until([mark])).text;
  else if (yield* block.sees('"', "'")) key = yield* jsonString(block);
  else {
    key = yield* block.run(keyCharacter, 128);
    if (key === "") block.fail("a key is missing");
  }
  yield* block.space();
  yield* block.expect(":");
  return key;
}

function* value(block: Block, mark: string, schema: JsonObject | undefined, close: "}" | "]", depth: number): Reading {
  yield* block.space();
  const give = (json: string) => block.arguments(json);
  if (yield* block.maybe(mark)) {
    give('"');
    const follows = [",", "}", "]", ...block.closers];
    yield* rawText(block, [{ mark, follows }], (text) => give(inJson(text)));
    give('"');
  } else if (yield* block.sees("{")) yield* object(block, mark, schema, depth);
  else if (yield* block.sees("[")) yield* list(block, mark, schema, depth);
  else if (yield* block.sees('"', "'")) yield* jsonValue(block, give);
  else yield* bareValue(block, schema, close);
}

/** Reads up to the bracket that closes the surrounding object or list, or to the comma before the next item or key. */
function* bareValue(block: Block, schema: JsonObject | undefined, close: "}" | "]"): Reading {
  const types = declaredTypes(schema, block.tool?.parameters);
  const parameter = new RawParameter(block, types.size === 0 ? anything : types, "all");
  let isEmpty = true;
  for (;;) {
    const { text } = block;
    let at = block.at;
    let ends: Answer = false;
    for (; at < text.length; at++) {
      ends = endsAt(block, at, close);
      if (ends !== false) break;
    }
    if (at > block.at) isEmpty = false;
    parameter.add(text.slice(block.at, at));
    block.at = at;
    if (ends === true) break;
    if (block.ended) block.fail("a value does not end");
    yield;
  }
  if (isEmpty) block.fail("a value is missing");
  parameter.end();
}

function endsAt({ text, ended, dialect }: Block, at: number, close: "}" | "]"): Answer {
  const character = text.charAt(at);
  if (character === close) return true;
  if (character === ",") return close === "]" || looksLike(nextKey, text, at + 1, ended);
  return character === "<" && marked(dialect.closers, text, at, ended);
}

/** Writes a value in this format. */
export function writeLoose(given: JsonValue | undefined, mark: string): string {
  if (typeof given === "string") return given.includes(mark) ? JSON.stringify(given) : `${mark}${given}${mark}`;
  if (Array.isArray(given)) return `[${given.map((item) => writeLoose(item, mark)).join(",")}]`;
  if (!isObject(given)) return JSON.stringify(given ?? null);
  const members = Object.entries(given).map(([key, item]) => {
    const written = /^[\w-]+$/.test(key) ? key : writeLoose(key, mark);
    return `${written}:${writeLoose(item, mark)}`;
  });
  return `{${members.join(",")}}`;
}
