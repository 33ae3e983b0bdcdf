import type { Path } from "./mistake.ts";

export interface Mapping {
  [key: string]: unknown;
}

export function isMapping(value: unknown): value is Mapping {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value at a path. A path ends at a scalar, because some scalars are short forms of a mapping. */
export function valueAt(value: unknown, path: Path): unknown {
  const [step, ...rest] = path;
  if (step === undefined || value === undefined) return value;
  if (typeof value !== "object") return value;
  return value !== null && Object.hasOwn(value, step) ? valueAt(Reflect.get(value, step), rest) : undefined;
}

/**
 * Removes the value at the path. Returns true if the caller must remove `value` itself. If the path leads through a list, the whole
 * list is removed, because the indexes of its other entries would change. If a key is missing, its mapping is removed: the key is
 * required there.
 */
export function remove(value: unknown, path: Path): boolean {
  const [step, ...rest] = path;
  if (typeof step !== "string" || !isMapping(value) || !Object.hasOwn(value, step)) return true;
  if (remove(value[step], rest)) delete value[step];
  return false;
}
