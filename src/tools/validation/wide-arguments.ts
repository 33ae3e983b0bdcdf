import type { JsonObject, JsonValue } from "../../turn/index.ts";
import { type Meter, TooMuchWork } from "./meter.ts";

/** Deeper arguments are not checked: every level takes several frames of the stack. */
const deepest = 128;
/** Up to here, listing the keys of an object costs about as much as any other look at it. */
const wide = 64;

/**
 * The arguments as the validator is given them. Whatever a schema says of an object, cfworker lists all its keys, so a wide object
 * counts every time that it does. The meter is told what the lists may cost. `names` gets every name of a property that there is.
 */
export function metered(value: JsonValue, meter: Meter, names?: Set<string>): JsonValue {
  const walk = new Walk(meter, names);
  const given = walk.visit(value, 0);
  meter.uniqueItems = walk.comparisons / 50;
  meter.everyItem = walk.longestList / 25;
  return given;
}

class Walk {
  /** Of the list that takes most: each item is held against all that is in the list. */
  comparisons = 0;
  longestList = 0;
  readonly #meter: Meter;
  readonly #names: Set<string> | undefined;
  /** How much there is to compare in what was visited so far. */
  #bulk = 0;

  constructor(meter: Meter, names: Set<string> | undefined) {
    this.#meter = meter;
    this.#names = names;
  }

  visit(value: JsonValue, depth: number): JsonValue {
    this.#meter.charge(0.1);
    this.#bulk += typeof value === "string" ? 1 + value.length / 64 : 1;
    if (typeof value !== "object" || value === null) return value;
    if (depth === deepest) throw new TooMuchWork("The arguments are nested too deeply.");
    this.#bulk += 4;
    return Array.isArray(value) ? this.#list(value, depth) : this.#object(value, depth);
  }

  #list(list: JsonValue[], depth: number): JsonValue {
    const before = this.#bulk;
    let changed: JsonValue[] | undefined;
    for (const [index, item] of list.entries()) {
      const given = this.visit(item, depth + 1);
      if (given === item) continue;
      changed ??= [...list];
      changed[index] = given;
    }
    this.comparisons = Math.max(this.comparisons, list.length * (this.#bulk - before));
    this.longestList = Math.max(this.longestList, list.length);
    return changed ?? list;
  }

  #object(object: JsonObject, depth: number): JsonValue {
    let width = 0;
    let changed: JsonObject | undefined;
    for (const key in object) {
      const value = object[key];
      width += 1 + key.length / 32;
      this.#meter.charge(0.4);
      this.#names?.add(key);
      if (value === undefined) continue;
      const given = this.visit(value, depth + 1);
      if (given === value) continue;
      changed ??= { ...object };
      changed[key] = given;
    }
    this.#bulk += width;
    return width < wide ? (changed ?? object) : new Proxy(changed ?? object, this.#countingKeys(width));
  }

  #countingKeys(width: number): ProxyHandler<JsonObject> {
    return {
      ownKeys: (object) => {
        this.#meter.charge(width / 2);
        return Reflect.ownKeys(object);
      },
    };
  }
}
