import type { JsonObject } from "../../turn/index.ts";

interface Waiting {
  /** Where in the message the text begins and ends that they are about. */
  from: number;
  to: number;
  logprobs: JsonObject[];
}

/** Log probabilities of text that a reader may hold back: they go out with their text, and are gone where it was no text. */
export class Logprobs {
  #waiting: Waiting[] = [];
  #due: JsonObject[] | undefined;

  add(logprobs: JsonObject[], from: number, to: number): void {
    this.#waiting.push({ from, to, logprobs });
  }

  /** The message up to this place has turned out to be text, or something else. */
  reach(place: number, isText: boolean): void {
    let count = 0;
    for (const { from, to, logprobs } of this.#waiting) {
      if (isText ? from >= place : to > place) break;
      if (isText) this.#due = this.#due ? [...this.#due, ...logprobs] : logprobs;
      count++;
    }
    if (count > 0) this.#waiting.splice(0, count);
  }

  /** Those of the text that goes out now. */
  take(): JsonObject[] | undefined {
    const due = this.#due;
    this.#due = undefined;
    return due;
  }
}
