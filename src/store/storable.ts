import { createHash } from "node:crypto";
import { parseJson, type Steps } from "../turn/index.ts";

/** SQLite's driver cuts a text at a zero, Postgres refuses it, and both replace half a character. */
const unstorable = /[\0\p{Surrogate}]/u;
/** Begins a text that is stored as JSON. No header and no URL can hold this character. */
const mark = "\u0001json:";
/** An index of Postgres takes about 2,700 bytes a row. */
const longestKey = 400;
/** Characters that are looked at in one go. */
const piece = 256 * 1024;

/** Whether a database returns the text unchanged. */
export function isStorable(text: string): boolean {
  return !unstorable.test(text);
}

/** The same for a text of any length. */
export function* isLongStorable(text: string): Steps<boolean> {
  for (const part of piecesOf(text, piece)) {
    if (!isStorable(part)) return false;
    yield;
  }
  return true;
}

/** Any text in a form that a database returns unchanged. */
export function storedText(text: string): string {
  return isStorable(text) && !text.startsWith(mark) ? text : mark + JSON.stringify(text);
}

export function originalText(stored: string): string {
  if (!stored.startsWith(mark)) return stored;
  const rest = stored.slice(mark.length);
  const text = parseJson(rest);
  // A hashed text cannot be restored; its hash is returned.
  return typeof text === "string" ? text : rest;
}

/** A text to find rows by. A long one is hashed; the hash has a form that no shorter text has. */
export function indexKey(text: string): string {
  const stored = storedText(text);
  if (stored.length <= longestKey) return stored;
  return `${mark}sha256-${createHash("sha256").update(stored).digest("hex")}`;
}

/** A text in pieces. A character of two units is not cut. */
export function* piecesOf(text: string, length: number): Generator<string> {
  for (let at = 0; at < text.length; ) {
    let end = Math.min(at + length, text.length);
    if ((text.codePointAt(end - 1) ?? 0) > 0xffff) end++;
    yield text.slice(at, end);
    at = end;
  }
}
