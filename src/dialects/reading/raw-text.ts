import type { Block } from "../core/block.ts";
import { isSpace } from "../core/characters.ts";
import type { Reading } from "../dialect.ts";

/** A marker that may end raw text. */
export interface TextEnd {
  mark: string;
  /** Counts only if one of these follows, with only whitespace between, or if the message ends. */
  follows?: readonly string[];
  /** The marker is not consumed. */
  stays?: boolean;
  /** Counts only at the start of a line or of the text. */
  atLineStart?: boolean;
}

/** Most whitespace between a marker and what must follow it. */
const farthest = 64;

/** Reads text up to one of the markers, emits it as it arrives, and returns the marker. */
export function* rawText(block: Block, ends: readonly TextEnd[], give: (text: string) => void): Reading<TextEnd> {
  // Almost every marker begins with the same character.
  const first = ends[0]?.mark.charCodeAt(0) ?? 0;
  const others = new Set(ends.map(({ mark }) => mark.charCodeAt(0)).filter((character) => character !== first));
  let isLineStart = true;
  for (;;) {
    const { text } = block;
    let at = block.at;
    let waits = false;
    for (; at < text.length && !waits; at++) {
      const character = text.charCodeAt(at);
      if (character === first || (others.size > 0 && others.has(character))) {
        const end = endAt(block, ends, at, isLineStart);
        if (end === "more") {
          waits = true;
          break;
        }
        if (end) {
          give(text.slice(block.at, at));
          block.at = end.stays ? at : at + end.mark.length;
          return end;
        }
      }
      if (character === 0x0a) isLineStart = true;
      else if (character !== 0x20 && character !== 0x09) isLineStart = false;
    }
    give(text.slice(block.at, at));
    block.at = at;
    if (block.ended) block.fail("a value does not end");
    yield;
  }
}

function endAt(block: Block, ends: readonly TextEnd[], at: number, isLineStart: boolean): TextEnd | "more" | undefined {
  const { text, ended } = block;
  let isOpen = false;
  for (const end of ends) {
    if (end.atLineStart && !isLineStart) continue;
    const { mark } = end;
    if (text.length - at < mark.length) {
      if (!ended && mark.startsWith(text.slice(at))) isOpen = true;
      continue;
    }
    if (!text.startsWith(mark, at)) continue;
    if (!end.follows) return isOpen ? "more" : end;
    const isFollowed = followedBy(text, at + mark.length, end.follows, ended);
    if (isFollowed === "more") isOpen = true;
    else if (isFollowed) return isOpen ? "more" : end;
  }
  return isOpen ? "more" : undefined;
}

function followedBy(text: string, from: number, marks: readonly string[], isEnd: boolean): boolean | "more" {
  let at = from;
  while (at < text.length && isSpace(text.charCodeAt(at))) at++;
  if (at - from > farthest) return true;
  if (at === text.length) return isEnd || "more";
  if (marks.some((mark) => text.startsWith(mark, at))) return true;
  const left = text.length - at;
  const mayCome = marks.some((mark) => mark.length > left && text.endsWith(mark.slice(0, left)));
  // At the end of the message, the beginning of what must follow is enough.
  return mayCome && (isEnd || "more");
}
