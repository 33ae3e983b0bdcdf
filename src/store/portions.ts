/** Copying a message between threads holds the event loop, so what is larger than this is sent in portions. */
export const mostInPortion = 256 * 1024;
const longestList = 256;
/** How far inside a value long lists are looked for. */
const deepest = 6;

type Path = readonly (string | number)[];

/** A part of a list that is a part of a value. */
export interface Portion {
  path: Path;
  items: readonly unknown[];
}

/** A value without its long and its large lists, and these lists in portions. The value itself is not changed. */
export function split(value: unknown, path: Path): { rest: unknown; portions: Portion[] } {
  const portions: Portion[] = [];
  return { rest: withoutLists(value, path, portions), portions };
}

/** Puts a portion where it was taken from. The portions of a list come in their order. */
export function join(value: unknown, { path, items }: Portion): void {
  let target = value;
  for (const key of path) target = isContainer(target) ? target[key] : undefined;
  if (Array.isArray(target)) for (const item of items) target.push(item);
}

/** Characters of the strings, and some for everything else. Of a long list, only some items are measured. */
export function sizeOf(value: unknown): number {
  if (typeof value === "string") return 16 + value.length;
  if (typeof value !== "object" || value === null) return 16;
  if (Array.isArray(value) && value.length > longestList) return sizeOfList(value);
  let size = 16;
  for (const part of Object.values(value)) size += sizeOf(part);
  return size;
}

function sizeOfList(list: readonly unknown[]): number {
  const step = Math.ceil(list.length / longestList);
  let size = 0;
  for (let index = 0; index < list.length; index += step) size += sizeOf(list[index]);
  return size * step;
}

function withoutLists(value: unknown, path: Path, portions: Portion[]): unknown {
  if (typeof value !== "object" || value === null || path.length > deepest) return value;
  if (!Array.isArray(value)) {
    const entries = Object.entries(value).map(([key, part]) => [key, withoutLists(part, [...path, key], portions)]);
    return Object.fromEntries(entries);
  }
  if (value.length > longestList) {
    addPortions(value, path, portions);
    return [];
  }
  const inside: Portion[] = [];
  const list = value.map((part, index) => withoutLists(part, [...path, index], inside));
  const isLarge = sizeOf(list) > mostInPortion;
  // The items come first, because the portions of the lists inside are put into them.
  if (isLarge) addMeasured(list, path, portions);
  for (const portion of inside) portions.push(portion);
  return isLarge ? [] : list;
}

/** The items of a short list may differ much in size, so each one is measured. An item that is too large gets its own portion. */
function addMeasured(list: readonly unknown[], path: Path, portions: Portion[]): void {
  let items: unknown[] = [];
  let size = 0;
  for (const item of list) {
    const added = sizeOf(item);
    if (items.length > 0 && size + added > mostInPortion) {
      portions.push({ path, items });
      items = [];
      size = 0;
    }
    items.push(item);
    size += added;
  }
  portions.push({ path, items });
}

/** To measure every item of a long list would take too long. */
function addPortions(list: readonly unknown[], path: Path, portions: Portion[]): void {
  const atOnce = Math.max(1, Math.floor((mostInPortion * list.length) / sizeOf(list)));
  for (let at = 0; at < list.length; at += atOnce) portions.push({ path, items: list.slice(at, at + atOnce) });
}

function isContainer(value: unknown): value is Record<string | number, unknown> {
  return typeof value === "object" && value !== null;
}
