/** Thrown out of a check that has become too much work. */
export class TooMuchWork extends Error {}

/**
 * The work of checks, in units of about a microsecond. cfworker has no limit of its own, so everything that it reads of a schema and
 * of wide arguments counts, and ends it when what was allowed is spent.
 */
export class Meter {
  /** What all was charged for, in all checks. */
  spent = 0;
  /** What one comparison of all items with one another costs at most; 0 where no list has the same item twice. */
  uniqueItems = 0;
  /** What one look at every item of a list costs at most. */
  everyItem = 0;
  #left = 0;

  allow(units: number): void {
    this.#left = units;
  }

  charge(units: number): void {
    this.spent += units;
    this.#left -= units;
    if (this.#left < 0) throw new TooMuchWork("This is too much work to check.");
  }

  /** Charges for the time that has passed, but no more than `most`: it passes for other reasons too. */
  chargeSince(started: number, most: number): void {
    this.charge(Math.min((performance.now() - started) * 1_000, most));
  }
}
