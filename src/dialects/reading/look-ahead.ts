/** Whether something comes next; "more" if the text ends before that is certain. */
export type Answer = boolean | "more";

/**
 * Whether the sticky pattern matches at this index. Its one group captures what is wanted, which `isWanted` may check; a match
 * without the group means that the text ended too early.
 */
export function looksLike(
  pattern: RegExp,
  text: string,
  at: number,
  isEnd: boolean,
  isWanted: (found: string) => boolean = () => true,
): Answer {
  pattern.lastIndex = at;
  const match = pattern.exec(text);
  if (!match) return false;
  return match[1] === undefined ? isEnd || "more" : isWanted(match[1]);
}

/** Whether one of the markers is at this index. */
export function marked(marks: readonly string[], text: string, at: number, isEnd: boolean): Answer {
  let isOpen = false;
  for (const mark of marks) {
    if (text.startsWith(mark, at)) return true;
    const rest = text.length - at;
    if (rest < mark.length && !isEnd && mark.startsWith(text.slice(at))) isOpen = true;
  }
  return isOpen && "more";
}

/** The text, escaped for the inside of a JSON string. */
export function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
