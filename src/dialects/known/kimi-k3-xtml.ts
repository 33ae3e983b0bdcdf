import { isObject, type JsonValue, parseJson } from "../../turn/index.ts";
import type { Block } from "../core/block.ts";
import type { Dialect, Reading } from "../dialect.ts";
import { ArgumentsObject } from "../reading/arguments-object.ts";
import { jsonValue } from "../reading/json-call.ts";
import { rawText } from "../reading/raw-text.ts";

const open = (tag: string) => `<|open|>${tag}`;
const close = (tag: string) => `<|close|>${tag}<|sep|>`;
const tools = open("tools<|sep|>");
const endOfCall = close("call");
const endOfArgument = close("argument");

/** `<|open|>tools<|sep|><|open|>call tool="NAME" index="1"<|sep|><|open|>argument key="KEY" type="string"<|sep|>VALUE<|close|>argument<|sep|>…` */
export const kimiK3Xtml: Dialect = {
  name: "kimi-k3-xtml",
  models: "Kimi K3",
  openers: [tools, open("call tool=")],
  closers: [close("tools")],
  reasoning: [{ open: open("think<|sep|>"), close: [close("think")] }],
  hidden: [open("response<|sep|>"), close("response"), close("message")],
  *read(block) {
    if (block.opener !== tools) {
      block.repaired("missing_open");
      block.at -= "tool=".length;
    } else {
      yield* block.space();
      yield* block.expect(open("call "));
    }
    for (;;) {
      yield* call(block);
      block.accept();
      yield* block.space();
      if (!(yield* block.maybe(open("call ")))) break;
    }
    if (yield* block.closer()) block.accept();
    else block.repaired("missing_close");
  },
  write: (calls) =>
    tools + calls.map(({ name, arguments: text }, at) => writeCall(name, text, at + 1)).join("") + close("tools"),
};

/** Reads from after `<|open|>call ` to after `<|close|>call<|sep|>`. */
function* call(block: Block): Reading {
  const { tool = "" } = yield* attributes(block);
  block.begin(tool);
  const object = new ArgumentsObject(block);
  for (;;) {
    yield* block.space();
    if (yield* block.maybe(endOfCall)) break;
    yield* block.expect(open("argument "));
    const { key, type } = yield* attributes(block);
    if (key === undefined) block.fail("an argument has no key");
    yield* argument(block, object, key, type);
  }
  object.end();
  block.end();
}

function* argument(block: Block, object: ArgumentsObject, key: string, type: string | undefined): Reading {
  if (type !== undefined && type !== "string") {
    const give = object.json(key);
    yield* jsonValue(block, give);
    yield* block.space();
    yield* block.expect(endOfArgument);
    return;
  }
  const give = type === "string" ? asString(object.json(key)) : object.parameter(key, "nothing");
  yield* rawText(block, [{ mark: endOfArgument, follows: [open("argument "), endOfCall] }], (text) => give.add(text));
  give.end();
}

function asString(give: (delta: string) => void) {
  give('"');
  return { add: (text: string) => give(JSON.stringify(text).slice(1, -1)), end: () => give('"') };
}

/** `key="value" …<|sep|>` */
function* attributes(block: Block): Reading<Record<string, string | undefined>> {
  const { text } = yield* block.until(["<|sep|>"], 2048);
  const found = new Map<string, string>();
  for (const [, name = "", value = ""] of text.matchAll(/\b([a-z]{1,16})="([^"]*)"/g))
    found.set(name, unescaped(value));
  return Object.fromEntries(found);
}

const entities = new Map([
  ["&lt;", "<"],
  ["&gt;", ">"],
  ["&quot;", '"'],
  ["&apos;", "'"],
  ["&#39;", "'"],
  ["&amp;", "&"],
]);

function unescaped(value: string): string {
  return value.replaceAll(/&(?:lt|gt|quot|apos|#39|amp);/g, (entity) => entities.get(entity) ?? entity);
}

function escaped(value: string): string {
  return value.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function writeCall(name: string, text: string, index: number): string {
  const given = parseJson(text);
  const written = Object.entries(isObject(given) ? given : {}).map(([key, value]) => {
    const raw = typeof value === "string" ? value : JSON.stringify(value);
    return `${open(`argument key="${escaped(key)}" type="${typeName(value)}"<|sep|>`)}${raw}${endOfArgument}`;
  });
  return `${open(`call tool="${escaped(name)}" index="${index}"<|sep|>`)}${written.join("")}${endOfCall}`;
}

function typeName(value: JsonValue | undefined): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
