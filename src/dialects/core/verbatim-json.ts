import { isObject, parseJson } from "../../turn/index.ts";
import type { TextRepair } from "../dialect.ts";
import { isSpace } from "./characters.ts";
import { type JsonPosition, JsonText } from "./json-text.ts";
import { isJsonWord, isWordCharacter } from "./json-words.ts";

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
/** What a piece of a string has none of if nothing happens in it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids just these in a string.
const special = /["\\\u0000-\u001f]/;
/** Deeper than this it is no arguments of anything, and nothing is looked for in it. */
const deepest = 512;
/** More is not held back. */
const mostHeld = 400;

/** whole: JSON, or what nothing could mend. cut: it stops in the middle of what had been mended so far. */
export type JsonEnding = "whole" | "cut";

/**
 * verbatim: all is JSON so far. mended: from a slip on it is given by a reader that can mend it. encoded: it is a string, in which
 * all may be written. tail: the value is over. raw: nothing can be done about it.
 */
type Mode = "verbatim" | "mended" | "encoded" | "tail" | "raw";

type State = JsonPosition | "colon" | "word" | "end";

/**
 * go: it can be passed on, and what is held with it. hold: only with what follows. wait: it changes nothing about that. The others
 * end this kind of reading.
 */
type Step = "go" | "hold" | "wait" | "slip" | "encoded" | "deep";

/**
 * JSON that comes in pieces and is passed on as it is written, down to its white space. From the first slip on that has only one
 * reading it is mended; if more is wrong than that, the rest goes on as it is. Only what may belong to a slip is held back: a comma
 * that may be the last, and an escape.
 */
export class VerbatimJson {
  /** Nothing for most: many calls may be open at once. */
  #repairs: Set<TextRepair> | undefined;
  #mode: Mode = "verbatim";
  #state: State = "value";
  #closers = "";
  #isKey = false;
  /** How much of an escape is to come: what follows the backslash, or so many hexadecimal digits. */
  #escape: "none" | "begun" | number = "none";
  #word = "";
  #held = "";
  #mender: JsonText | undefined;
  /** What it has read and not given. */
  #unsaid = "";

  /** What had to be mended; nothing where it was in vain. */
  get repairs(): Iterable<TextRepair> {
    return this.#isRaw ? [] : (this.#repairs ?? []);
  }

