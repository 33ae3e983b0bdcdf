import type { TextRepair } from "../dialect.ts";

const backslash = 0x5c;
const escapes: Record<string, string> = {
  '"': '"',
  "'": "'",
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

/** Reads the rest of a JSON string, piece by piece, and gives out what it says. */
export class JsonString {
  readonly #delimiter: number;
  readonly #mends: boolean;
  readonly #report: (repair: TextRepair) => void;
  #escape = "";
  #out = "";
  #reported = false;
  isDone = false;
  isBad = false;

  constructor(delimiter: number, mends: boolean, report: (repair: TextRepair) => void) {
    this.#delimiter = delimiter;
    this.#mends = mends;
    this.#report = report;
  }

  take(): string {
    const out = this.#out;
    this.#out = "";
    return out;
  }

  /** Reads on, and tells where it stopped: at the end of the text, behind the string, or at what cannot be. */
  read(text: string, from: number): number {
    let start = from;
    let at = from;
    for (; at < text.length; at++) {
      const character = text.charCodeAt(at);
      if (this.#escape !== "") {
        this.#readEscape(text.charAt(at));
        if (this.isBad) return at;
        start = at + 1;
      } else if (character === this.#delimiter) {
        this.#out += text.slice(start, at);
        this.isDone = true;
        return at + 1;
      } else if (character === backslash) {
        this.#out += text.slice(start, at);
        this.#escape = "\\";
        start = at + 1;
      } else if (character < 0x20) {
        this.isBad = !this.#mends;
        if (this.isBad) return at;
        if (!this.#reported) this.#report("raw_newline");
        this.#reported = true;
      }
    }
    this.#out += text.slice(start, at);
    return at;
  }

  #readEscape(character: string): void {
    if (this.#escape === "\\" && character === "u") {
      this.#escape = "\\u";
      return;
    }
    if (this.#escape === "\\") {
      const meant = escapes[character];
      if (meant === undefined) this.#keep(character);
      else this.#out += meant;
      this.#escape = "";
      return;
    }
    if (!/[0-9a-fA-F]/.test(character)) {
      this.#keep(character);
      this.#escape = "";
      return;
    }
    this.#escape += character;
    if (this.#escape.length < 6) return;
    this.#out += String.fromCharCode(Number.parseInt(this.#escape.slice(2), 16));
    this.#escape = "";
  }

  /** An escape that JSON does not know is a backslash that was meant to be one. */
  #keep(character: string): void {
    this.isBad = !this.#mends;
    this.#report("bad_escape");
    this.#out += this.#escape + character;
  }
}
