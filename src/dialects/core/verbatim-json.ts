import { isObject, parseJson } from "../../turn/index.ts";
import type { TextRepair } from "../dialect.ts";
import { isSpace } from "./characters.ts";
import { type JsonPosition, JsonText } from "./json-text.ts";
import { isJsonWord, isWordCharacter } from "./json-words.ts";

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
/** Characters that change the state inside a string. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids just these in a string.
const special = /["\\\u0000-\u001f]/;
/** JSON that is nested deeper is passed on unparsed. */
const deepest = 512;
/** Most characters to hold back. */
const mostHeld = 400;

/** whole: JSON, or text that could not be repaired. cut: repaired text that stops in the middle. */
export type JsonEnding = "whole" | "cut";

/**
 * verbatim: valid JSON so far. mended: a repairing parser emits everything from the first error on. encoded: the value is a
 * string, which may hold the arguments. tail: the value has ended. raw: not repairable, passed on unchanged.
 */
type Mode = "verbatim" | "mended" | "encoded" | "tail" | "raw";

type State = JsonPosition | "colon" | "word" | "end";

/**
 * go: pass this character on, with what is held. hold: pass it on only with what follows. wait: neither. The others end verbatim
 * mode.
 */
type Step = "go" | "hold" | "wait" | "slip" | "encoded" | "deep";

/**
 * Passes streamed JSON on as it is written, down to its whitespace. The first error that has only one possible repair is
 * repaired, and so is the rest; after any other error the rest is passed on unchanged. Only what may belong to an error is held
 * back: a comma that may be the last, and an escape.
 */
export class VerbatimJson {
  /** Undefined for most calls, to save memory: many may be open at once. */
  #repairs: Set<TextRepair> | undefined;
  #mode: Mode = "verbatim";
  #state: State = "value";
  #closers = "";
  #isKey = false;
  /** What is missing of an escape: what follows the backslash, or this many hexadecimal digits. */
  #escape: "none" | "begun" | number = "none";
  #word = "";
  #held = "";
  #mender: JsonText | undefined;
  /** What the repairing parser has consumed and not emitted. */
  #unemitted = "";

  /** The repairs that were made; none if the text could not be repaired. */
  get repairs(): Iterable<TextRepair> {
    return this.#isRaw ? [] : (this.#repairs ?? []);
  }

  #note(repair: TextRepair): true {
    this.#repairs ??= new Set();
    this.#repairs.add(repair);
    return true;
  }

  get #isRaw(): boolean {
    return this.#mode === "raw";
  }

  /** Returns what can be passed on now. */
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

  /** Ends the input. Returns the held rest and how it ended. */
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

  /** Open brackets and strings are not closed: the model did not finish them. */
  #endMended(): { rest: string; ending: JsonEnding } {
    if (!this.#mender?.isInComment) return { rest: "", ending: this.#mender?.isDone ? "whole" : "cut" };
    // A comment that never ends may contain anything, also the end of the value.
    this.#mode = "raw";
    return { rest: this.#unemitted, ending: "whole" };
  }

  /** Reads on from index `from`; all text before it is held back. */
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
    // No JSON value begins with a capital; `True` and `None` are Python's.
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

  /** The text is not valid JSON: a repairing parser takes over, starting with what is held. */
  #slip(text: string, at: number, hold: number): string {
    const from = hold === -1 ? at : hold;
    this.#held = "";
    if (this.#state === "end") {
      this.#mode = "tail";
      return text.slice(0, at) + this.#readTail(text.slice(at));
    }
    const place = text.charCodeAt(from) === comma && hold !== -1 ? "after" : this.#state;
    // The beginning of an invalid key or word was passed on already. A value that is not an object cannot be arguments.
    if (place === "colon" || place === "word" || (place === "string" && this.#isKey) || this.#closers === "") {
      this.#mode = "raw";
      return text;
    }
    this.#mender = JsonText.continuing(this.#closers, place, (repair) => this.#note(repair));
    this.#mode = "mended";
    const mended = this.#mend(text.slice(from));
    // Not repairable, but nothing of it was passed on yet.
    return this.#isRaw ? text : text.slice(0, from) + mended;
  }

  /** Feeds one character at a time: what the parser has consumed and not emitted must not be lost if the repair fails. */
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
        return out + (mended === "" ? this.#unemitted : mended) + piece.slice(at);
      }
      out += mended;
      if (!mender.isHolding) this.#unemitted = "";
      else this.#unemitted = mended === "" ? this.#unemitted + character : character;
    }
    return out;
  }

  /** Drops surplus closing brackets after the value. Any other text is passed on, with all that came before it. */
  #readTail(piece: string): string {
    this.#held += piece;
    if (this.#held.length <= mostHeld && /^[\]} \t\r\n]*$/.test(piece)) return "";
    const tail = this.#held;
    this.#held = "";
    this.#mode = "raw";
    return tail;
  }

  /** A string at the top level may hold the arguments as text. */
  #decode(): string {
    const decoded = parseJson(this.#held);
    if (typeof decoded !== "string" || !isObject(parseJson(decoded))) return this.#held;
    this.#note("double_encoded");
    return decoded;
  }
}
