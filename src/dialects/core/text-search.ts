import type { Meaning } from "./openers.ts";

export function isLetter(character: number): boolean {
  return (character >= 0x61 && character <= 0x7a) || (character >= 0x41 && character <= 0x5a) || character === 0x5f;
}

/** The calls that may begin at a position. */
export function callsAmong(meanings: readonly Meaning[], isLineStart: boolean, spoken: ReadonlySet<string>): Meaning[] {
  return meanings.filter((meaning) => {
    if (meaning.kind !== "call") return false;
    const { name, atLineStart, bare } = meaning.dialect;
    return isLineStart || !atLineStart || (!bare && spoken.has(name));
  });
}

/** How many UTF-16 units follow `from`, at most `most`, without splitting a surrogate pair. */
export function wholeCharacters(text: string, from: number, most: number): number {
  const left = text.length - from;
  if (most >= left) return left;
  if (most <= 0) return 0;
  const last = text.charCodeAt(from + most - 1);
  return last >= 0xd800 && last < 0xdc00 ? most - 1 : most;
}

/** How many characters at the end of the text may be the beginning of one of the markers. */
export function beginningAtEnd(text: string, from: number, marks: readonly string[]): number {
  let longest = 0;
  for (const mark of marks) {
    for (let count = Math.min(mark.length - 1, text.length - from); count > longest; count--) {
      if (text.endsWith(mark.slice(0, count))) longest = count;
    }
  }
  return longest;
}

/** What may follow a call: a newline or another marker. */
const followsCall = /[\n\r<[]/;

/**
 * Finds the end of an unparsable call: after a closer that a newline or marker follows, since arguments may quote closers too;
 * before a line that begins with the same opener; or, without closers, at the end of the line. What may be the beginning of that
 * end is left for the next call.
 */
export function endOfBroken(
  text: string,
  from: number,
  limit: number,
  { closers, opener }: { closers: readonly string[]; opener: string },
  isEnd: boolean,
): { at: number; isFound: boolean } {
  const marks = closers.length > 0 ? closers : ["\n"];
  const firsts = new Set([opener, ...marks].map((mark) => mark.charCodeAt(0)));
  for (let at = from; at < limit; at++) {
    if (!firsts.has(text.charCodeAt(at))) continue;
    if (text.charCodeAt(at - 1) === 0x0a && text.startsWith(opener, at)) return { at, isFound: true };
    const closer = marks.find((mark) => text.startsWith(mark, at));
    if (closer === undefined) continue;
    const behind = at + closer.length;
    if (closer === "\n" || (behind < text.length && followsCall.test(text.charAt(behind)))) {
      return { at: behind, isFound: true };
    }
    if (behind >= text.length) return isEnd ? { at: limit, isFound: true } : { at, isFound: false };
  }
  const tail = isEnd ? 0 : beginningAtEnd(text.slice(0, limit), from, [`\n${opener}`, ...marks]);
  return { at: limit - tail, isFound: false };
}
