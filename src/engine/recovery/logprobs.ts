import type { JsonObject } from "../../turn/index.ts";

interface Waiting {
  /** The offsets in the message at which their text begins and ends. */
  from: number;
  to: number;
  logprobs: JsonObject[];
}

/**
 * Log probabilities of text that a reader may hold back. They are emitted with their text, and dropped if it turns out not to be
 * text.
 */
export class Logprobs {
  #waiting: Waiting[] = [];
  #due: JsonObject[] | undefined;

  add(logprobs: JsonObject[], from: number, to: number): void {
    this.#waiting.push({ from, to, logprobs });
  }

  /** The message up to this offset has turned out to be text, or something else. */
  reach(offset: number, isText: boolean): void {
    let count = 0;
    for (const { from, to, logprobs } of this.#waiting) {
      if (isText ? from >= offset : to > offset) break;
      if (isText) this.#due = this.#due ? [...this.#due, ...logprobs] : logprobs;
      count++;
    }
    if (count > 0) this.#waiting.splice(0, count);
  }

  /** The log probabilities of the text that is emitted now. */
  take(): JsonObject[] | undefined {
    const due = this.#due;
    this.#due = undefined;
    return due;
  }
}
