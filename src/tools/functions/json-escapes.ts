import { parseJson } from "../../turn/index.ts";

/**
 * How far the inside of a JSON string can be decoded: up to its next quote, or to an escape or a character that may be
 * incomplete.
 */
export function readableEnd(text: string): number {
  let at = 0;
  while (at < text.length) {
    const next = nextMark(text, at);
    if (next === -1) return wholeCharacters(text);
    if (text[next] === '"') return next;
    const length = escapeLength(text, next);
    if (length === undefined) return next;
    at = next + length;
  }
  return wholeCharacters(text);
}

function nextMark(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === 0x22 || character === 0x5c) return at;
  }
  return -1;
}

/** Length of the escape at this index; `undefined` if it may be incomplete. */
function escapeLength(text: string, at: number): number | undefined {
  const [escaped = ""] = /^\\u[0-9a-fA-F]{0,4}/.exec(text.slice(at, at + 6)) ?? [];
  if (escaped === "") return at + 1 < text.length ? 2 : undefined;
  // `\u` with too few digits is not a character escape.
  if (escaped.length < 6) return at + escaped.length < text.length ? 2 : undefined;
  // A high surrogate waits for its low surrogate, unless something else follows.
  const isHighHalf = /^\\u[dD][89abAB]/.test(escaped);
  return isHighHalf && isBeginningOfEscape(text.slice(at + 6, at + 12)) ? undefined : 6;
}

function isBeginningOfEscape(text: string): boolean {
  return text.length < 6 && /^(?:\\(?:u[0-9a-fA-F]*)?)?$/.test(text);
}

/** Length of the text without a high surrogate at its end. */
function wholeCharacters(text: string): number {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? text.length - 1 : text.length;
}

const escapes = new Map([
  ["n", "\n"],
  ["t", "\t"],
  ["r", "\r"],
  ["b", "\b"],
  ["f", "\f"],
  ['"', '"'],
  ["\\", "\\"],
  ["/", "/"],
]);

/** An escape that JSON does not have is kept as it is written: in code and patches it is part of the text. */
export function decodeEscapes(inside: string): string {
  if (!inside.includes("\\")) return inside;
  const decoded = parseJson(`"${inside}"`);
  if (typeof decoded === "string") return decoded;
  return inside.replace(/\\(?:u([0-9a-fA-F]{4})|([\s\S]))/g, (written, code?: string, letter = "") =>
    code === undefined ? (escapes.get(letter) ?? written) : String.fromCharCode(Number.parseInt(code, 16)),
  );
}
