import { rowCount } from "./recent-usage.ts";

/** Milliseconds between two updates of the line. */
const interval = 200;

/** A line on the terminal that counts rows. Nothing is written if standard error is no terminal. */
export class Progress {
  readonly #verb: string;
  #shownAt = 0;
  #isShown = false;

  constructor(verb: string) {
    this.#verb = verb;
  }

  at(rows: number): void {
    const now = performance.now();
    if (!process.stderr.isTTY || now - this.#shownAt < interval) return;
    this.#shownAt = now;
    this.#isShown = true;
    process.stderr.write(`\r${this.#verb} ${rowCount(rows)}`);
  }

  /** Removes the line. */
  end(): void {
    if (this.#isShown) process.stderr.write("\r\x1b[K");
  }
}
