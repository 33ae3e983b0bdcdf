const stopWords = new Set(
  `a an the this that these those it its i me my mine we us our you your he she they them his her their there here
  is are was were be been being am do does did done has have had having can could will would shall should may might must
  what which who whom whose when where why how and or but not no nor so then than if else also too both either as at by for
  from in into of on onto off to toward with without about over under between near around per via up down out
  please thanks thank hello hi hey ok okay yes just only really very much many some any every each all other another
  tell give show let make want need like know see say help try go going come get fetch retrieve obtain return use using used
  call invoke tool tools function functions current currently now today tomorrow tonight yesterday given specific specified
  based provide provided information info data value values string object example eg etc whether one ones thing things
  s t m re ve ll d don doesn didn isn aren won can`.split(/\s+/),
);

/** Words for one thing: a question may use one and a tool's author another. */
const synonyms = [
  "add plus sum total addition",
  "subtract minus difference subtraction",
  "multiply product multiplication",
  "divide quotient division",
  "search find look lookup google",
  "email mail",
  "price cost",
  "image picture photo draw drawing",
  "delete remove erase",
  "convert conversion exchange",
];

/** Words around one subject: they speak for the same tool, and yet say different things. */
const subjects = [
  "weather temperature forecast rain rainy sunny snow warm cold hot humid wind windy climate umbrella degrees",
  "time clock hour",
  "run execute exec shell command",
  "calculate compute math arithmetic expression evaluate",
];

const arithmetic = "add plus sum subtract minus multiply divide addition subtraction multiplication division";
const calculators = "calculate math arithmetic expression evaluate compute";

const unspacedScript = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
let segmenter: Intl.Segmenter | undefined;

/** The pieces of a word of a script that writes no spaces; any other word is one piece. */
export function segments(word: string): string[] {
  if (!unspacedScript.test(word)) return [word];
  segmenter ??= new Intl.Segmenter("en", { granularity: "word" });
  return Array.from(segmenter.segment(word), (part) => part.segment);
}

export function isStopWord(word: string): boolean {
  return stopWords.has(word.toLowerCase().replace(/['’].*$/u, ""));
}

/** Close enough for matching: both sides are cut by the same rules, so a wrong root does no harm. */
export function stem(word: string): string {
  let root = word.toLowerCase().replace(/['’]s?$/u, "");
  if (/\p{L}ie[sd]$/u.test(root) && root.length > 4) root = `${root.slice(0, -3)}y`;
  else if (/(?:[sxz]|ch|sh)es$/u.test(root)) root = root.slice(0, -2);
  else if (/[^s]s$/u.test(root) && root.length > 3 && root !== "news") root = root.slice(0, -1);
  const suffix = /(?:ing|ed|ion|or|er)$/u.exec(root);
  if (suffix && root.length - suffix[0].length >= 3 && root.length >= 6) {
    root = root.slice(0, suffix.index).replace(/([bdgmnprt])\1$/u, "$1");
  }
  return root.length > 4 && root.endsWith("e") ? root.slice(0, -1) : root;
}

/** Lower-case words of a text or an identifier: `getWeather_now` has three. */
export function wordsOf(text: string): string[] {
  return text
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, "$1 $2")
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .flatMap(segments)
    .filter((word) => word !== "");
}

/** The roots of the words that carry a meaning. */
export function contentStems(text: string): string[] {
  return wordsOf(text)
    .filter((word) => !stopWords.has(word))
    .map(stem);
}

type Relations = Map<string, Set<string>>;

function relate(relations: Relations, from: string, to: string): void {
  const targets = to.split(" ").map(stem);
  for (const root of from.split(" ").map(stem)) {
    relations.set(root, new Set([...(relations.get(root) ?? []), ...targets]));
  }
}

const same: Relations = new Map();
const kin: Relations = new Map();
for (const group of synonyms) {
  relate(same, group, group);
  relate(kin, group, group);
}
for (const group of subjects) relate(kin, group, group);
// One way only: a calculator multiplies, but a question for a product is nothing for a tool that adds.
relate(kin, arithmetic, calculators);

export function isSynonym(root: string, other: string): boolean {
  return same.get(root)?.has(other) ?? false;
}

/** Whether a word of a question speaks for a tool that has the other word. */
export function isKin(questionStem: string, toolStem: string): boolean {
  return kin.get(questionStem)?.has(toolStem) ?? false;
}
