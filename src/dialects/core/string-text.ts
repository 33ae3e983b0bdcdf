import type { TextRepair } from "../dialect.ts";
import { isSpace } from "./characters.ts";

const quote = 0x22;
const apostrophe = 0x27;
const backslash = 0x5c;
const continuesString = /[\p{L}\p{N}_.!?()$/\\-]/u;
const hexadecimal = /[0-9a-fA-F]/;
/** Most whitespace between a string and what follows it. */
const mostSpace = 400;

/** Takes note of a repair, so many characters before the end of the text; false if it must not be made. */
export type Report = (repair: TextRepair, behind: number) => boolean;

/**
 * Parses the rest of a JSON string chunk by chunk and emits it as the inside of a JSON string. A quote ends the string only if
 * what follows can follow a string; otherwise it is a part that was not escaped.
 */
export class StringText {
  readonly #delimiter: number;
  readonly #mends: boolean;
  readonly #report: Report;
  /** Characters that may follow the string; empty if the first quote always ends it. */
  readonly #followers: string;
  #escape = "";
  #out = "";
  #hasReported = false;
  /** Signs that the string has run past the end of its block: it contains a tag, or a quote that was taken as a part of it. */
  #hasTag = false;
  #isGuess = false;
  /** Whitespace after a quote that may end the string. */
  #space = "";
  /** The last character was a quote that may end the string. */
  isAtQuote = false;
  isDone = false;
  isBad = false;

  constructor(delimiter: number, followers: string, mends: boolean, report: Report) {
    this.#delimiter = delimiter;
    this.#followers = mends ? followers : "";
    this.#mends = mends;
    this.#report = report;
  }

  get isInEscape(): boolean {
    return this.#escape !== "";
  }

  /** Returns what was read since the last call. */
  take(): string {
    const out = this.#out;
    this.#out = "";
    return out;
  }

  /** Reads on and returns where it stopped: at the end of the text, after the string, or at an invalid character. */
  read(text: string, from: number): number {
    let at = from;
    while (at < text.length && !this.isBad && !this.isDone) {
      at = this.isAtQuote ? this.#readBehindQuote(text, at) : this.#readInside(text, at);
    }
    return at;
  }

  #readInside(text: string, from: number): number {
    let at = from;
    if (this.#escape !== "") {
      at = this.#readEscape(text, at);
      if (this.#escape !== "" || this.isBad) return at;
    }
    let start = at;
    for (; at < text.length; at++) {
      const character = text.charCodeAt(at);
      if (character === this.#delimiter) {
        this.#add(text.slice(start, at));
        this.#reachQuote();
        return at + 1;
      }
      if (character === backslash) {
        this.#add(text.slice(start, at));
        this.#escape = "\\";
        at = this.#readEscape(text, at + 1);
        if (this.#escape !== "" || this.isBad) return at;
        start = at--;
      } else if (character < 0x20) {
        this.isBad = !this.#mends;
        if (this.isBad) return at;
        if (!this.#hasReported) this.#report("raw_newline", text.length - at);
        this.#hasReported = true;
        this.#add(text.slice(start, at) + escaped(text.charAt(at)));
        start = at + 1;
      } else if (character === quote) {
        this.#add(`${text.slice(start, at)}\\"`);
        start = at + 1;
      } else if (character === 0x3c && this.#isGuess) {
        this.#add(text.slice(start, at));
        this.isBad = true;
        return at;
      }
    }
    this.#add(text.slice(start, at));
    return at;
  }

  #reachQuote(): void {
    this.isAtQuote = true;
    this.#space = "";
    this.isDone = this.#followers === "";
  }

  #readBehindQuote(text: string, from: number): number {
    const character = text.charAt(from);
    if (isSpace(text.charCodeAt(from)) && this.#space.length < mostSpace) {
      this.#space += character;
      return from + 1;
    }
    // Text that is no JSON, such as a closing tag, means that the quote did end the string.
    if (character === "<" || this.#followers.includes(character)) {
      this.isDone = true;
      return from;
    }
    // Only words continue a string after a quote. Operators, another quote and tags are ambiguous.
    const isPart = continuesString.test(character) && !this.#hasTag;
    if (!isPart || !this.#report("unescaped_quote", text.length - from)) {
      this.isBad = true;
      return from;
    }
    this.#isGuess = true;
    this.isAtQuote = false;
    this.#add((this.#delimiter === quote ? '\\"' : "'") + escaped(this.#space));
    return from;
  }

  /** Reads what follows a backslash. If JSON has no such escape, the backslash was meant literally. */
  #readEscape(text: string, from: number): number {
    if (from === text.length) return from;
    const character = text.charAt(from);
    if (this.#escape !== "\\") return this.#readHexadecimal(text, from);
    if (character === "u") {
      this.#escape = "\\u";
      return this.#readHexadecimal(text, from + 1);
    }
    if ('"\\/bfnrt'.includes(character)) {
      this.#endEscape(this.#escape + character);
      return from + 1;
    }
    // JSON does not escape apostrophes in double quotes, but the meaning is clear.
    if (character === "'" && (this.#mends || this.#delimiter === apostrophe)) {
      if (this.#delimiter !== apostrophe) this.#report("bad_escape", text.length - from);
      this.#endEscape(character);
      return from + 1;
    }
    // Before a newline or a tab, the backslash only continues the line and is dropped.
    this.#keepEscape(text.length - from, character < " " ? "" : "\\\\");
    return from;
  }

  #readHexadecimal(text: string, from: number): number {
    for (let at = from; at < text.length; at++) {
      if (!hexadecimal.test(text.charAt(at))) {
        this.#keepEscape(text.length - at, `\\${this.#escape}`);
        return at;
      }
      this.#escape += text.charAt(at);
      if (this.#escape.length === 6) {
        this.#endEscape(this.#escape);
        return at + 1;
      }
    }
    return text.length;
  }

  #keepEscape(behind: number, meant: string): void {
    this.isBad = !this.#mends;
    if (this.isBad) return;
    this.#report("bad_escape", behind);
    this.#endEscape(meant);
  }

  #endEscape(meant: string): void {
    this.#add(meant);
    this.#escape = "";
  }

  #add(text: string): void {
    if (!this.#hasTag && text.includes("<")) this.#hasTag = true;
    this.#out += text;
  }
}

function escaped(text: string): string {
  return text === "" ? "" : JSON.stringify(text).slice(1, -1);
}
