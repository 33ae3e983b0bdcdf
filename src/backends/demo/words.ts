const stopWords = new Set(
  `a an the this that these those it its i me my we us our you your he she they them his her their there here
  is are was were be been am do does did has have had can could will would shall should may might must
  what which who when where why how and or but not no so then than if also too both as at by for from in into of on off to
  with without about over between near around per via up down out please thanks thank hello hi hey ok okay yes just only
  very much many some any all other tell give show check compare let make want need like know see say help try get fetch
  return use using call tool function current now today tomorrow tonight yesterday given information data value example
  let's i'd i'm there's`.split(/\s+/),
);

/** Synonyms: a question may use one word and a tool's author another. The first of a row stands for all. */
const synonyms = new Map(
  [
    "add plus sum total addition +",
    "subtract minus difference subtraction - −",
    "multiply times product multiplication * ×",
    "divide quotient division / ÷",
    "calculate calculator compute evaluate math arithmetic",
    "search find look lookup google",
    "weather temperature forecast rain warm cold hot umbrella",
    "email mail",
    "origin from source departure",
    "destination to target arrival",
  ].flatMap((group) => {
    const [first = "", ...others] = group.split(" ");
    return others.map((word): [string, string] => [word, first]);
  }),
);

export function isStopWord(word: string): boolean {
  return stopWords.has(word.toLowerCase().replace(/['’]s$/u, ""));
}

/** Close enough for matching: both sides are shortened by the same rules, so a wrong stem does no harm. */
export function stem(word: string): string {
  const lower = word.toLowerCase().replace(/['’]s?$/u, "");
  const same = synonyms.get(lower) ?? synonyms.get(lower.replace(/(?:s|ing|ed)$/u, ""));
  return (same ?? lower)
    .replace(/(\p{L}{2})ie[sd]$/u, "$1y")
    .replace(/(sh|ch|[xz])es$|([^s])s$/u, "$1$2")
    .replace(/(\p{L}{3})(?:ing|ed|ion|or|er)$/u, "$1")
    .replace(/(\p{L}{3})e$/u, "$1");
}

/** Lower-case words of a text or an identifier: `getWeather_now` has three. */
export function wordsOf(text: string): string[] {
  const spaced = text.replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, "$1 $2").toLowerCase();
  return spaced.match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}'’]*/gu) ?? [];
}

/** The stems of the words. Text without words, for example "+", is its own stem. */
export function stemsOf(text: string): string[] {
  const words = wordsOf(text);
  return (words.length > 0 ? words : [text.trim()]).map(stem);
}

/** The stems of all words but stop words. */
export function contentStems(text: string): string[] {
  return wordsOf(text).flatMap((word) => (stopWords.has(word) ? [] : [stem(word)]));
}
