import { isObject } from "../../src/turn/index.ts";

export type Path = (string | number)[];

/** A copy with one value changed, or taken away when the new value is `undefined`. */
export function mutate<T>(value: T, path: Path, change: unknown): T {
  // Not structuredClone: it would keep two mentions of one object one.
  const copy = JSON.parse(JSON.stringify(value)) as T;
  const key = path.at(-1);
  let target: unknown = copy;
  for (const step of path.slice(0, -1)) target = (target as Record<string | number, unknown>)[step];
  // A test that changes nothing would prove nothing.
  if (key === undefined || !(isObject(target) || Array.isArray(target))) {
    throw new Error(`There is no ${path.join(".")} to change.`);
  }
  const holder = target as Record<string | number, unknown>;
  if (change === undefined && !(key in holder)) throw new Error(`There is no ${path.join(".")} to take away.`);
  if (change === undefined) delete holder[key];
  else holder[key] = change;
  return copy;
}

/** Several changes, one after the other. */
export function mutateAll<T>(value: T, ...changes: [path: Path, change: unknown][]): T {
  return changes.reduce((changed, [path, change]) => mutate(changed, path, change), value);
}
