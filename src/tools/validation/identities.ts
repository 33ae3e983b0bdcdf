import type { JsonObject, JsonValue } from "../../turn/index.ts";
import type { Meter } from "./meter.ts";
import type { UniqueLists } from "./unique-lists.ts";

/** Gives equal values the same number, in linear time, and so detects lists with duplicate items. */
export class Identities {
  /** Whether a list that may be checked for `uniqueItems` has duplicates. */
  hasDuplicates = false;
  /** Upper bound of cfworker's cost to compare all items of such a list with one another. */
  comparisons = 0;
  readonly #lists: UniqueLists;
  readonly #meter: Meter;
  readonly #plain = new Map<JsonValue, number>();
  readonly #inside = new Map<string, number>();
  /** Cost of one comparison with everything visited so far. */
  #bulk = 0;

  constructor(lists: UniqueLists, meter: Meter) {
    this.#lists = lists;
    this.#meter = meter;
  }

  /** `name` is the name of the property that has the value. */
  of(value: JsonValue, name?: string): number {
    const isText = typeof value === "string";
    this.#meter.charge(isText ? 0.2 + value.length / 1_000 : 0.2);
    this.#bulk += isText ? 0.01 + value.length / 10_000 : 0.005;
    if (typeof value !== "object" || value === null) return this.#numberOf(this.#plain, value);
    this.#bulk += 0.2;
    return this.#numberOf(this.#inside, Array.isArray(value) ? this.#list(value, name) : this.#object(value));
  }

  #list(list: readonly JsonValue[], name: string | undefined): string {
    const before = this.#bulk;
    const items = list.map((item) => this.of(item));
    const { anywhere, names } = this.#lists;
    if (anywhere || (name !== undefined && names.has(name))) {
      if (new Set(items).size < items.length) this.hasDuplicates = true;
      this.comparisons = Math.max(this.comparisons, list.length * (this.#bulk - before));
    }
    return `[${items.join()}]`;
  }

  #object(object: JsonObject): string {
    const keys = Object.keys(object).sort();
    this.#bulk += keys.length / 20;
    return keys.map((key) => `${this.of(key)}:${this.of(object[key] ?? null, key)}`).join();
  }

  #numberOf<Key>(known: Map<Key, number>, key: Key): number {
    const number = known.get(key) ?? this.#plain.size + this.#inside.size;
    known.set(key, number);
    return number;
  }
}
