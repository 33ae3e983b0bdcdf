import type { JsonObject, JsonValue } from "../../turn/index.ts";
import { Identities } from "./identities.ts";
import { type Meter, TooMuchWork } from "./meter.ts";
import type { UniqueLists } from "./unique-lists.ts";

/** Deeper arguments are not checked: every level takes several stack frames. */
const deepest = 128;
/** Below this width, listing the keys of an object costs about as much as any other access to it. */
const wide = 64;

/**
 * The arguments as the validator receives them. For every schema of an object, cfworker lists all of its keys, so each listing of
 * a wide object is charged. Also sets what lists may cost in the meter, and adds all property names to `names`.
 */
export function metered(
  value: JsonValue,
  meter: Meter,
  names: Set<string> | undefined,
  unique: UniqueLists | undefined,
): JsonValue {
  const walk = new Walk(meter, names);
  const given = walk.visit(value, 0);
  meter.everyItem = walk.longestList / 25;
  meter.uniqueItems = 0;
  if (unique) {
    const identities = new Identities(unique, meter);
    identities.of(given);
    if (identities.hasDuplicates) meter.uniqueItems = identities.comparisons;
  }
  return given;
}

class Walk {
  longestList = 0;
  readonly #meter: Meter;
  readonly #names: Set<string> | undefined;

  constructor(meter: Meter, names: Set<string> | undefined) {
    this.#meter = meter;
    this.#names = names;
  }

  visit(value: JsonValue, depth: number): JsonValue {
    this.#meter.charge(0.1);
    if (typeof value !== "object" || value === null) return value;
    if (depth === deepest) throw new TooMuchWork("The arguments are nested too deeply.");
    return Array.isArray(value) ? this.#list(value, depth) : this.#object(value, depth);
  }

  #list(list: JsonValue[], depth: number): JsonValue {
    let changed: JsonValue[] | undefined;
    for (const [index, item] of list.entries()) {
      const given = this.visit(item, depth + 1);
      if (given === item) continue;
      changed ??= [...list];
      changed[index] = given;
    }
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
      const name = halfPair.test(key) ? wellFormed(key, changed ?? object) : key;
      this.#names?.add(name);
      if (value === undefined) continue;
      const given = this.visit(value, depth + 1);
      if (given === value && name === key) continue;
      changed ??= { ...object };
      if (name !== key) delete changed[key];
      changed[name] = given;
    }
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

const halfPair = /\p{Cs}/u;

/** cfworker fails on a lone surrogate. The replacement must not be the name of another property. */
function wellFormed(key: string, taken: JsonObject): string {
  let name = key.replace(/\p{Cs}/gu, "\ufffd");
  while (Object.hasOwn(taken, name)) name += "\ufffd";
  return name;
}
