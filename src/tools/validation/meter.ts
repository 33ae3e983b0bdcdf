/** Thrown out of a check that has become too much work. */
export class TooMuchWork extends Error {}

/**
 * The work of one check, in units of about a microsecond. cfworker has no limit of its own, so everything that it reads of a schema
 * and of wide arguments counts, and ends it when the budget is spent.
 */
export class Meter {
  /** What one comparison of all items with one another costs at most. */
  uniqueItems = 0;
  /** What one look at every item of a list costs at most. */
  everyItem = 0;
  #left = 0;

  begin(budget: number): void {
    this.uniqueItems = 0;
    this.everyItem = 0;
    this.#left = budget;
  }

  charge(units: number): void {
    this.#left -= units;
    if (this.#left < 0) throw new TooMuchWork("This is too much work to check.");
  }
}
