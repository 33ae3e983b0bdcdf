import { type Holding, TurnError } from "../turn/index.ts";

/** What every turn may keep beside the budget, in bytes: ordinary requests pass even if others have used it up. */
const freeOfTurn = 64 * 1024;

/** Limits the bytes that all turns together keep in memory: what clients have sent, and what is buffered of answers. */
export class MemoryBudget {
  /** In bytes. */
  readonly limit: number;
  #held = 0;
  #refusals = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  get held(): number {
    return this.#held;
  }

  /** How often a turn wanted more than there was. */
  get refusals(): number {
    return this.#refusals;
  }

  /** Takes bytes of the budget, or nothing at all if there are not enough. */
  take(bytes: number): boolean {
    if (this.#held + bytes > this.limit) {
      this.#refusals++;
      return false;
    }
    this.#held += bytes;
    return true;
  }

  give(bytes: number): void {
    this.#held -= bytes;
  }
}

/** The part of the budget that one turn holds. */
export class TurnHolding implements Holding {
  readonly #budget: MemoryBudget;
  /** What the turn keeps, and how much of that is taken from the budget. */
  #kept = 0;
  #taken = 0;
  #isReleased = false;

  constructor(budget: MemoryBudget) {
    this.#budget = budget;
  }

  add(bytes: number): void {
    if (this.#isReleased) return;
    const needed = Math.max(0, this.#kept + bytes - freeOfTurn);
    if (needed > this.#budget.limit) throw tooMuchForOne(this.#budget.limit);
    const more = needed - this.#taken;
    if (more > 0 && !this.#budget.take(more)) throw usedUp(this.#budget.limit);
    this.#kept += bytes;
    this.#taken += more;
  }

  /** Gives everything back (idempotent). What is added afterwards does not count. */
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#budget.give(this.#taken);
  }
}

/** No retry would help. */
function tooMuchForOne(limit: number): TurnError {
  return new TurnError(
    "body_too_large",
    `This request needs more than the ${limit} bytes that this gateway keeps in memory for all (limits.memory). Send less: many small values need more memory than their text.`,
  );
}

function usedUp(limit: number): TurnError {
  return new TurnError(
    "overloaded",
    `The requests under way use all ${limit} bytes that this gateway keeps in memory for them (limits.memory). Please try again soon.`,
    { retryAfter: "1" },
  );
}
