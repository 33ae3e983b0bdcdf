/**
 * An amount of work that grows with the message, up to a limit. It is counted by offsets in the message, so that it does not depend
 * on how the stream is chunked.
 */
export class Allowance {
  readonly #most: number;
  readonly #perCharacter: number;
  #left: number;
  /** The offset up to which the message has added to it. */
  #reached = 0;

  constructor(most: number, perCharacter: number) {
    this.#most = most;
    this.#perCharacter = perCharacter;
    this.#left = most;
  }

  /** What is left at this offset of the message. */
  at(offset: number): number {
    if (offset > this.#reached) {
      this.#left = Math.min(this.#most, this.#left + (offset - this.#reached) * this.#perCharacter);
      this.#reached = offset;
    }
    return this.#left;
  }

  spend(amount: number): void {
    this.#left -= amount;
  }
}
