import { type Meaning, Openers } from "./core/openers.ts";
import type { Dialect } from "./dialect.ts";
import { forms } from "./known/index.ts";

/** Dialects by name, or dialects that are not in the list. */
export type Choice = "auto" | readonly (string | Dialect)[];

/** The markers to look for in a message; see `ReaderSettings`. */
export interface Marks {
  openers: Openers;
  lines: Openers | undefined;
  firsts: Openers;
  starts: Openers;
  closes: string[];
}

const marksByChoice = new Map<string, Marks>();

/** Cached: the markers of a choice of dialects are the same for every message. */
export function marksOf(choice: Choice, markersOnly: boolean): Marks {
  if (typeof choice === "object" && choice.some((chosen) => typeof chosen !== "string"))
    return makeMarks(choice, markersOnly);
  const key = `${markersOnly} ${typeof choice === "string" ? choice : choice.join(" ")}`;
  let marks = marksByChoice.get(key);
  if (!marks) {
    marks = makeMarks(choice, markersOnly);
    if (marksByChoice.size > 100) marksByChoice.clear();
    marksByChoice.set(key, marks);
  }
  return marks;
}

function makeMarks(choice: Choice, markersOnly: boolean): Marks {
  const isAuto = choice === "auto";
  const own = isAuto ? [] : choice.filter((chosen) => typeof chosen !== "string");
  const known = forms.filter(({ name, internal, mustBeNamed }) =>
    isAuto ? !mustBeNamed : internal || choice.includes(name),
  );
  const chosen = [...own, ...known];
  const isMarked = ({ bare, internal }: Dialect) => !internal && (!bare || !(isAuto || markersOnly));
  const marked = chosen.filter(isMarked);
  // A fence around the whole message is always read; the other dialects without a marker only with `auto`.
  const whole = chosen.filter((dialect) => !isMarked(dialect) && (dialect.internal || (isAuto && !markersOnly)));
  const tags = [...commonTags, ...chosen.flatMap(({ reasoning = [] }) => reasoning)];
  const closes = new Set(tags.flatMap(({ close }) => close));
  // Dialects that begin with any letter are not looked for in the middle of lines.
  const isOfLines = ({ atLineStart, openers }: Dialect) =>
    atLineStart === true && openers.every((opener) => /^\w$/.test(opener));
  const everywhere = callMeanings(marked.filter((dialect) => !dialect.atStart && !isOfLines(dialect)));
  const lines = callMeanings(marked.filter(isOfLines));
  return {
    openers: new Openers([...everywhere, ...tagMeanings(chosen), ...[...closes].map(closeMeaning)]),
    lines: lines.length > 0 ? new Openers(lines) : undefined,
    firsts: new Openers(callMeanings(marked.filter(({ atStart }) => atStart))),
    starts: new Openers(callMeanings(whole)),
    closes: [...closes],
  };
}

function callMeanings(dialects: readonly Dialect[]): Meaning[] {
  const read = new Map<string, Dialect["read"][]>();
  const meanings: Meaning[] = [];
  for (const dialect of dialects) {
    for (const opener of dialect.openers) {
      const readers = read.get(opener) ?? [];
      // Several dialects may share a reader, which needs to try only once.
      if (readers.includes(dialect.read)) continue;
      read.set(opener, [...readers, dialect.read]);
      meanings.push({ kind: "call", opener, dialect });
    }
  }
  return meanings;
}

/** The reasoning tags that most models use, whatever their dialect. */
const commonTags = [
  { open: "<think>", close: ["</think>"] },
  { open: "<thinking>", close: ["</thinking>"] },
];

function tagMeanings(dialects: readonly Dialect[]): Meaning[] {
  const meanings = new Map<string, Meaning & { kind: "reasoning" | "hidden" | "closer" }>();
  const add = (kind: "hidden" | "closer", opener: string, dialect: string) => {
    const meaning = meanings.get(opener);
    if (!meaning) meanings.set(opener, { kind, opener, dialects: [dialect] });
    else if (meaning.kind === kind) meaning.dialects = [...meaning.dialects, dialect];
  };
  for (const { open, close } of commonTags) {
    meanings.set(open, { kind: "reasoning", opener: open, close, dialects: [] });
  }
  for (const { name, reasoning = [], hidden = [] } of dialects) {
    for (const { open, close } of reasoning) {
      const meaning = meanings.get(open);
      const before = meaning?.kind === "reasoning" ? meaning : { close: [], dialects: [] };
      const closers = [...new Set([...before.close, ...close])];
      // Common tags do not reveal the dialect.
      const dialectNames = commonTags.some((tag) => tag.open === open) ? [] : [...before.dialects, name];
      meanings.set(open, { kind: "reasoning", opener: open, close: closers, dialects: dialectNames });
    }
    for (const opener of hidden) add("hidden", opener, name);
  }
  for (const { name, closers, bare } of dialects) {
    if (!bare) for (const closer of closers.filter((mark) => mark.startsWith("<"))) add("closer", closer, name);
  }
  return [...meanings.values()];
}

function closeMeaning(opener: string): Meaning {
  return { kind: "close", opener };
}
