import type { Meter } from "./meter.ts";

/** Characters between two clock readings. The slowest patterns take some 50 microseconds for one. */
const step = 64;

/**
 * A text that charges for the time that passes while it is read. The cost of a pattern per character differs a thousandfold and
 * cannot be predicted, so RE2 reads this text, and the meter can end its search.
 */
export class WatchedText extends String {
  readonly #text: string;
  readonly #meter: Meter;
  readonly #mostPerLetter: number;
  #since = performance.now();
  #reads = 0;

  /** At most `mostPerLetter` is charged for a character: time passes for other reasons too. */
  constructor(text: string, meter: Meter, mostPerLetter: number) {
    super(text);
    this.#text = text;
    this.#meter = meter;
    this.#mostPerLetter = mostPerLetter;
  }

  override charCodeAt(index: number): number {
    if (++this.#reads % step === 0) this.charge();
    return this.#text.charCodeAt(index);
  }

  charge(): void {
    const since = this.#since;
    this.#since = performance.now();
    this.#meter.charge(Math.min((this.#since - since) * 1_000, step * this.#mostPerLetter));
  }
}
