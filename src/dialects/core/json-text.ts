import { isSpace } from "./characters.ts";
import { Comment } from "./comment.ts";
import { fromPython, isJsonWord, isKeyCharacter, isPoison, isWordCharacter, plainKey } from "./json-words.ts";
import { type Report, StringText } from "./string-text.ts";

const quote = 0x22;
const apostrophe = 0x27;

/** Deepest nesting of arguments. */
const deepest = 512;
/** Longest number or literal. */
const longestToken = 400;

/** What may come next. */
export type JsonPosition = "value" | "first-value" | "first-key" | "key" | "after" | "string";
type State = JsonPosition | "bare-key" | "colon" | "token" | "done" | "bad";

/**
 * Parses one JSON value chunk by chunk and emits it as JSON while it arrives. What it emits is always the beginning of a valid
 * value: errors that have only one possible repair are repaired and reported.
 */
export class JsonText {
  readonly #mends: boolean;
  readonly #report: Report;
  /** A quote that nothing valid follows is taken as a part of the string. */
  #guesses = true;
  #state: State = "value";
  #closers = "";
  #out = "";
  /** The string that is open, and whether it is a key. */
  #string: StringText | undefined;
  #isKey = false;
  #key = "";
  #token = "";
  /** A comma was read, and is emitted once something follows it. */
  #comma = false;
  /** The state before the character that could not be read. */
  #stateBeforeError: State | undefined;

  /** Whether the object must not have a member of this name. */
  readonly #forbids: ((key: string) => boolean) | undefined;
  /** Whether the current member is dropped, and how many members were emitted. */
  #isMuted = false;
  #members = 0;
  #comment: Comment | undefined;

  constructor(mends: boolean, report: Report, forbids?: (key: string) => boolean) {
    this.#mends = mends;
    this.#report = report;
    this.#forbids = forbids;
  }

  /** Continues and repairs in the middle of a value: inside the brackets that `closers` close, or in a string there. */
  static continuing(closers: string, position: JsonPosition, report: Report): JsonText {
    const json = new JsonText(true, report);
    json.#guesses = false;
    // The value already has a member, so a comma must be emitted.
    json.#members = 1;
    json.#closers = closers;
    json.#state = position;
    if (position === "string") json.#string = new StringText(quote, "", true, report);
    return json;
  }

  get isDone(): boolean {
    return this.#state === "done";
  }

  get isInComment(): boolean {
    return this.#comment !== undefined;
  }

  /** Something was read that is emitted later, with what follows it, or dropped. */
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

  /** Returns what was read since the last call, as JSON. */
  take(): string {
    const out = this.#out;
    this.#out = "";
    return out;
  }

  /** Reads on and returns where it stopped: at the end of the text, after the value, or at an invalid character. */
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
        this.#stateBeforeError = before;
        this.#state = "bad";
        return at;
      }
      if (!this.#isInToken()) at++;
      if (this.isDone) return at;
    }
    return at;
  }

  /** The text ends here: completes a number, a literal, or a string whose quote was the last character. */
  end(): void {
    if (this.#string?.isAtQuote) this.#endString(0);
    if (this.#state === "token" && !this.#endToken(0)) this.#state = "bad";
  }

  /**
   * Goes back to the state before the invalid character, which does not belong to the value. False if the value itself is broken.
   */
  reopen(): boolean {
    if (this.#stateBeforeError === undefined) return false;
    this.#state = this.#stateBeforeError;
    return true;
  }

  /** Closes the open brackets, `behind` characters before the end of the text; false if more than brackets is missing. */
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
    this.#writeComma();
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

  #writeComma(): void {
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

  /** Emits a key with the comma before it, or drops a forbidden key with its whole member. */
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
    this.#writeComma();
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
