import { areJoined, listsOf, type Question, type Span, type Token, textOf } from "./question.ts";
import { isStopWord } from "./words.ts";

/** A name of a place, as far as spelling can tell: nobody here knows the world. */
export interface Place extends Span {
  text: string;
  /** The preposition before it, which tells a start from a destination. */
  after: string;
  /** A capital or a strong preposition stands behind it, not only a guess. */
  sure: boolean;
}

const prepositions = new Set(
  "in at near around for from to into of about between within inside à en nach für bei".split(" "),
);
const strongPrepositions = new Set(["in", "at", "near", "around"]);
const particles = new Set("de la le les el al du des del della di da do dos of upon am an der den von".split(" "));
const notPlaces = new Set(
  `morning afternoon evening night noon midnight day days week weeks weekend month months year years hour hours minute
  minutes second seconds monday tuesday wednesday thursday friday saturday sunday january february march april june july
  august september october november december celsius fahrenheit kelvin metric imperial degrees right next last ago later
  english detail general advance case time`.split(/\s+/),
);

/** The names of places in a part of the question, those of one list together; the surest reading that finds any wins. */
export function placesIn(question: Question, span: Span, known: ReadonlySet<string>): Place[][] {
  const { tokens } = question;
  const isName = (at: number): boolean => {
    const token = tokens[at];
    return token !== undefined && at < span.end && isNameLike(token) && !known.has(token.stem);
  };
  const isPlain = (at: number): boolean => {
    const token = tokens[at];
    return token?.kind === "word" && at < span.end && !isOrdinary(token.text) && !known.has(token.stem);
  };
  const isQuote = (at: number): boolean => tokens[at]?.kind === "quote";
  const after = (at: number): string => prepositionBefore(tokens, at);
  const readings: Reading[] = [
    { starts: (at) => (isName(at) || isQuote(at)) && after(at) !== "", continues: isName, sure: true },
    { starts: (at) => isPlain(at) && strongPrepositions.has(after(at)), continues: isPlain, sure: true },
    { starts: (at) => isPlain(at) && after(at) !== "", continues: isPlain, sure: false },
    { starts: (at) => isName(at) && !startsSentence(tokens, at), continues: isName, sure: false },
    { starts: isName, continues: isName, sure: false },
  ];
  for (const reading of readings) {
    const places = collect(question, span, reading);
    if (places.length > 0) return listsOf(question, places).map((list) => pairs(question, list));
  }
  return [];
}

interface Reading {
  starts(at: number): boolean;
  continues(at: number): boolean;
  sure: boolean;
}

function collect(question: Question, span: Span, { starts, continues, sure }: Reading): Place[] {
  const { tokens } = question;
  const places: Place[] = [];
  for (let at = span.start; at < span.end; at++) {
    const last = places.at(-1);
    const isQuote = tokens[at]?.kind === "quote";
    const goesOn = last && (isQuote || continues(at)) && areJoined(question, last, { start: at, end: at + 1 });
    if (!starts(at) && !goesOn) continue;
    const end = isQuote ? at + 1 : endOfName(tokens, at, span.end, continues);
    const text = isQuote ? (tokens[at]?.text ?? "") : textOf(question, { start: at, end });
    places.push({ start: at, end, text, after: prepositionBefore(tokens, at), sure });
    at = end - 1;
  }
  return places;
}

function endOfName(tokens: readonly Token[], start: number, limit: number, continues: (at: number) => boolean): number {
  let end = start + 1;
  while (end < limit && end - start < 6) {
    const token = tokens[end];
    if (token === undefined) break;
    if (continues(end)) end += 1;
    else if (continues(end + 1) && (particles.has(token.text) || isAbbreviationDot(tokens, end))) end += 2;
    else break;
  }
  const code = tokens[end + 1];
  const isRegion = tokens[end]?.text === "," && end + 1 < limit && /^\p{Lu}{2,3}$/u.test(code?.text ?? "");
  return isRegion ? end + 2 : end;
}

/** "Paris, France" is one place unless the list goes on: "Paris, Rome and Berlin"; "Paris, France and Rome, Italy" is two. */
function pairs(question: Question, list: Place[]): Place[] {
  const commas = list.slice(1).map((place, at) => {
    const between = question.tokens.slice(list[at]?.end, place.start);
    return between.length === 1 && between[0]?.text === ",";
  });
  const paired = list.length % 2 === 0 && commas.every((comma, at) => comma === (at % 2 === 0));
  if (!paired) return list;
  const whole: Place[] = [];
  for (let at = 0; at < list.length; at += 2) {
    const first = list[at];
    const second = list[at + 1];
    if (!first || !second) continue;
    const span = { start: first.start, end: second.end };
    whole.push({ ...first, ...span, text: textOf(question, span) });
  }
  return whole;
}

function prepositionBefore(tokens: readonly Token[], at: number): string {
  const previous = tokens[at - 1]?.text.toLowerCase() ?? "";
  const word = previous === "the" ? (tokens[at - 2]?.text.toLowerCase() ?? "") : previous;
  return prepositions.has(word) ? word : "";
}

function isOrdinary(word: string): boolean {
  return isStopWord(word) || notPlaces.has(word.toLowerCase());
}

/** A capital letter, or a script that has none. */
function isNameLike(token: Token): boolean {
  if (token.kind !== "word" || isOrdinary(token.text)) return false;
  return /^[\p{Lu}\p{Lt}]/u.test(token.text) || /^(?!\p{Script=Hiragana}+$)\p{Lo}/u.test(token.text);
}

function isAbbreviationDot(tokens: readonly Token[], at: number): boolean {
  return tokens[at]?.text === "." && /^(?:St|Mt|Ft|Ste)$/u.test(tokens[at - 1]?.text ?? "");
}

/** A capital at the start of a sentence tells nothing. */
function startsSentence(tokens: readonly Token[], at: number): boolean {
  const previous = tokens[at - 1];
  if (/^\p{Lo}/u.test(tokens[at]?.text ?? "")) return false;
  return previous === undefined || /^[.?!:;]$/u.test(previous.text);
}
