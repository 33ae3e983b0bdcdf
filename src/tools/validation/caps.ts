import type { JsonObject, JsonValue } from "../../turn/index.ts";

/**
 * Why a schema cannot be checked safely, and what its author can do. `because` completes "… because it …"; `advice` begins the
 * next sentence.
 */
export interface Refusal {
  because: string;
  advice: string;
}

/** How large a tool's schema may be. */
export const caps = {
  /** Characters of its JSON, roughly. */
  size: 64 * 1024,
  /** Levels of JSON. A property of an object in a list takes three of them, so this is some 32 schemas deep. */
  depth: 96,
  /** Objects and lists. */
  nodes: 2_000,
  enumValues: 1_000,
} as const;

/** Size of a schema within the caps. */
export interface Extent {
  size: number;
  nodes: number;
}

/** Stops at the first exceeded cap, so that a huge schema costs no more than one at the cap. */
export function measure(schema: JsonObject): Extent | Refusal {
  const walk = new Walk();
  const because = walk.visit(schema, 0);
  if (because === undefined) return { size: walk.size, nodes: walk.nodes };
  return { because, advice: "Make it smaller or split the tool" };
}

class Walk {
  size = 0;
  nodes = 0;
  #enumValues = 0;

  visit(value: JsonValue | undefined, depth: number): string | undefined {
    this.size += typeof value === "string" ? value.length + 3 : 5;
    if (this.size > caps.size) return `is larger than ${caps.size / 1024} KB`;
    if (typeof value !== "object" || value === null) return undefined;
    if (++this.nodes > caps.nodes) return `has more than ${caps.nodes} objects and lists`;
    if (depth === caps.depth) return `is nested more than ${caps.depth} levels deep`;
    return Array.isArray(value) ? this.#list(value, depth) : this.#object(value, depth);
  }

  #list(list: readonly JsonValue[], depth: number): string | undefined {
    for (const inside of list) {
      const because = this.visit(inside, depth + 1);
      if (because !== undefined) return because;
    }
    return undefined;
  }

  #object(object: JsonObject, depth: number): string | undefined {
    for (const key in object) {
      if (!Object.hasOwn(object, key)) continue;
      const inside = object[key];
      this.size += key.length;
      if (key === "enum" && Array.isArray(inside)) this.#enumValues += inside.length;
      if (this.#enumValues > caps.enumValues) return `has more than ${caps.enumValues} enum values`;
      const because = this.visit(inside, depth + 1);
      if (because !== undefined) return because;
    }
    return undefined;
  }
}
