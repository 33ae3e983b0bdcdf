import type { CatalogEntry } from "./catalog.ts";
import { isKin, wordsOf } from "./words.ts";

export interface Score {
  points: number;
  /** The words of the question that spoke for the tool. */
  words: string[];
}

/** How much a part of a question speaks for a tool. A word of its name weighs most, one of its description least. */
export function scoreOf(entry: CatalogEntry, text: string, stems: ReadonlySet<string>): Score {
  if (isMentioned(entry.tool.name, text)) return { points: 100, words: [entry.tool.name] };
  const words: string[] = [];
  const count = (of: ReadonlySet<string>, each: number, kin: number, most: number): number => {
    let points = 0;
    for (const root of stems) {
      const gained = of.has(root) ? each : [...of].some((word) => isKin(root, word)) ? kin : 0;
      if (gained > 0 && !words.includes(root)) words.push(root);
      points += gained;
    }
    return Math.min(points, most);
  };
  const points =
    count(entry.nameStems, 3, 2, 9) +
    count(entry.valueStems, 2, 1, 4) +
    count(entry.descriptionStems, 1, 1, 3) +
    count(entry.parameterStems, 1, 0, 2);
  return { points, words };
}

const order = /(?:^|\s)(?:use|using|call|calling|with|via|invoke|run|try)\s+(?:the\s+)?[`"'“]?$/iu;
const title = /^[`"'”]?\s+(?:tool|function)\b/iu;

/**
 * Whether the text names the tool itself. A name of one plain word ("search") must be ordered ("use search", "the search
 * tool"): otherwise it is just a word.
 */
export function isMentioned(name: string, text: string): boolean {
  if (name === "" || name.length > 200) return false;
  const [sought, within] = [name.toLowerCase(), text.toLowerCase()];
  const isPlainWord = wordsOf(name).length === 1;
  for (let at = within.indexOf(sought); at >= 0; at = within.indexOf(sought, at + 1)) {
    const before = within.slice(Math.max(0, at - 30), at);
    const after = within.slice(at + sought.length, at + sought.length + 20);
    if (/[\p{L}\p{N}_-]$/u.test(before) || /^(?:[\p{L}\p{N}_]|[-.][\p{L}\p{N}])/u.test(after)) continue;
    if (!isPlainWord || order.test(before) || title.test(after)) return true;
  }
  return false;
}
