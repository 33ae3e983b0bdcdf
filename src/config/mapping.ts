import type { Path } from "./mistake.ts";

export interface Mapping {
  [key: string]: unknown;
}

export function isMapping(value: unknown): value is Mapping {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value at a path. A path that leads into a scalar ends there: some scalars are short for a mapping. */
export function valueAt(value: unknown, path: Path): unknown {
  const [step, ...rest] = path;
  if (step === undefined || value === undefined) return value;
  if (typeof value !== "object") return value;
  return value !== null && Object.hasOwn(value, step) ? valueAt(Reflect.get(value, step), rest) : undefined;
}

/**
 * Takes out what is at the path; true when nothing is left of the value itself. Where the path goes through a list, all of the list
 * goes, for its other entries would change their numbers. A key that is missing takes its mapping with it, which cannot do without.
 */
export function remove(value: unknown, path: Path): boolean {
  const [step, ...rest] = path;
  if (typeof step !== "string" || !isMapping(value) || !Object.hasOwn(value, step)) return true;
  if (remove(value[step], rest)) delete value[step];
  return false;
}
