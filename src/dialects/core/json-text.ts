import { parseJson } from "../../turn/index.ts";
import type { TextRepair } from "../dialect.ts";
import { Comment } from "./comment.ts";

const quote = 0x22;
const apostrophe = 0x27;
const backslash = 0x5c;

/** Deeper than this it is no arguments of anything. */
const deepest = 512;
/** A number or a literal that is longer is none. */
const longestToken = 400;

type State =
  | "value"
  | "first-value"
  | "first-key"
  | "key"
  | "bare-key"
  | "colon"
  | "after"
  | "string"
  | "string-end"
  | "token"
  | "done"
  | "bad";

const literals = new Map([
  ["true", "true"],
  ["false", "false"],
  ["null", "null"],
]);
const pythonLiterals = new Map([
  ["True", "true"],
  ["False", "false"],
  ["None", "null"],
]);
const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const hexadecimal = /^[0-9a-fA-F]{4}$/;

/**
 * Reads one JSON value, piece by piece, and gives it out again as JSON while it comes. What it gives out is always the beginning
 * of a valid value: slips that have only one reading are mended on the way, and reported.
 */
export class JsonText {
  readonly #mends: boolean;
  readonly #report: (repair: TextRepair, behind: number) => void;
  #state: State = "value";
  #closers = "";
  #out = "";
  /** The delimiter of the string that is open; whether it is a key; how much of an escape has come. */
  #delimiter = quote;
  #isKey = false;
  #key = "";
  #escape = "";
  #token = "";
  /** A comma is given out when something follows it. */
  #comma = false;
  /** What was read of a string just now. */
  #string = "";
  #stringReported = false;
  /** The string may have run over the end of its block: it has a tag in it, or a quote that was taken for a part of it. */
  #hasTag = false;
  #isGuess = false;
  /** White space behind a quote that may end a string. */
  #space = "";
  /** What was expected where something else came. */
  #before: State | undefined;

  /** Whether the value may have no member of this name. */
  readonly #forbids: ((key: string) => boolean) | undefined;
  /** A member that is left out is being read; how many were given. */
  #isMuted = false;
  #members = 0;
  #comment: Comment | undefined;

  constructor(
    mends: boolean,
    report: (repair: TextRepair, behind: number) => void,
    forbids?: (key: string) => boolean,
  ) {
    this.#mends = mends;
    this.#report = report;
    this.#forbids = forbids;
  }

  get isDone(): boolean {
    return this.#state === "done";
  }

  get isBad(): boolean {
    return this.#state === "bad";
  }

  /** What has been read since the last time, as JSON. */
  take(): string {
    const out = this.#out;
    this.#out = "";
    return out;
  }

