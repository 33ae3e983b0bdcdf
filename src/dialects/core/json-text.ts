import type { TextRepair } from "../dialect.ts";
import { isSpace } from "./characters.ts";
import { Comment } from "./comment.ts";
import { fromPython, isJsonWord, isKeyCharacter, isPoison, isWordCharacter, plainKey } from "./json-words.ts";
import { StringText } from "./string-text.ts";

const quote = 0x22;
const apostrophe = 0x27;

/** Deeper than this it is no arguments of anything. */
const deepest = 512;
/** A number or a literal that is longer is none. */
const longestToken = 400;

/** What may come next. */
export type JsonPosition = "value" | "first-value" | "first-key" | "key" | "after" | "string";
type State = JsonPosition | "bare-key" | "colon" | "token" | "done" | "bad";

/**
 * Reads one JSON value, piece by piece, and gives it out again as JSON while it comes. What it gives out is always the beginning
 * of a valid value: slips that have only one reading are mended on the way, and reported.
 */
export class JsonText {
  readonly #mends: boolean;
  readonly #report: (repair: TextRepair, behind: number) => void;
  /** A quote in a string is taken for a part of it where nothing that may follow a string follows. */
  #guesses = true;
  #state: State = "value";
  #closers = "";
  #out = "";
  /** The string that is open, and whether it is a key. */
  #string: StringText | undefined;
  #isKey = false;
  #key = "";
  #token = "";
  /** A comma is given out when something follows it. */
  #comma = false;
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

  /** Goes on, and mends, in the middle of a value: inside of what these brackets close, or in a string there. */
  static continuing(closers: string, place: JsonPosition, report: (repair: TextRepair) => void): JsonText {
    const json = new JsonText(true, report);
    json.#guesses = false;
    // Where a comma comes, something stood before it.
    json.#members = 1;
    json.#closers = closers;
    json.#state = place;
    if (place === "string") json.#string = new StringText(quote, "", true, report);
    return json;
  }

  get isDone(): boolean {
    return this.#state === "done";
  }

  get isInComment(): boolean {
    return this.#comment !== undefined;
  }

  /** Something was read that is given only with what follows it, or is left out. */
  get isHolding(): boolean {
    return (
      this.isInComment ||
      this.#comma ||
      this.#isInToken() ||
      (this.#isKey && this.#string !== undefined) ||
      !!this.#string?.isInEscape
    );
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
      if (this.#string) {
        at = this.#readString(this.#string, text, at);
        if (this.isBad || this.isDone) return at;
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
    if (this.#string?.isAtQuote) this.#endString(0);
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
    const followers = this.#closers === "" || !this.#guesses ? "" : isKey ? ":" : ",]}";
    this.#string = new StringText(delimiter, followers, this.#mends, this.#report);
    this.#isKey = isKey;
    this.#key = "";
    if (!isKey) this.#write('"');
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

  #readString(string: StringText, text: string, from: number): number {
    const at = string.read(text, from);
    if (this.#isKey) this.#key += string.take();
    else this.#write(string.take());
    if (string.isBad) this.#state = "bad";
    else if (string.isDone) this.#endString(text.length - at);
    return at;
  }

  #endString(behind: number): void {
    this.#string = undefined;
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

  #readToken(text: string, from: number): number {
    const most = Math.min(text.length, from + longestToken + 1 - this.#token.length);
    let at = from;
    while (at < most && isWordCharacter(text.charCodeAt(at))) at++;
    this.#token += text.slice(from, at);
    const isTooLong = this.#token.length > longestToken;
    if (isTooLong || (at < text.length && !this.#endToken(text.length - at))) this.#state = "bad";
    return at;
  }

  #endToken(behind: number): boolean {
    const python = this.#mends ? fromPython(this.#token) : undefined;
    const value = isJsonWord(this.#token) ? this.#token : python;
    if (value === undefined) return false;
    if (python) this.#report("python_literal", behind + this.#token.length);
    this.#write(value);
    this.#endValue();
    return true;
  }
}

function canBegin(character: number): boolean {
  const isBracket = character === 0x7b || character === 0x5b;
  return isBracket || character === quote || character === apostrophe || isWordCharacter(character);
}
