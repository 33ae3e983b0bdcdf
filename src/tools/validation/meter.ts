/** Thrown when a check exceeds its budget. */
export class TooMuchWork extends Error {}

/**
 * Counts the work of checks, in units of about a microsecond. cfworker has no limit of its own, so everything that it reads of a
 * schema and of wide arguments is charged, and the check is aborted when its budget is spent.
 */
export class Meter {
  /** Total of all checks. */
  spent = 0;
  /** Upper bound of the cost to compare all items of a list with one another; 0 if no list has duplicates. */
  uniqueItems = 0;
  /** Upper bound of the cost to read every item of a list once. */
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

  /** Charges for the elapsed time, but no more than `most`: time passes for other reasons too. */
  chargeSince(started: number, most: number): void {
    this.charge(Math.min((performance.now() - started) * 1_000, most));
  }
}
