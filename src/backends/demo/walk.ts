import type { JsonObject, JsonValue } from "../../turn/index.ts";
import type { Evidence, Reach } from "./evidence.ts";
import { fits, weightOf } from "./fits.ts";
import type { Allowance, SchemaType } from "./schema.ts";

const heaviest = 100_000;

/** A value, and whether the question spoke for it. `whole` is false where the walk had to stop inside it. */
export interface Filled {
  value: JsonValue;
  evident: boolean;
  whole: boolean;
}

export interface Walk {
  root: JsonObject;
  evidence: Evidence;
  /** For what must be there, and for what is only looked at in case the question speaks of it. */
  needed: Allowance;
  looked: Allowance;
  /** All properties count as required. */
  strict: boolean;
  /** Values by name that stand above the question: what tools answered. */
  facts: JsonObject;
}

/** Where in the schema the walk stands. */
export interface Spot {
  name: string;
  depth: number;
  reach: Reach;
  /** A value must stand here, whatever the question says. */
  needed: boolean;
  /** A text parameter that may hold the whole question, though it is optional. */
  open: boolean;
}

export function given(value: JsonValue): Filled {
  return { value, evident: false, whole: true };
}

/** The least that a type can be, where the walk has to stop. */
export function nothing(type: SchemaType | undefined): JsonValue {
  if (type === "array") return [];
  if (type === "boolean") return false;
  if (type === "number" || type === "integer") return 0;
  if (type === "null") return null;
  return type === "string" ? "" : {};
}

/** Whether a value of the client is light enough to be given back. */
export function weigh(value: JsonValue, allowance: Allowance): boolean {
  const weight = weightOf(value);
  return weight <= heaviest && allowance.spend(weight / 256);
}

export function allowanceAt(spot: Spot, walk: Walk): Allowance {
  return spot.needed ? walk.needed : walk.looked;
}

export function isUsable(value: JsonValue, schema: JsonObject, walk: Walk, allowance: Allowance): boolean {
  return weigh(value, allowance) && fits(value, schema, walk.root, allowance);
}
