import { isObject, parseJson } from "../../turn/index.ts";
import { freeTextKey } from "./definition.ts";

/** What stands before the text where a model writes the function's arguments as it should. */
const opening = new RegExp(`^\\s*\\{\\s*"${freeTextKey}"\\s*:\\s*"`);
const mostBefore = 256;

/**
 * The free text inside of a function's arguments, as they grow. Where a model writes something else (the text itself, another name
 * for the one argument), the text is found when all is there.
 */
export class FreeText {
  /** before: it is not known yet how the arguments are written. odd: not as they should be. */
  #state: "before" | "inside" | "after" | "odd" = "before";
  #unread = "";

  push(delta: string): string {
    if (this.#state === "after") return "";
    this.#unread += delta;
    if (this.#state === "before") this.#begin();
    return this.#state === "inside" ? this.#read() : "";
  }

  /** What is left when the arguments are whole. */
  end(): string {
    if (this.#state === "after") return "";
    if (this.#state === "inside") return decode(this.#unread);
    return textOf(this.#unread);
  }

  #begin(): void {
    const [start] = opening.exec(this.#unread) ?? [];
    if (start !== undefined) {
      this.#state = "inside";
      this.#unread = this.#unread.slice(start.length);
    } else if (this.#unread.length > mostBefore || !mayBegin(this.#unread)) this.#state = "odd";
  }

  #read(): string {
    const text = this.#unread;
    const { end, closed } = readable(text);
    this.#unread = closed ? "" : text.slice(end);
    if (closed) this.#state = "after";
    return decode(text.slice(0, end));
  }
}

/** Whether the text can still become the beginning of arguments that are written as they should be. */
function mayBegin(text: string): boolean {
  const squeezed = text.replace(/\s+/g, "");
  return `{"${freeTextKey}":"`.startsWith(squeezed);
}

/** How far the inside of a JSON string can be read: to its end, or to an escape that may go on. */
function readable(text: string): { end: number; closed: boolean } {
  let at = 0;
  while (at < text.length) {
    const next = nextMark(text, at);
    if (next === -1) return { end: wholeCharacters(text), closed: false };
    if (text[next] === '"') return { end: next, closed: true };
    const length = escapeLength(text, next);
    if (length === undefined) return { end: next, closed: false };
    at = next + length;
  }
  return { end: text.length, closed: false };
}

function nextMark(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === 0x22 || character === 0x5c) return at;
  }
  return -1;
}

/** How long the escape is at this place; `undefined` where it may go on. */
function escapeLength(text: string, at: number): number | undefined {
  const [escaped = ""] = /^\\u[0-9a-fA-F]{0,4}/.exec(text.slice(at, at + 6)) ?? [];
  if (escaped === "") return at + 1 < text.length ? 2 : undefined;
  // One that lacks digits is no escape of a character.
  if (escaped.length < 6) return at + escaped.length < text.length ? 2 : undefined;
  // The first half of a character waits for the second, unless something else follows.
  const isHighHalf = /^\\u[dD][89abAB]/.test(escaped);
  return isHighHalf && isBeginningOfEscape(text.slice(at + 6, at + 12)) ? undefined : 6;
}

function isBeginningOfEscape(text: string): boolean {
  return text.length < 6 && /^(?:\\(?:u[0-9a-fA-F]*)?)?$/.test(text);
}

/** A character of two halves stays whole. */
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

/** An escape that JSON does not have is taken as it is written: in code and patches it is part of the text. */
function decode(inside: string): string {
  if (!inside.includes("\\")) return inside;
  return inside.replace(/\\(?:u([0-9a-fA-F]{4})|([\s\S]))/g, (written, code?: string, letter = "") =>
    code === undefined ? (escapes.get(letter) ?? written) : String.fromCharCode(Number.parseInt(code, 16)),
  );
}

/** The text that was meant by arguments in another form. What is no JSON is the text itself. */
function textOf(written: string): string {
  const value = parseJson(written);
  if (typeof value === "string") return value;
  if (!isObject(value)) return written;
  if (typeof value[freeTextKey] === "string") return value[freeTextKey];
  const values = Object.values(value);
  const [only] = values;
  return values.length === 1 && typeof only === "string" ? only : written;
}
