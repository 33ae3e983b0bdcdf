import type { Block } from "../core/block.ts";
import { isSpace } from "../core/characters.ts";
import { declares, parameterNames } from "../core/tools.ts";
import type { Reading } from "../dialect.ts";
import { type Answer, inJson, looksLike } from "./look-ahead.ts";

/** The brackets around a string. */
export interface Nest {
  /** The closing bracket. */
  close: string;
  /** What may follow a comma; a pattern for `looksLike`. */
  afterComma: RegExp;
  /** What may come instead of a comma. */
  otherwise?: RegExp;
  outer?: Nest | undefined;
  depth: number;
  /** Set on the outermost: a quote was taken as part of a string, so the end of the string is uncertain. */
  isDoubtful?: boolean;
}

const backslash = 0x5c;
/** How far to look for what must follow a string. */
const farthest = 64;

const longestEscape = 10;
const escapes = new Map([
  ["\\", "\\"],
  ["'", "'"],
  ['"', '"'],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["b", "\b"],
  ["f", "\f"],
  ["v", "\v"],
  ["a", "\x07"],
  // A line continuation.
  ["\n", ""],
]);
const hexDigits = new Map([
  ["x", 2],
  ["u", 4],
  ["U", 8],
]);

export interface StringContext {
  nest: Nest;
  /** It may be a key, which a colon follows. */
  mayBeKey: boolean;
}

/**
 * Reads a Python string from its first quote on and emits it as JSON while it arrives. A quote closes it only if what follows may
 * follow a string there: models forget to escape quotes.
 */
export function* pythonString(
  block: Block,
  place: StringContext,
  isRaw: boolean,
  give: (json: string) => void,
): Reading {
  const quote = block.text.charAt(block.at++);
  const isLong = yield* block.maybe(quote + quote);
  const delimiter = isLong ? quote.repeat(3) : quote;
  const quoteCode = quote.charCodeAt(0);
  let mindsNewlines = !isLong;
  let isDoubtful = false;
  let out = '"';
  for (;;) {
    const { text } = block;
    const end = nextMark(text, block.at, quoteCode, mindsNewlines);
    if (end > block.at) out += inJson(text.slice(block.at, end));
    block.at = end;
    const character = end < text.length ? text.charCodeAt(end) : -1;
    const closes = character === quoteCode ? closesAt(block, delimiter, place, isDoubtful) : false;
    if (closes === true) break;
    // Emit everything before waiting or failing, so that the result does not depend on how the text was chunked.
    if (character !== backslash || text.length - end < longestEscape) {
      give(out);
      out = "";
    }
    if (character === -1 || closes === "more") {
      if (block.ended) block.fail("a string does not end");
      yield;
    } else if (character === backslash) {
      out += yield* escaped(block, isRaw);
    } else if (character === quoteCode) {
      if (!isLong && !isDoubtful) slip(block, "bad_escape");
      isDoubtful = !isLong;
      out += inJson(quote);
      block.at++;
    } else {
      slip(block, "raw_newline");
      mindsNewlines = false;
    }
  }
  block.at += delimiter.length;
  give(`${out}"`);
  if (isDoubtful) outermost(place.nest).isDoubtful = true;
}

function outermost(nest: Nest): Nest {
  let found = nest;
  while (found.outer) found = found.outer;
  return found;
}

/** Index of the next character that needs attention. */
function nextMark(text: string, from: number, quote: number, mindsNewlines: boolean): number {
  for (let at = from; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === quote || character === backslash || (mindsNewlines && character === 0x0a)) return at;
  }
  return text.length;
}

function slip(block: Block, repair: "raw_newline" | "bad_escape"): void {
  if (!block.mends) block.fail("a string is not closed");
  block.repaired(repair);
}

function closesAt(block: Block, delimiter: string, place: StringContext, isDoubtful: boolean): Answer {
  const { text, at, ended } = block;
  if (text.length - at < delimiter.length) return !ended && delimiter.startsWith(text.slice(at)) && "more";
  if (!text.startsWith(delimiter, at)) return false;
  return !block.mends || isFollowed(block, at + delimiter.length, place, isDoubtful);
}

/** Whether what follows may follow a string here: closing brackets, up to a comma or the end. */
function isFollowed(block: Block, from: number, { nest, mayBeKey }: StringContext, isDoubtful: boolean): Answer {
  const { text, ended } = block;
  let level = nest;
  const isWanted = (found: string) => !isDoubtful || isDeclared(block, level, found);
  for (let at = from; at - from < farthest; at++) {
    if (at === text.length) return ended || "more";
    if (isSpace(text.charCodeAt(at))) continue;
    const character = text.charAt(at);
    if (character === ",") return looksLike(level.afterComma, text, at + 1, ended, isWanted);
    if (character === level.close) {
      if (!level.outer) return true;
      level = level.outer;
    } else if (character === ":" && level === nest) return mayBeKey;
    else {
      // Operators and another string are ambiguous.
      if (level.otherwise === undefined && /["'+;%*&|=]/.test(character)) block.fail("a string is not closed");
      return level.otherwise !== undefined && looksLike(level.otherwise, text, at, ended, isWanted);
    }
  }
  return true;
}

/** A string that contains quotes may be code, so an argument or a call that follows it must be a declared one. */
function isDeclared({ tool, tools }: Block, level: Nest, found: string): boolean {
  if (found.endsWith("=")) {
    return !tool || parameterNames(tool).length === 0 || declares(tool, found.slice(0, -1).trim());
  }
  return level.outer !== undefined || !found.endsWith("(") || tools.find(found.slice(0, -1)) !== undefined;
}

/** Decodes an escape, as JSON. Python keeps escapes that it does not know. */
function* escaped(block: Block, isRaw: boolean): Reading<string> {
  yield* block.need(2);
  const kind = block.text.charAt(block.at + 1);
  if (isRaw) {
    const length = kind === "'" || kind === '"' || kind === "\\" ? 2 : 1;
    block.at += length;
    return inJson(block.text.slice(block.at - length, block.at));
  }
  const meant = escapes.get(kind);
  if (meant !== undefined) {
    block.at += 2;
    return inJson(meant);
  }
  const code = yield* numbered(block, kind);
  block.at += code?.length ?? 1;
  return code ? inJson(String.fromCodePoint(code.value)) : "\\\\";
}

/** A character by its number: `\x41`, `\u0041`, `\U00000041`, `\101`. */
function* numbered(block: Block, kind: string): Reading<{ value: number; length: number } | undefined> {
  const count = hexDigits.get(kind);
  if (count !== undefined) {
    yield* block.need(2 + count);
    const digits = block.text.slice(block.at + 2, block.at + 2 + count);
    const value = Number.parseInt(digits, 16);
    const isWhole = digits.length === count && /^[0-9a-fA-F]+$/.test(digits) && value <= 0x10ffff;
    return isWhole ? { value, length: 2 + count } : undefined;
  }
  if (!/[0-7]/.test(kind)) return undefined;
  yield* block.need(4);
  const [digits = ""] = /^[0-7]{1,3}/.exec(block.text.slice(block.at + 1, block.at + 4)) ?? [];
  return { value: Number.parseInt(digits, 8), length: 1 + digits.length };
}
