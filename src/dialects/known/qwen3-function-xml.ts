import { isObject, parseJson } from "../../turn/index.ts";
import type { Block } from "../core/block.ts";
import { parameterNames } from "../core/tools.ts";
import type { Dialect, Reading, TextRepair } from "../dialect.ts";
import { ArgumentsObject } from "../reading/arguments-object.ts";
import { parameterTags } from "../reading/parameter-tags.ts";
import { rawText } from "../reading/raw-text.ts";

/** A spelling of a call: the correct one, or one that models are known to write. */
interface Spelling {
  open: string;
  /** What ends the name. */
  endsOfName: readonly string[];
  close: string;
  repair?: TextRepair;
}

const open = "<tool_call>";
const close = "</tool_call>";
const parameterOpen = "<parameter=";
const endOfFunction = "</function>";
const endOfParameter = "</parameter>";

const repair = "misspelled_marker";
const endsOfName = [">", "\n", "<"];
const right: Spelling = { open: "<function=", endsOfName, close: endOfFunction };
const spellings: readonly Spelling[] = [right, spelledAs("call"), spelledAs("tool"), spelledAs("invoke")];
/** Only the first call in a block may have these spellings. */
const firstSpellings: readonly Spelling[] = [
  ...spellings,
  { ...right, open: "function=", repair: "missing_open" },
  { ...right, open: "<function>", endsOfName: [endOfFunction], repair },
  { ...right, open: "<name>", endsOfName: ["</name>"], repair },
];
const opens = spellings.map((spelling) => spelling.open);

/** `<tool_call><function=NAME><parameter=KEY>\nVALUE\n</parameter></function></tool_call>`; models forget any of the tags. */
export const qwen3FunctionXml: Dialect = {
  name: "qwen3-function-xml",
  models: "Qwen3-Coder, Qwen 3.5 to 3.8, Nemotron 3, Step 3.5, K-EXAONE 2, UI-TARS",
  openers: [open, right.open],
  closers: [close, endOfFunction],
  *read(block) {
    const isWrapped = block.opener === open;
    if (!isWrapped) yield* functions(block, right);
    else {
      yield* block.space();
      const spelling = yield* spellingAmong(block, firstSpellings);
      if (spelling) yield* functions(block, spelling);
      else yield* nameAndTags(block);
    }
    if (isWrapped && !(yield* block.closer())) {
      const isOver = (yield* block.peek()) === -1 || (yield* block.sees(open));
      block.repaired(isOver ? "missing_close" : "stray_text");
    } else if (!isWrapped) yield* block.maybe(close);
    block.accept();
  },
  write: (calls) =>
    calls.map(({ name, arguments: text }) => `${open}\n${writeFunction(name, text)}\n${close}`).join("\n"),
};

function spelledAs(word: string): Spelling {
  return { open: `<${word}=`, endsOfName, close: `</${word}>`, repair };
}

function* spellingAmong(block: Block, choices: readonly Spelling[]): Reading<Spelling | undefined> {
  const found = yield* block.oneOf(choices.map((spelling) => spelling.open));
  return choices.find((spelling) => spelling.open === found);
}

/** Reads consecutive calls, from after the first `<function=` to after the last `</function>`. */
export function* functions(block: Block, first: Spelling = right): Reading {
  for (let spelling: Spelling | undefined = first; spelling; spelling = yield* spellingAmong(block, spellings)) {
    yield* functionTags(block, spelling);
    yield* block.space();
    // A failure of the next call must not affect the calls before it.
    if (yield* block.sees(...opens)) block.accept();
  }
}

/** Reads `NAME<KEY>VALUE</KEY>…</NAME>`. The first key must be known, since other dialects begin in the same way. */
function* nameAndTags(block: Block): Reading {
  const name = yield* block.run(/[\w.:-]/, 128);
  const tool = block.tools.find(name);
  yield* block.space();
  const isCall = tool && (yield* block.sees(...parameterNames(tool).map((key) => `<${key}>`)));
  if (!isCall) block.fail("there is no call");
  block.begin(name);
  block.repaired(repair);
  yield* parameterTags(block, { around: name, trim: "one newline" });
  block.end();
  yield* block.space();
}

/** Reads from after `<function=` to after `</function>`. */
function* functionTags(block: Block, spelling: Spelling): Reading {
  const { text: name, mark } = yield* block.until(spelling.endsOfName);
  // The tag does not end: the next one begins.
  if (mark === "<") block.at--;
  block.begin(unquoted(name));
  const mended = mark === "<" ? repair : spelling.repair;
  if (mended) block.repaired(mended);
  const object = new ArgumentsObject(block);
  const { openers, closers } = block.dialect;
  for (;;) {
    yield* block.space();
    if (yield* block.maybe(spelling.close)) break;
    if ((yield* block.peek()) === -1 || (yield* block.sees(...closers, ...openers, ...opens))) {
      // A name alone, without a closer, may be part of a sentence.
      if (object.isEmpty && !(yield* block.sees(...closers))) block.fail("the function does not end");
      block.repaired("missing_close");
      break;
    }
    yield* parameter(block, object, spelling);
  }
  object.end();
  block.end();
}

function* parameter(block: Block, object: ArgumentsObject, spelling: Spelling): Reading {
  const name = yield* parameterName(block);
  // `<parameter=KEY/>`
  if (name.endsWith("/")) {
    block.repaired(repair);
    object.parameter(name.slice(0, -1).trimEnd(), "nothing").end();
    return;
  }
  const value = object.parameter(name, "one newline");
  const { openers } = block.dialect;
  const closers = block.dialect.closers.filter((mark) => mark !== endOfFunction);
  const end = yield* rawText(
    block,
    [
      { mark: endOfParameter, follows: ["<parameter", spelling.close, ...closers, ...openers, ...opens] },
      { mark: spelling.close, follows: [...closers, ...openers, ...opens], stays: true },
      ...closers.map((mark) => ({ mark, follows: [], stays: true })),
      { mark: parameterOpen, atLineStart: true, stays: true },
      { mark: "<parameter>", atLineStart: true, stays: true },
    ],
    (text) => value.add(text),
  );
  if (end.stays) block.repaired("missing_close");
  value.end();
}

/** Reads `<parameter=KEY>` or, from some models, `<parameter>KEY</parameter>`. */
function* parameterName(block: Block): Reading<string> {
  if (yield* block.maybe(parameterOpen)) return unquoted((yield* block.until([">", "\n"])).text);
  yield* block.expect("<parameter>");
  block.repaired(repair);
  return unquoted((yield* block.until([endOfParameter])).text);
}

function unquoted(name: string): string {
  return name.trim().replace(/^["']|["']$/g, "");
}

/** Writes a call as tags, with raw values. */
export function writeFunction(name: string, text: string): string {
  const given = parseJson(text);
  const parameters = Object.entries(isObject(given) ? given : {});
  const written = parameters.map(([key, value]) => {
    const raw = typeof value === "string" ? value : JSON.stringify(value);
    return `<parameter=${key}>\n${raw}\n</parameter>\n`;
  });
  return `<function=${name}>\n${written.join("")}</function>`;
}
