import type { JsonObject } from "../../turn/index.ts";

/** The number, moved as little as the schema's limits demand. */
export function withinBounds(wanted: number, schema: JsonObject, integer: boolean): number {
  const low = lowest(schema, integer);
  const high = highest(schema, integer);
  let number = integer ? Math.round(wanted) : wanted;
  if (number < low.bound || (low.open && number === low.bound)) number = inside(low, high);
  if (number > high.bound || (high.open && number === high.bound)) number = inside(high, low);
  const step = typeof schema.multipleOf === "number" && schema.multipleOf > 0 ? schema.multipleOf : undefined;
  return step === undefined ? number : onStep(number, step, low, high);
}

interface Bound {
  bound: number;
  open: boolean;
}

function lowest(schema: JsonObject, integer: boolean): Bound {
  const closed = typeof schema.minimum === "number" ? schema.minimum : -Infinity;
  const open = typeof schema.exclusiveMinimum === "number" ? schema.exclusiveMinimum : -Infinity;
  // Draft 4 wrote `exclusiveMinimum: true` beside `minimum`.
  const isOpen = open >= closed || schema.exclusiveMinimum === true;
  const bound = Math.max(closed, open);
  if (!integer || !Number.isFinite(bound)) return { bound, open: isOpen };
  const whole = Math.ceil(bound);
  return { bound: isOpen && whole === bound ? whole + 1 : whole, open: false };
}

function highest(schema: JsonObject, integer: boolean): Bound {
  const mirrored = lowest(
    {
      minimum: typeof schema.maximum === "number" ? -schema.maximum : undefined,
      exclusiveMinimum:
        typeof schema.exclusiveMaximum === "number" ? -schema.exclusiveMaximum : schema.exclusiveMaximum,
    },
    integer,
  );
  return { bound: -mirrored.bound, open: mirrored.open };
}

function inside(near: Bound, far: Bound): number {
  if (!near.open) return near.bound;
  if (Number.isFinite(far.bound)) return (near.bound + far.bound) / 2;
  return far.bound > near.bound ? near.bound + 1 : near.bound - 1;
}

function onStep(number: number, step: number, low: Bound, high: Bound): number {
  for (const count of [Math.round(number / step), Math.ceil(low.bound / step), Math.floor(high.bound / step)]) {
    // Binary fractions: 3 × 0.1 must be written 0.3.
    const candidate = Number((count * step).toPrecision(12));
    const isAbove = candidate > low.bound || (candidate === low.bound && !low.open);
    const isBelow = candidate < high.bound || (candidate === high.bound && !high.open);
    if (isAbove && isBelow && Number.isFinite(candidate)) return candidate;
  }
  return number;
}
