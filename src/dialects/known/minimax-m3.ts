import { isObject, type JsonObject, type JsonValue, parseJson } from "../../turn/index.ts";
import type { Block } from "../core/block.ts";
import { isPoison } from "../core/json-words.ts";
import { parameterSchema } from "../core/tools.ts";
import type { Dialect, Reading } from "../dialect.ts";
import { ArgumentsObject, RawParameter } from "../reading/arguments-object.ts";
import { itemOf, memberOf } from "../reading/nested-schema.ts";
import { rawText } from "../reading/raw-text.ts";
import { declaredTypes } from "../reading/values.ts";

/** The token before each tag. */
const token = "]<]minimax[>[";
const invoke = `${token}<invoke name=`;
const endOfInvoke = `${token}</invoke>`;
/** Deepest nesting of arguments. */
const deepest = 32;

/**
 * `]<]minimax[>[<tool_call>]<]minimax[>[<invoke name="NAME">]<]minimax[>[<KEY>VALUE]<]minimax[>[</KEY>…`; nested elements are an
 * object or a list.
 */
export const minimaxM3: Dialect = {
  name: "minimax-m3",
  models: "MiniMax M3",
  openers: [`${token}<tool_call>`, invoke],
  closers: [`${token}</tool_call>`],
  reasoning: [{ open: "<mm:think>", close: ["</mm:think>"] }],
  *read(block) {
    if (block.opener === invoke) block.repaired("missing_open");
    else {
      yield* block.space();
      yield* block.expect(invoke);
    }
    for (;;) {
      yield* invocation(block);
      block.accept();
      yield* block.space();
      if (!(yield* block.maybe(invoke))) break;
    }
    if (yield* block.closer()) block.accept();
    else block.repaired("missing_close");
  },
  write: (calls) =>
    `${token}<tool_call>\n${calls.map(({ name, arguments: text }) => writeInvoke(name, text)).join("\n")}\n${token}</tool_call>`,
};

/** Reads from after `<invoke name=` to after `</invoke>`. */
function* invocation(block: Block): Reading {
  const { text: name } = yield* block.until([">"]);
  block.begin(name.trim().replace(/^["']|["']$/g, ""));
  const object = new ArgumentsObject(block);
  const { tool } = block;
  for (;;) {
    yield* block.space();
    if (yield* block.maybe(endOfInvoke)) break;
    const key = yield* tagName(block);
    object.json(key);
    yield* value(block, key, tool && parameterSchema(tool, key), 1);
  }
  object.end();
  block.end();
}

function* tagName(block: Block): Reading<string> {
  yield* block.expect(`${token}<`);
  const { text } = yield* block.until([">"]);
  if (text === "" || text.startsWith("/")) block.fail("a tag is missing");
  return text;
}

/** Reads the content of an element by its schema. */
function* value(block: Block, tag: string, schema: JsonObject | undefined, depth: number): Reading {
  if (depth > deepest) block.fail("it is too deep");
  const types = declaredTypes(schema, block.tool?.parameters);
  const isText = types.size === 1 && types.has("string");
  if (types.size > 0 && !types.has("string")) yield* block.space();
  if (!isText && (yield* block.sees(`${token}<`)) && !(yield* block.sees(`${token}</`))) {
    const isList = types.has("array") !== types.has("object") ? types.has("array") : undefined;
    yield* elements(block, tag, schema, isList, depth);
    return;
  }
  const raw = new RawParameter(block, types, "nothing");
  yield* rawText(block, [{ mark: `${token}</${tag}>`, follows: [token] }], (text) => raw.add(text));
  raw.end();
}

/** Reads elements up to the end of their parent. If the schema does not decide, elements named `item` are a list. */
function* elements(
  block: Block,
  tag: string,
  schema: JsonObject | undefined,
  expected: boolean | undefined,
  depth: number,
): Reading {
  const root = block.tool?.parameters;
  const keys = new Set<string>();
  let isList = expected;
  for (;;) {
    const key = yield* tagName(block);
    const isFirst = isList === undefined || keys.size === 0;
    isList ??= key === "item";
    if (!isList && (keys.has(key) || isPoison(key))) block.fail("a key is not safe, or is given twice");
    block.arguments(isFirst ? (isList ? "[" : "{") : ",");
    if (!isList) block.arguments(`${JSON.stringify(key)}:`);
    keys.add(key);
    yield* value(block, key, isList ? itemOf(schema, root) : memberOf(schema, key, root), depth + 1);
    yield* block.space();
    if (yield* block.maybe(`${token}</${tag}>`)) break;
  }
  block.arguments(isList ? "]" : "}");
}

function writeInvoke(name: string, text: string): string {
  const given = parseJson(text);
  const parameters = Object.entries(isObject(given) ? given : {});
  const written = parameters.map(([key, value]) => element(key, elementsOf(value) ?? JSON.stringify(value)));
  return `${invoke}"${name}">${written.join("")}${endOfInvoke}`;
}

function element(key: string, inside: string): string {
  return `${token}<${key}>${inside}${token}</${key}>`;
}

/** Writes a string as it is, and a list or an object as elements if it contains only strings: elements do not carry other types. */
function elementsOf(value: JsonValue | undefined): string | undefined {
  if (typeof value === "string") return value;
  if (value === undefined || value === null || typeof value !== "object") return undefined;
  const parts: [string, JsonValue | undefined][] = Array.isArray(value)
    ? value.map((item) => ["item", item])
    : Object.entries(value);
  if (parts.length === 0) return undefined;
  let written = "";
  for (const [key, part] of parts) {
    const inside = elementsOf(part);
    if (inside === undefined || !/^[A-Za-z_][\w.-]*$/.test(key)) return undefined;
    written += element(key, inside);
  }
  return written;
}
