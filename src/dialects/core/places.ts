import type { Meaning } from "./openers.ts";

/** The calls that may begin at a place. */
export function callsAmong(meanings: readonly Meaning[], isLineStart: boolean): Meaning[] {
  return meanings.filter((meaning) => meaning.kind === "call" && (isLineStart || !meaning.dialect.atLineStart));
}

/** How many characters from here on are at most so many units, none of them split. */
export function wholeCharacters(text: string, from: number, most: number): number {
  const left = text.length - from;
  if (most >= left) return left;
  if (most <= 0) return 0;
  const last = text.charCodeAt(from + most - 1);
  return last >= 0xd800 && last < 0xdc00 ? most - 1 : most;
}

/** How much of the end of the text may be the beginning of one of the marks. */
export function beginningAtEnd(text: string, from: number, marks: readonly string[]): number {
  let longest = 0;
  for (const mark of marks) {
    for (let count = Math.min(mark.length - 1, text.length - from); count > longest; count--) {
      if (text.endsWith(mark.slice(0, count))) longest = count;
    }
  }
  return longest;
}

/** Where a block ends that turned out to be text: behind the first closer in what was read of it, else where it broke off. */
export function behindCloser(all: string, from: number, read: number, closers: readonly string[]): number {
  const text = all.slice(0, read);
  let nearest = read;
  for (const closer of closers) {
    const place = text.indexOf(closer, from);
    if (place !== -1 && place + closer.length < nearest) nearest = place + closer.length;
  }
  return Math.max(nearest, Math.min(from, 1));
}
