import { parseJson } from "../../turn/index.ts";
import { type Report, StringText } from "./string-text.ts";

/** Parses the rest of a JSON string chunk by chunk and emits the decoded text. */
export class JsonString {
  readonly #text: StringText;
  /** A high surrogate that was written as an escape and waits for its low surrogate. */
  #half = "";

  constructor(delimiter: number, mends: boolean, report: Report) {
    this.#text = new StringText(delimiter, "", mends, report);
  }

  get isDone(): boolean {
    return this.#text.isDone;
  }

  get isBad(): boolean {
    return this.#text.isBad;
  }

  /** Returns what was read since the last call. */
  take(): string {
    const meant = parseJson(`"${this.#text.take()}"`);
    const all = this.#half + (typeof meant === "string" ? meant : "");
    const last = all.charCodeAt(all.length - 1);
    const isHalf = last >= 0xd800 && last < 0xdc00 && !this.isDone;
    this.#half = isHalf ? all.slice(-1) : "";
    return isHalf ? all.slice(0, -1) : all;
  }

  /** Reads on and returns where it stopped: at the end of the text, after the string, or at an invalid character. */
  read(text: string, from: number): number {
    return this.#text.read(text, from);
  }
}
