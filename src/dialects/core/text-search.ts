import type { Input } from "./input.ts";
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
    const isLineStart = at > from && text.charCodeAt(at - 1) === 0x0a;
    if (isLineStart && text.startsWith(opener, at)) return { at, isFound: true };
    const closer = marks.find((mark) => text.startsWith(mark, at));
    if (closer === undefined) continue;
    const behind = at + closer.length;
    if (closer === "\n" || (behind < text.length && followsCall.test(text.charAt(behind)))) {
      return { at: behind, isFound: true };
    }
    if (behind >= text.length) {
      if (isEnd) return { at: limit, isFound: true };
      // A closer may also be the beginning of the opener, which counts only after a newline.
      return { at: isLineStart ? at - 1 : at, isFound: false };
    }
  }
  const tail = isEnd ? 0 : beginningAtEnd(text, from, [`\n${opener}`, ...marks]);
  return { at: Math.min(limit, text.length - tail), isFound: false };
}

/** Searches for the tags that close reasoning, even inside code. No part of the message is searched twice. */
export class CloseSearch {
  readonly #tags: readonly string[];
  readonly #firsts: readonly number[];
  /** Offsets in the message: the tag that was found last, or how far none was found, and where the search began. */
  #from = Number.POSITIVE_INFINITY;
  #until = 0;
  #isFound = false;

  constructor(tags: readonly string[]) {
    this.#tags = tags;
    this.#firsts = tags.map((tag) => tag.charCodeAt(0));
  }

  /** Index of the next tag in the input, or the length of its text. */
  next(input: Input): number {
    const { offset, text } = input;
    const isKnown = offset >= this.#from && offset <= this.#until;
    if (!isKnown) this.#from = offset;
    if (!isKnown || !this.#isFound) this.#search(input, isKnown ? this.#until : offset);
    return this.#isFound ? input.placeOf(this.#until) : text.length;
  }

  #search(input: Input, from: number): void {
    const { text } = input;
    let open: number | undefined;
    for (let at = input.placeOf(from); at < text.length; at++) {
      if (!this.#firsts.includes(text.charCodeAt(at))) continue;
      this.#isFound = this.#tags.some((tag) => text.startsWith(tag, at));
      if (this.#isFound) {
        this.#until = input.offsetOf(at);
        return;
      }
      open ??= this.#tags.some((tag) => text.length - at < tag.length) ? at : undefined;
    }
    this.#isFound = false;
    this.#until = input.offsetOf(open ?? text.length);
  }
}
