import { isObject, parseJson } from "../../turn/index.ts";
import type { TextRepair } from "../dialect.ts";
import { isSpace } from "./characters.ts";
import { JsonText } from "./json-text.ts";
import { isJsonWord, isWordCharacter } from "./json-words.ts";

const quote = 0x22;
const backslash = 0x5c;
/** What a piece of a string has none of if nothing happens in it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids just these in a string.
const special = /["\\\u0000-\u001f]/;
/** More is not held back: from then on nothing can be mended. */
const mostHeld = 400;

type State = "value" | "first-value" | "key" | "first-key" | "colon" | "after" | "string" | "word" | "end";
type Mode = "verbatim" | "mended" | "encoded" | "tail" | "raw";

/** whole: JSON, or what nothing could mend. cut: it stops in the middle of what had been mended so far. */
export type JsonEnding = "whole" | "cut";

/**
 * JSON that comes in pieces and is passed on as it is written, down to its white space. From the first slip on that has only one
 * reading it is mended; if more is wrong than that, the rest goes on as it is. What a slip may be is held back until it shows:
 * a comma, a quote that ends a string, an escape.
 */
export class VerbatimJson {
  readonly #repairs = new Set<TextRepair>();
  #mode: Mode = "verbatim";
  #state: State = "value";
  #closers = "";
  #isKey = false;
  /** Characters of an escape that are still to come; of `\u`, the hexadecimal ones. */
  #escape: "none" | "begun" | number = "none";
  #word = "";
  #held = "";
  /** All that was read in this mode. */
  #all = "";
  #mender: JsonText | undefined;
  /** What it has read since it gave something. */
  #unsaid = "";
  #isTooLate = false;

  /** What had to be mended; nothing where it was in vain. */
  get repairs(): Iterable<TextRepair> {
    return this.#mode === "raw" ? [] : this.#repairs;
  }

  /** What can be passed on now. */
  push(piece: string): string {
    switch (this.#mode) {
      case "raw":
        return piece;
      case "mended":
        return this.#mend(piece);
      case "encoded":
        this.#all += piece;
        return "";
      case "tail":
        return this.#readTail(piece);
    }
    if (this.#state === "string" && this.#held === "" && this.#escape === "none" && !special.test(piece)) {
      this.#all += piece;
      return piece;
    }
    return this.#read(this.#held + piece, this.#held.length);
  }

