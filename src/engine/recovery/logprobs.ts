import type { JsonObject } from "../../turn/index.ts";

interface Waiting {
  /** The offsets in the message at which their text begins and ends. */
  from: number;
  to: number;
  logprobs: JsonObject[];
}

/** Entries that are done are removed when there are this many of them: removing the first entry of a list moves all others. */
const mostDone = 256;

/**
 * Log probabilities of text that a reader may hold back. They are emitted with their text, and dropped if it turns out not to be
 * text.
 */
export class Logprobs {
  #waiting: Waiting[] = [];
  /** How many entries at the beginning of `#waiting` are done. */
  #done = 0;
  #due: JsonObject[] | undefined;
  /** Whether `#due` is a list of this class, and not a backend's. */
  #isOwn = false;

  add(logprobs: JsonObject[], from: number, to: number): void {
    this.#waiting.push({ from, to, logprobs });
  }

  /** The message up to this offset has turned out to be text, or something else. */
  reach(offset: number, isText: boolean): void {
    const waiting = this.#waiting;
    for (let next = waiting[this.#done]; next; next = waiting[this.#done]) {
      if (isText ? next.from >= offset : next.to > offset) break;
      if (isText) this.#give(next.logprobs);
      this.#done++;
    }
    if (this.#done === waiting.length) waiting.length = 0;
    else if (this.#done < mostDone || this.#done * 2 < waiting.length) return;
    else waiting.splice(0, this.#done);
    this.#done = 0;
  }

  #give(logprobs: JsonObject[]): void {
    if (!this.#due) {
      this.#due = logprobs;
      this.#isOwn = false;
      return;
    }
    if (!this.#isOwn) this.#due = this.#due.slice();
    this.#isOwn = true;
    for (const logprob of logprobs) this.#due.push(logprob);
  }

  /** The log probabilities of the text that is emitted now. */
  take(): JsonObject[] | undefined {
    const due = this.#due;
    this.#due = undefined;
    return due;
  }
}
