/** Whether something comes next; "more" where the text ends before that can be told. */
export type Answer = boolean | "more";

/**
 * Whether the pattern, which is sticky, holds at this place. It has one group, for what is wanted and may be checked; where it
 * matches without the group, the text has ended too early.
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

/** Whether one of the marks stands at this place. */
export function marked(marks: readonly string[], text: string, at: number, isEnd: boolean): Answer {
  let isOpen = false;
  for (const mark of marks) {
    if (text.startsWith(mark, at)) return true;
    const rest = text.length - at;
    if (rest < mark.length && !isEnd && mark.startsWith(text.slice(at))) isOpen = true;
  }
  return isOpen && "more";
}

/** The text as it stands inside of a JSON string. */
export function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