  /** No more will come: the rest of what was held, and how it ended. */
  end(): { rest: string; ending: JsonEnding } {
    switch (this.#mode) {
      case "encoded":
        return { rest: this.#decode(), ending: "whole" };
      case "tail":
        if (this.#held.trim() !== "") this.#repairs.add("extra_close");
        return { rest: "", ending: "whole" };
      case "mended":
        return this.#endMended();
    }
    return { rest: this.#held, ending: "whole" };
  }

  #endMended(): { rest: string; ending: JsonEnding } {
    this.#mender?.end();
    const rest = this.#mender?.take() ?? "";
    if (!this.#mender?.isBad) return { rest, ending: this.#mender?.isDone ? "whole" : "cut" };
    this.#mode = "raw";
    return { rest: this.#unsaid, ending: "whole" };
  }

  /** Reads on from a place in the text, before which all is held back. */
  #read(text: string, from: number): string {
    let hold = from > 0 ? 0 : -1;
    for (let at = from; at < text.length; at++) {
      const character = text.charCodeAt(at);
      const next = this.#step(character);
      if (next === "encoded") {
        this.#mode = "encoded";
        this.#all = text.slice(at);
        return text.slice(0, at);
      }
      if (next === "slip") return this.#slip(text, from, at, hold === -1 ? at : hold);
      if (next === "hold" && hold === -1) hold = at;
      else if (next === "go") hold = -1;
    }
    this.#all += from === 0 ? text : text.slice(from);
    if (hold !== -1 && text.length - hold > mostHeld) {
      this.#isTooLate = true;
      hold = -1;
    }
    this.#held = hold === -1 ? "" : text.slice(hold);
    return hold === -1 ? text : text.slice(0, hold);
  }

  /** go: it can be passed on. hold: only with what follows it. wait: it changes nothing about that. */
  #step(character: number): "go" | "hold" | "wait" | "slip" | "encoded" {
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
        if (character !== quote) return "slip";
        this.#isKey = true;
        this.#state = "string";
        return "go";
      case "after":
        if (character === 0x2c) {
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

  #begin(character: number): "go" | "slip" | "encoded" {
    if (character === 0x7b || character === 0x5b) {
      this.#closers += character === 0x7b ? "}" : "]";
      this.#state = character === 0x7b ? "first-key" : "first-value";
      return "go";
    }
    if (character === quote) {
      if (this.#closers === "") return "encoded";
      this.#isKey = false;
      this.#state = "string";
      return "go";
    }
    // What JSON has no word for begins with a capital, or with a character that no value begins with.
    const isWord = character === 0x2d || (character >= 0x30 && character <= 0x39) || (character | 32) === character;
    if (!isWord || !isWordCharacter(character)) return "slip";
    this.#word = String.fromCharCode(character);
    this.#state = "word";
    return "go";
  }

  #stepString(character: number): "go" | "hold" | "wait" | "slip" {
    if (this.#escape !== "none") return this.#stepEscape(character);
    if (character === backslash) {
      this.#escape = "begun";
      return "hold";
    }
    if (character < 0x20) return "slip";
    if (character !== quote) return "go";
    if (this.#isKey) this.#state = "colon";
    else this.#endValue();
    return this.#isKey ? "go" : "hold";
  }

  #stepEscape(character: number): "go" | "wait" | "slip" {
    if (this.#escape === "begun") {
      if (character === 0x75) this.#escape = 4;
      else if ('"\\/bfnrt'.includes(String.fromCharCode(character))) this.#escape = "none";
      else return "slip";
      return this.#escape === "none" ? "go" : "wait";
    }
    const isHexadecimal = /[0-9a-fA-F]/.test(String.fromCharCode(character));
    if (!isHexadecimal || typeof this.#escape !== "number") return "slip";
    this.#escape = this.#escape === 1 ? "none" : this.#escape - 1;
    return this.#escape === "none" ? "go" : "wait";
  }

  #pop(closer: string): "go" | "slip" {
    if (!this.#closers.endsWith(closer)) return "slip";
    this.#closers = this.#closers.slice(0, -1);
    this.#endValue();
    return "go";
  }

  #endValue(): void {
    this.#state = this.#closers === "" ? "end" : "after";
  }

  /** Something is not as JSON has it: what was read before is read once more, by a reader that can mend the rest. */
  #slip(text: string, from: number, at: number, hold: number): string {
    const rest = text.slice(at);
    this.#held = "";
    if (this.#state === "end") {
      this.#mode = "tail";
      return text.slice(0, at) + this.#readTail(rest);
    }
    // A key and a word are given only when they are whole, but the beginning of this one has gone out.
    const isLate = this.#isTooLate || this.#state === "word" || (this.#state === "string" && this.#isKey);
    if (isLate || this.#state === "colon") {
      this.#mode = "raw";
      return text;
    }
    this.#mender = new JsonText(true, (repair) => this.#repairs.add(repair));
    const before = this.#all + text.slice(from, at);
    this.#all = "";
    this.#mender.read(before, 0);
    this.#mender.take();
    this.#mode = "mended";
    this.#unsaid = text.slice(hold, at);
    const mended = this.#mender.isBad ? "" : this.#mend(rest);
    if (!this.#mender.isBad) return text.slice(0, hold) + mended;
    this.#mode = "raw";
    return text;
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
      this.#unsaid = mended === "" ? this.#unsaid + character : "";
      out += mended;
      if (!mender.isBad) continue;
      this.#mode = "raw";
      return out + (mended === "" ? this.#unsaid : character) + piece.slice(at + 1);
    }
    return out;
  }

  /** Brackets too many behind the value are left out. Anything else is not, nor is what stood before it. */
  #readTail(piece: string): string {
    this.#held += piece;
    if (this.#held.length <= mostHeld && /^[\]}\s]*$/.test(piece)) return "";
    const tail = this.#held;
    this.#held = "";
    this.#mode = "raw";
    return tail;
  }

  /** A string at the top: the arguments may be written in it, as text. */
  #decode(): string {
    const decoded = parseJson(this.#all);
    if (typeof decoded !== "string" || !isObject(parseJson(decoded))) return this.#all;
    this.#repairs.add("double_encoded");
    return decoded;
  }
}
