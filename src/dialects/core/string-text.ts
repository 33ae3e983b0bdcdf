import type { TextRepair } from "../dialect.ts";
import { isSpace } from "./characters.ts";

const quote = 0x22;
const apostrophe = 0x27;
const backslash = 0x5c;
const goesOn = /[\p{L}\p{N}_.!?()$/\\-]/u;
const hexadecimal = /[0-9a-fA-F]/;
/** More white space than this does not stand between a string and what follows it. */
const mostSpace = 400;

/**
 * Reads the rest of a JSON string, piece by piece, and gives it out again as the inside of one. A quote ends it only if what
 * follows can follow a string; else it was meant as a part of it.
 */
export class StringText {
  readonly #delimiter: number;
  readonly #mends: boolean;
  readonly #report: (repair: TextRepair, behind: number) => void;
  /** The characters that may follow; none, where the first quote is the end whatever follows. */
  readonly #followers: string;
  #escape = "";
  #out = "";
  #hasReported = false;
  /** It may have run over the end of its block: it has a tag in it, or a quote that was taken for a part of it. */
  #hasTag = false;
  #isGuess = false;
  /** White space behind a quote that may end it. */
  #space = "";
  /** A quote was last. */
  isAtQuote = false;
  isDone = false;
  isBad = false;

  constructor(
    delimiter: number,
    followers: string,
    mends: boolean,
    report: (repair: TextRepair, behind: number) => void,
  ) {
    this.#delimiter = delimiter;
    this.#followers = mends ? followers : "";
    this.#mends = mends;
    this.#report = report;
  }

  get isInEscape(): boolean {
    return this.#escape !== "";
  }

  /** What was read since the last time. */
  take(): string {
    const out = this.#out;
    this.#out = "";
    return out;
  }

  /** Reads on, and tells where it stopped: at the end of the text, behind the string, or at what cannot be. */
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
    // What is no JSON at all, such as a closing tag, leaves the end where it seemed to be.
    if (character === "<" || this.#followers.includes(character)) {
      this.isDone = true;
      return from;
    }
    // Only words go on behind a quote. Operators, another quote, or tags may mean more than one thing.
    if (!goesOn.test(character) || this.#hasTag) {
      this.isBad = true;
      return from;
    }
    this.#isGuess = true;
    this.isAtQuote = false;
    this.#report("unescaped_quote", text.length - from);
    this.#add((this.#delimiter === quote ? '\\"' : "'") + escaped(this.#space));
    return from;
  }

  /** Reads what follows a backslash; an escape that JSON does not know is a backslash that was meant to be one. */
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
    // An apostrophe needs no backslash in a string of double quotes, and is meant all the same.
    if (character === "'" && (this.#mends || this.#delimiter === apostrophe)) {
      if (this.#delimiter !== apostrophe) this.#report("bad_escape", text.length - from);
      this.#endEscape(character);
      return from + 1;
    }
    // Before a line end or a tab, it was meant to go on there.
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