  #note(repair: TextRepair): void {
    this.#repairs ??= new Set();
    this.#repairs.add(repair);
  }

  get #isRaw(): boolean {
    return this.#mode === "raw";
  }

  /** What can be passed on now. */
  push(piece: string): string {
    switch (this.#mode) {
      case "raw":
        return piece;
      case "mended":
        return this.#mend(piece);
      case "encoded":
        this.#held += piece;
        return "";
      case "tail":
        return this.#readTail(piece);
    }
    if (this.#state === "string" && this.#held === "" && !special.test(piece)) return piece;
    return this.#read(this.#held + piece, this.#held.length);
  }

  /** No more will come: the rest of what was held, and how it ended. */
  end(): { rest: string; ending: JsonEnding } {
    switch (this.#mode) {
      case "mended":
        return this.#endMended();
      case "encoded":
        return { rest: this.#decode(), ending: "whole" };
      case "tail":
        if (/[\]}]/.test(this.#held)) this.#note("extra_close");
        return { rest: "", ending: "whole" };
    }
    return { rest: this.#held, ending: "whole" };
  }

  /** What is not closed here was not closed there: nothing is completed. */
  #endMended(): { rest: string; ending: JsonEnding } {
    if (!this.#mender?.isInComment) return { rest: "", ending: this.#mender?.isDone ? "whole" : "cut" };
    // A comment that never ends may have anything in it, the end of the value too.
    this.#mode = "raw";
    return { rest: this.#unsaid, ending: "whole" };
  }

  /** Reads on from a place in the text, before which all is held back. */
  #read(text: string, from: number): string {
    let hold = from > 0 ? 0 : -1;
    for (let at = from; at < text.length; at++) {
      const step = this.#step(text.charCodeAt(at));
      if (step === "encoded") {
        this.#mode = "encoded";
        this.#held = text.slice(at);
        return text.slice(0, at);
      }
      if (step === "slip") return this.#slip(text, at, hold);
      if (step === "deep") {
        this.#mode = "raw";
        this.#held = "";
        return text;
      }
      if (step === "hold" && hold === -1) hold = at;
      else if (step === "go") hold = -1;
    }
    if (hold === -1 || text.length - hold > mostHeld) hold = text.length;
    this.#held = text.slice(hold);
    return text.slice(0, hold);
  }

  #step(character: number): Step {
    if (this.#state === "string") return this.#stepString(character);
    if (this.#state === "word") {
      if (isWordCharacter(character)) {
        this.#word += String.fromCharCode(character);
        return "go";
      }
      if (!isJsonWord(this.#word)) return "slip";
      this.#endValue();
    }
    if (isSpace(character)) return "wait";
    switch (this.#state) {
      case "colon":
        if (character !== 0x3a) return "slip";
        this.#state = "value";
        return "go";
      case "key":
      case "first-key":
        if (character === 0x7d && this.#state === "first-key") return this.#pop("}");
        return character === quote ? this.#beginString(true) : "slip";
      case "after":
        if (character === comma) {
          this.#state = this.#closers.endsWith("}") ? "key" : "value";
          return "hold";
        }
        if (character === 0x7d) return this.#pop("}");
        return character === 0x5d ? this.#pop("]") : "slip";
      case "end":
        return "slip";
      default:
        if (character === 0x5d && this.#state === "first-value") return this.#pop("]");
        return this.#begin(character);
    }
  }

  #begin(character: number): Step {
    if (character === 0x7b || character === 0x5b) {
      if (this.#closers.length === deepest) return "deep";
      this.#closers += character === 0x7b ? "}" : "]";
      this.#state = character === 0x7b ? "first-key" : "first-value";
      return "go";
    }
    if (character === quote) return this.#closers === "" ? "encoded" : this.#beginString(false);
    // What JSON has no word for begins with a capital, or with a character that no value begins with.
    if (!isWordCharacter(character) || (character >= 0x41 && character <= 0x5a)) return "slip";
    this.#word = String.fromCharCode(character);
    this.#state = "word";
    return "go";
  }

  #beginString(isKey: boolean): Step {
    this.#isKey = isKey;
    this.#state = "string";
    return "go";
  }

  #stepString(character: number): Step {
    if (this.#escape !== "none") return this.#stepEscape(character);
    if (character === backslash) {
      this.#escape = "begun";
      return "hold";
    }
    if (character < 0x20) return "slip";
    if (character !== quote) return "go";
    if (this.#isKey) this.#state = "colon";
    else this.#endValue();
    return "go";
  }

  #stepEscape(character: number): Step {
    const letter = String.fromCharCode(character);
    if (this.#escape === "begun") {
      if (character !== 0x75 && !'"\\/bfnrt'.includes(letter)) return "slip";
      this.#escape = character === 0x75 ? 4 : "none";
    } else if (typeof this.#escape === "number") {
      if (!/[0-9a-fA-F]/.test(letter)) return "slip";
      this.#escape = this.#escape === 1 ? "none" : this.#escape - 1;
    }
    return this.#escape === "none" ? "go" : "wait";
  }

  #pop(closer: string): Step {
    if (!this.#closers.endsWith(closer)) return "slip";
    this.#closers = this.#closers.slice(0, -1);
    this.#endValue();
    return "go";
  }

  #endValue(): void {
    this.#state = this.#closers === "" ? "end" : "after";
  }

  /** Something is not as JSON has it: from what is held on, another reader goes on that can mend it. */
  #slip(text: string, at: number, hold: number): string {
    const from = hold === -1 ? at : hold;
    this.#held = "";
    if (this.#state === "end") {
      this.#mode = "tail";
      return text.slice(0, at) + this.#readTail(text.slice(at));
    }
    const place = text.charCodeAt(from) === comma && hold !== -1 ? "after" : this.#state;
    // The beginning of a key or a word that is no such thing has gone out; and what is no object at all is no arguments.
    if (place === "colon" || place === "word" || (place === "string" && this.#isKey) || this.#closers === "") {
      this.#mode = "raw";
      return text;
    }
    this.#mender = JsonText.continuing(this.#closers, place, (repair) => this.#note(repair));
    this.#mode = "mended";
    const mended = this.#mend(text.slice(from));
    // In vain; but nothing of it has gone out yet.
    return this.#isRaw ? text : text.slice(0, from) + mended;
  }

  /** Character by character: what the reader has taken and not given must not be lost if it finds no meaning in it. */
  #mend(piece: string): string {
    const mender = this.#mender;
    if (!mender) return piece;
    let out = "";
    for (let at = 0; at < piece.length; at++) {
      if (mender.isDone) {
        this.#mode = "tail";
        return out + this.#readTail(piece.slice(at));
      }
      const character = piece.charAt(at);
      mender.read(character, 0);
      const mended = mender.take();
      if (mender.isBad) {
        this.#mode = "raw";
        return out + (mended === "" ? this.#unsaid : mended) + piece.slice(at);
      }
      out += mended;
      if (!mender.isHolding) this.#unsaid = "";
      else this.#unsaid = mended === "" ? this.#unsaid + character : character;
    }
    return out;
  }

  /** Brackets too many behind the value are left out. Anything else is not, nor is what stood before it. */
  #readTail(piece: string): string {
    this.#held += piece;
    if (this.#held.length <= mostHeld && /^[\]} \t\r\n]*$/.test(piece)) return "";
    const tail = this.#held;
    this.#held = "";
    this.#mode = "raw";
    return tail;
  }

  /** A string at the top: the arguments may be written in it, as text. */
  #decode(): string {
    const decoded = parseJson(this.#held);
    if (typeof decoded !== "string" || !isObject(parseJson(decoded))) return this.#held;
    this.#note("double_encoded");
    return decoded;
  }
}
