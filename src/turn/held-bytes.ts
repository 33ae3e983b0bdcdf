import type { Holding } from "./ports.ts";

/** Small enough for the budget to be true, large enough that no single piece of text is counted. */
const step = 64 * 1024;

/** Counts what one buffer holds at most, in steps. What the buffer gives back is used again and not counted twice. */
export class HeldBytes {
  readonly #holding: Holding | undefined;
  #counted = 0;

  constructor(holding: Holding | undefined) {
    this.#holding = holding;
  }

  /** The buffer holds this many bytes now. Throws a `TurnError` if the gateway's budget is used up. */
  reach(bytes: number): void {
    if (bytes - this.#counted < step) return;
    this.#holding?.add(bytes - this.#counted);
    this.#counted = bytes;
  }
}