  /** Reads on, and tells where it stopped: at the end of the text, behind the value, or at what cannot be. */
  read(text: string, from: number): number {
    let at = from;
    while (at < text.length) {
      if (this.#state === "string") {
        at = this.#readString(text, at);
        if (this.#isAtQuote() && (!this.#mends || this.#closers === "")) this.#endString(text.length - at);
        if (this.isBad || this.isDone) return at;
        continue;
      }
      if (this.#state === "string-end") {
        at = this.#readStringEnd(text, at);
        if (this.isBad) return at;
        continue;
      }
      if (this.#state === "bare-key") {
        at = this.#readBareKey(text, at);
        if (this.isBad) return at;
        continue;
      }
      if (this.#state === "token") {
        at = this.#readToken(text, at);
        if (this.isBad || this.isDone) return at;
        continue;
      }
      const character = text.charCodeAt(at);
      if (this.#comment || (character === 0x2f && this.#mends)) {
        at = this.#readComment(text, at);
        if (this.isBad) return at;
        continue;
      }
      if (isSpace(character)) {
        at++;
        continue;
      }
      const before = this.#state;
      if (!this.#readMark(character, text.length - at)) {
        this.#before = before;
        this.#state = "bad";
        return at;
      }
      if (!this.#isInToken()) at++;
      if (this.isDone) return at;
    }
    return at;
  }

  /** The text ends here, and so does what was last: a number, a literal, or a string whose quote was. */
  end(): void {
    if (this.#state === "string-end") this.#endString(0);
    if (this.#state === "token" && !this.#endToken(0)) this.#state = "bad";
  }

  /** What could not be read stands behind the value: back to before it. False where the value itself is broken. */
  reopen(): boolean {
    if (this.#before === undefined) return false;
    this.#state = this.#before;
    return true;
  }

  /** Supplies the brackets that were never closed, so many characters before the end of the text; false where more is missing. */
  close(behind: number): boolean {
    this.end();
    const isOpen = this.#state === "after" || this.#state === "first-key" || this.#state === "first-value";
    if (!this.#mends || !isOpen) return false;
    this.#isMuted = false;
    for (let depth = this.#closers.length - 1; depth >= 0; depth--) this.#out += this.#closers.charAt(depth);
    this.#report("missing_close", behind);
    this.#closers = "";
    this.#state = "done";
    return true;
  }

  #readComment(text: string, from: number): number {
    if (!this.#comment) {
      this.#comment = new Comment();
      this.#report("comment", text.length - from);
    }
    const at = this.#comment.read(text, from);
    if (this.#comment.isBad) this.#state = "bad";
    if (this.#comment.isDone) this.#comment = undefined;
    return at;
  }

  #isAtQuote(): boolean {
    return this.#state === "string-end";
  }

  #isInToken(): boolean {
    return this.#state === "token" || this.#state === "bare-key";
  }

  #readBareKey(text: string, from: number): number {
    const most = Math.min(text.length, from + longestToken + 1 - this.#token.length);
    let at = from;
    while (at < most && isKeyCharacter(text.charCodeAt(at))) at++;
    this.#token += text.slice(from, at);
    if (this.#token.length > longestToken) this.#state = "bad";
    else if (at < text.length) {
      this.#endKey(this.#token, text.length - at);
    }
    return at;
  }

  #readMark(character: number, behind: number): boolean {
    switch (this.#state) {
      case "first-value":
        if (character === 0x5d) return this.#pop("]");
        return this.#begin(character, behind);
      case "value":
        if (character === 0x5d && this.#comma && this.#closers.endsWith("]")) return this.#dropComma("]", behind);
        return this.#begin(character, behind);
      case "first-key":
        if (character === 0x7d) return this.#pop("}");
        return this.#beginKey(character, behind);
      case "key":
        if (character === 0x7d && this.#comma) return this.#dropComma("}", behind);
        return this.#beginKey(character, behind);
      case "colon":
        if (character !== 0x3a) return false;
        this.#write(":");
        this.#state = "value";
        return true;
      default:
        if (character === 0x2c && this.#closers !== "") {
          this.#comma = true;
          this.#state = this.#closers.endsWith("}") ? "key" : "value";
          return true;
        }
        if (character === 0x7d) return this.#pop("}");
        return character === 0x5d && this.#pop("]");
    }
  }

  #begin(character: number, behind: number): boolean {
    if (!canBegin(character)) return false;
    this.#giveComma();
    switch (character) {
      case 0x7b:
        return this.#push("{", "}", "first-key");
      case 0x5b:
        return this.#push("[", "]", "first-value");
      case quote:
        return this.#beginString(character, false, behind);
      case apostrophe:
        return this.#mends && this.#beginString(character, false, behind);
      default:
        this.#token = "";
        this.#state = "token";
        return true;
    }
  }

  #beginKey(character: number, behind: number): boolean {
    if (character === quote || (character === apostrophe && this.#mends)) {
      return this.#beginString(character, true, behind);
    }
    if (!this.#mends || !isKeyCharacter(character)) return false;
    this.#report("unquoted_key", behind);
    this.#token = "";
    this.#state = "bare-key";
    return true;
  }

  #beginString(delimiter: number, isKey: boolean, behind: number): boolean {
    if (delimiter === apostrophe) this.#report("single_quotes", behind);
    this.#delimiter = delimiter;
    this.#isKey = isKey;
    this.#key = "";
    this.#stringReported = false;
    this.#hasTag = false;
    this.#isGuess = false;
    this.#write(isKey ? "" : '"');
    this.#state = "string";
    return true;
  }

  #push(opener: string, closer: string, state: State): boolean {
    if (this.#closers.length >= deepest) return false;
    this.#write(opener);
    this.#closers += closer;
    this.#state = state;
    return true;
  }

  #pop(closer: string): boolean {
    if (!this.#closers.endsWith(closer)) return false;
    this.#closers = this.#closers.slice(0, -1);
    this.#write(closer);
    this.#endValue();
    return true;
  }

  #dropComma(closer: string, behind: number): boolean {
    if (!this.#mends) return false;
    this.#report("trailing_comma", behind);
    this.#comma = false;
    return this.#pop(closer);
  }

  #giveComma(): void {
    if (this.#comma && (this.#closers.length > 1 || this.#members > 0 || this.#closers === "]")) this.#write(",");
    this.#comma = false;
  }

  #readString(text: string, from: number): number {
    const at = this.#readInString(text, from);
    const read = this.#string;
    this.#string = "";
    if (!this.#hasTag && read.includes("<")) this.#hasTag = true;
    if (this.#isKey) this.#key += read;
    else this.#write(read);
    return at;
  }

  #readInString(text: string, from: number): number {
    let at = from;
    if (this.#escape !== "") {
      at = this.#readEscape(text, at);
      if (this.#escape !== "" || this.isBad) return at;
    }
    let start = at;
    for (; at < text.length; at++) {
      const character = text.charCodeAt(at);
      if (character === this.#delimiter) {
        this.#string += text.slice(start, at);
        this.#state = "string-end";
        this.#space = "";
        return at + 1;
      }
      if (character === backslash) {
        this.#string += text.slice(start, at);
        this.#escape = "\\";
        at = this.#readEscape(text, at + 1);
        if (this.#escape !== "" || this.isBad) return at;
        start = at--;
      } else if (character < 0x20) {
        if (!this.#mends) {
          this.#state = "bad";
          return at;
        }
        if (!this.#stringReported) this.#report("raw_newline", text.length - at);
        this.#stringReported = true;
        this.#string += text.slice(start, at) + escaped(character);
        start = at + 1;
      } else if (character === quote) {
        this.#string += `${text.slice(start, at)}\\"`;
        start = at + 1;
      } else if (character === 0x3c && this.#isGuess) {
        this.#string += text.slice(start, at);
        this.#state = "bad";
        return at;
      }
    }
    this.#string += text.slice(start, at);
    return at;
  }

  #endString(behind: number): void {
    if (this.#isKey) this.#endKey(this.#key, behind);
    else {
      this.#write('"');
      this.#endValue();
    }
  }

  /** A key is given with the comma before it; or it is left out, and all of its member. */
  #endKey(key: string, behind: number): void {
    if (isPoison(key)) {
      this.#state = "bad";
      return;
    }
    this.#state = "colon";
    if (this.#closers.length === 1 && this.#mends && this.#forbids?.(plainKey(key))) {
      this.#isMuted = true;
      this.#comma = false;
      this.#report("undeclared_parameter", behind);
      return;
    }
    this.#giveComma();
    this.#write(`"${key}"`);
  }

  #endValue(): void {
    if (this.#closers.length === 1) {
      if (!this.#isMuted) this.#members++;
      this.#isMuted = false;
    }
    this.#state = this.#closers === "" ? "done" : "after";
  }

  #write(text: string): void {
    if (!this.#isMuted) this.#out += text;
  }

  /** A quote ends a string only if what follows can follow a string; else it was meant as a part of it. */
  #readStringEnd(text: string, from: number): number {
    const character = text.charCodeAt(from);
    if (isSpace(character) && this.#space.length < longestToken) {
      this.#space += text.charAt(from);
      return from + 1;
    }
    if (this.#isKey ? character === 0x3a : character === 0x2c || character === 0x7d || character === 0x5d) {
      this.#endString(text.length - from);
      return from;
    }
    // What is no JSON at all, such as a closing tag, leaves the end where it seemed to be.
    if (character === 0x3c) {
      this.#endString(text.length - from);
      return from;
    }
    // Two quotes in a row may mean more than one thing, and so may what has tags in it.
    if (character === this.#delimiter || this.#hasTag) {
      this.#state = "bad";
      return from;
    }
    this.#isGuess = true;
    this.#report("unescaped_quote", text.length - from);
    const part = (this.#delimiter === quote ? '\\"' : "'") + escapedSpace(this.#space);
    if (this.#isKey) this.#key += part;
    else this.#write(part);
    this.#state = "string";
    return from;
  }

  /** Reads what follows a backslash; an escape that JSON does not know is a backslash that was meant to be one. */
  #readEscape(text: string, from: number): number {
    let at = from;
    while (at < text.length) {
      const character = text.charAt(at);
      if (this.#escape === "\\") {
        if (character === "u") {
          this.#escape = "\\u";
          at++;
          continue;
        }
        if ('"\\/bfnrt'.includes(character)) {
          this.#string += this.#escape + character;
          this.#escape = "";
          return at + 1;
        }
        // An apostrophe needs no backslash in a string of double quotes, and is meant all the same.
        if (character === "'" && (this.#mends || this.#delimiter === apostrophe)) {
          if (this.#delimiter !== apostrophe) this.#report("bad_escape", text.length - at);
          this.#string += character;
          this.#escape = "";
          return at + 1;
        }
        if (character < " " && this.#mends) {
          // Before a line end or a tab, it was meant to go on there.
          this.#report("bad_escape", text.length - at);
          this.#escape = "";
          return at;
        }
        return this.#keepBackslash(text.length - at, at);
      }
      if (!/[0-9a-fA-F]/.test(character)) return this.#keepBackslash(text.length - at, at);
      this.#escape += character;
      at++;
      if (hexadecimal.test(this.#escape.slice(2))) {
        this.#string += this.#escape;
        this.#escape = "";
        return at;
      }
    }
    return at;
  }

  #keepBackslash(behind: number, at: number): number {
    if (!this.#mends) this.#state = "bad";
    else {
      this.#report("bad_escape", behind);
      this.#string += `\\${this.#escape}`;
      this.#escape = "";
    }
    return at;
  }

  #readToken(text: string, from: number): number {
    const most = Math.min(text.length, from + longestToken + 1 - this.#token.length);
    let at = from;
    while (at < most && isTokenCharacter(text.charCodeAt(at))) at++;
    this.#token += text.slice(from, at);
    const isTooLong = this.#token.length > longestToken;
    if (isTooLong || (at < text.length && !this.#endToken(text.length - at))) this.#state = "bad";
    return at;
  }

  #endToken(behind: number): boolean {
    const python = this.#mends ? pythonLiterals.get(this.#token) : undefined;
    const value = literals.get(this.#token) ?? python ?? (number.test(this.#token) ? this.#token : undefined);
    if (value === undefined) return false;
    if (python) this.#report("python_literal", behind + this.#token.length);
    this.#write(value);
    this.#endValue();
    return true;
  }
}

/** Keys that no tool means, and that change every object of a program which copies them carelessly. */
export function isPoison(key: string): boolean {
  if (key.length > 64) return false;
  const plain = key.includes("\\") ? parseJson(`"${key}"`) : key;
  return plain === "__proto__" || plain === "constructor" || plain === "prototype";
}

function plainKey(key: string): string {
  const plain = key.includes("\\") ? parseJson(`"${key}"`) : key;
  return typeof plain === "string" ? plain : key;
}

function isSpace(character: number): boolean {
  return character === 0x20 || character === 0x0a || character === 0x0d || character === 0x09;
}

function escapedSpace(space: string): string {
  return space === "" ? "" : JSON.stringify(space).slice(1, -1);
}

function isKeyCharacter(character: number): boolean {
  return isTokenCharacter(character) || character === 0x5f || character === 0x24;
}

function canBegin(character: number): boolean {
  const isBracket = character === 0x7b || character === 0x5b;
  return isBracket || character === quote || character === apostrophe || isTokenCharacter(character);
}

function isTokenCharacter(character: number): boolean {
  return (
    (character >= 0x30 && character <= 0x39) ||
    (character >= 0x61 && character <= 0x7a) ||
    (character >= 0x41 && character <= 0x5a) ||
    character === 0x2d ||
    character === 0x2b ||
    character === 0x2e
  );
}

function escaped(character: number): string {
  if (character === 0x0a) return "\\n";
  if (character === 0x0d) return "\\r";
  if (character === 0x09) return "\\t";
  return `\\u${character.toString(16).padStart(4, "0")}`;
}
