import { parseJson } from "../../turn/index.ts";
import type { TextRepair } from "../dialect.ts";
import { StringText } from "./string-text.ts";

/** Reads the rest of a JSON string, piece by piece, and gives out what it says. */
export class JsonString {
  readonly #text: StringText;
  /** The first half of a character outside of the basic plane, whose halves were written as two escapes. */
  #half = "";

  constructor(delimiter: number, mends: boolean, report: (repair: TextRepair) => void) {
    this.#text = new StringText(delimiter, "", mends, report);
  }

  get isDone(): boolean {
    return this.#text.isDone;
  }

  get isBad(): boolean {
    return this.#text.isBad;
  }

  /** What was read since the last time. */
  take(): string {
    const meant = parseJson(`"${this.#text.take()}"`);
    const all = this.#half + (typeof meant === "string" ? meant : "");
    const last = all.charCodeAt(all.length - 1);
    const isHalf = last >= 0xd800 && last < 0xdc00 && !this.isDone;
    this.#half = isHalf ? all.slice(-1) : "";
    return isHalf ? all.slice(0, -1) : all;
  }

  /** Reads on, and tells where it stopped: at the end of the text, behind the string, or at what cannot be. */
  read(text: string, from: number): number {
    return this.#text.read(text, from);
  }
}
