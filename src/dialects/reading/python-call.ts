import { isObject, type JsonValue, parseJson } from "../../turn/index.ts";
import type { Block } from "../core/block.ts";
import type { Reading, WrittenCall } from "../dialect.ts";
import { ArgumentsObject } from "./arguments-object.ts";
import { type Nest, pythonString, type StringContext } from "./python-string.ts";

type Give = (json: string) => void;

/** Deepest nesting of arguments. */
const deepest = 64;

const nameCharacter = /[\w.\-/]/;
const keyCharacter = /[^\s=,:()[\]{}'"]/;
const tokenCharacter = /[\w.+-]/;
const number = /^([+-]?)(\d*)(?:\.(\d*))?([eE][+-]?\d+)?$/;
const literals = new Map([
  ["True", "true"],
  ["False", "false"],
  ["None", "null"],
  ["true", "true"],
  ["false", "false"],
  ["null", "null"],
]);

const callStart = /\s{0,64}(?:([\w.\-/]{1,128}\(|[\]{])|(?:[\w.\-/]{1,128})?$)/y;
const argumentStart = /\s{0,64}(?:([^\s=,:()[\]{}'"]{1,128}\s{0,16}=|\))|(?:[^\s=,:()[\]{}'"]{1,128}\s{0,16})?$)/y;
const valueStart =
  /\s{0,64}(?:(["'\d\-+.[{(\])}]|[rR]["']|(?:[Tt]rue|[Ff]alse|None|null)(?=[\s,\])}]))|[A-Za-z]{0,5}$)/y;
const keyStart = /\s{0,64}(?:(["'\d}])|$)/y;
/** The block's closer, if the list itself was not closed; or, with one call a line, the next call. */
const blockEnd = /(?:(<[|/])|<?$)/y;
const lineStart = /(?:(<[|/]|[\w.\-/]{1,128}\()|(?:<|[\w.\-/]{1,128})?$)/y;

const inList: Nest = { close: "]", afterComma: callStart, otherwise: blockEnd, depth: 0 };
const inLines: Nest = { close: "", afterComma: callStart, otherwise: lineStart, depth: 0 };

/**
 * Reads calls in Python's syntax: a list `[f(a="x"), g()]`, or one a line. `other` reads an entry that begins with a brace, if
 * the dialect has such entries.
 */
export function* pythonCalls(block: Block, other?: (block: Block) => Reading): Reading {
  yield* block.space();
  const isList = block.opener === "[" || (yield* block.maybe("["));
  const nest = { ...(isList ? inList : inLines) };
  for (let count = 0; ; count++) {
    yield* block.space();
    if (isList && count > 0 && (yield* block.maybe("]"))) return;
    if (other && (yield* block.sees("{"))) yield* other(block);
    else yield* pythonCall(block, nest);
    // Without a marker, or if a string may have been misread, the calls count only when all of them have been read.
    if (!block.dialect.bare && !nest.isDoubtful) block.accept();
    yield* block.space();
    if (yield* block.maybe(",")) continue;
    if (isList && (yield* block.maybe("]"))) return;
    const isOver = (yield* block.peek()) === -1 || (yield* block.sees(...block.closers));
    if (!isList && !isOver) continue;
    if (!isList) return;
    if (!isOver || block.dialect.bare) block.fail("the list is not closed");
    block.repaired("missing_close");
    return;
  }
}

/** `name(key=value, …)`. */
function* pythonCall(block: Block, outer: Nest): Reading {
  const name = yield* block.run(nameCharacter, 128);
  if (name === "") block.fail("no tool is named");
  yield* block.expect("(");
  block.begin(name);
  const object = new ArgumentsObject(block);
  const nest: Nest = { close: ")", afterComma: argumentStart, outer, depth: 0 };
  for (;;) {
    yield* block.space();
    if (yield* block.maybe(")")) break;
    const key = yield* block.run(keyCharacter, 128);
    if (key === "") block.fail("an argument has no name");
    yield* block.space();
    yield* block.expect("=");
    yield* value(block, { nest, mayBeKey: false }, object.json(key));
    yield* block.space();
    if (yield* block.maybe(",")) continue;
    yield* block.expect(")");
    break;
  }
  object.end();
  block.end();
}

function* value(block: Block, place: StringContext, give: Give): Reading {
  yield* block.space();
  const next = yield* block.peek();
  const { depth } = place.nest;
  if (depth > deepest) block.fail("it is too deep");
  switch (next) {
    case 0x22:
    case 0x27:
      yield* pythonString(block, place, false, give);
      return;
    case 0x5b:
      block.at++;
      give("[");
      yield* items(block, { close: "]", afterComma: valueStart, outer: place.nest, depth: depth + 1 }, true, give);
      return;
    case 0x28:
      block.at++;
      yield* tuple(block, { close: ")", afterComma: valueStart, outer: place.nest, depth: depth + 1 }, give);
      return;
    case 0x7b:
      block.at++;
      yield* braces(block, place.nest, depth + 1, give);
      return;
    default:
      yield* token(block, place, give);
  }
}

/** Reads a number, a literal, or the prefix of a raw string. */
function* token(block: Block, place: StringContext, give: Give): Reading {
  const start = block.offset;
  const text = yield* block.run(tokenCharacter, 400);
  if (text === "r" || text === "R") {
    if (!(yield* block.sees('"', "'"))) block.fail("a value is missing");
    yield* pythonString(block, place, true, give);
    return;
  }
  const json = literals.get(text) ?? numberAsJson(text);
  if (json === undefined) block.fail("a value is no literal");
  if (/^[+-]?0\d+$/.test(text)) {
    if (!block.mends) block.fail("a number begins with a zero");
    block.repaired("python_literal", start);
  }
  give(json);
}

function numberAsJson(text: string): string | undefined {
  const [all, sign, whole = "", fraction = "", exponent = ""] = number.exec(text.replaceAll("_", "")) ?? [];
  if (all === undefined || whole + fraction === "") return undefined;
  const digits = whole.replace(/^0+(?=\d)/, "") || "0";
  return `${sign === "-" ? "-" : ""}${digits}${fraction === "" ? "" : `.${fraction}`}${exponent}`;
}

/** Reads the rest of a list whose bracket was emitted already. */
function* items(block: Block, nest: Nest, isFirst: boolean, give: Give): Reading {
  for (let isNext = !isFirst; ; isNext = true) {
    yield* block.space();
    if (yield* block.maybe(nest.close)) break;
    if (isNext) give(",");
    yield* value(block, { nest, mayBeKey: false }, give);
    yield* block.space();
    if (yield* block.maybe(",")) continue;
    yield* block.expect(nest.close);
    break;
  }
  give("]");
}

/** `(1, 2)` is a list; `(1)` is just the value. */
function* tuple(block: Block, nest: Nest, give: Give): Reading {
  yield* block.space();
  if (yield* block.maybe(")")) {
    give("[]");
    return;
  }
  const first = yield* held(block, { nest, mayBeKey: false });
  if (yield* block.maybe(",")) {
    give(`[${first}`);
    yield* items(block, nest, false, give);
    return;
  }
  yield* block.expect(")");
  give(first);
}

/** `{"a": 1}` is an object; `{"a", "b"}`, a set, is a list. */
function* braces(block: Block, outer: Nest, depth: number, give: Give): Reading {
  const object: Nest = { close: "}", afterComma: keyStart, outer, depth };
  const set: Nest = { close: "}", afterComma: valueStart, outer, depth };
  yield* block.space();
  if (yield* block.maybe("}")) {
    give("{}");
    return;
  }
  const first = yield* held(block, { nest: set, mayBeKey: true });
  if (!(yield* block.sees(":"))) {
    give(`[${first}`);
    if (yield* block.maybe(",")) yield* items(block, set, false, give);
    else {
      yield* block.expect("}");
      give("]");
    }
    return;
  }
  give("{");
  for (let key = first; ; key = yield* held(block, { nest: object, mayBeKey: true })) {
    yield* block.expect(":");
    give(`${asKey(block, key)}:`);
    yield* value(block, { nest: object, mayBeKey: false }, give);
    yield* block.space();
    const hasComma = yield* block.maybe(",");
    yield* block.space();
    if (yield* block.maybe("}")) break;
    if (!hasComma) block.fail("an object is not closed");
    give(",");
  }
  give("}");
}

/** Buffers a value whose meaning depends on what follows, and skips the whitespace after it. */
function* held(block: Block, place: StringContext): Reading<string> {
  let json = "";
  yield* value(block, place, (delta) => {
    json += delta;
  });
  yield* block.space();
  return json;
}

function asKey(block: Block, json: string): string {
  if (json.startsWith('"')) return json;
  if (json.startsWith("{") || json.startsWith("[")) block.fail("a key is no literal");
  return JSON.stringify(json);
}

export function writePythonCall({ name, arguments: text }: WrittenCall): string {
  const given = parseJson(text);
  const written = Object.entries(isObject(given) ? given : {}).map(([key, item]) => `${key}=${writePython(item)}`);
  return `${name}(${written.join(", ")})`;
}

function writePython(given: JsonValue | undefined): string {
  if (given === null || given === undefined) return "None";
  if (typeof given === "boolean") return given ? "True" : "False";
  if (Array.isArray(given)) return `[${given.map(writePython).join(", ")}]`;
  if (!isObject(given)) return JSON.stringify(given);
  const members = Object.entries(given).map(([key, item]) => `${JSON.stringify(key)}: ${writePython(item)}`);
  return `{${members.join(", ")}}`;
}
