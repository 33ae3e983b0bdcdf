import type { CatalogEntry } from "./catalog.ts";
import { Evidence } from "./evidence.ts";
import { fanOut } from "./fan-out.ts";
import { placesIn } from "./places.ts";
import { isJoiner, type Question, type Span, stemsIn, textOf } from "./question.ts";
import { isMentioned, type Score, scoreOf } from "./score.ts";
import { isKin } from "./words.ts";

/** One call to make: with which tool, and with what of the question. */
export interface PlannedCall {
  entry: CatalogEntry;
  evidence: Evidence;
  /** The roots of the words that chose the tool; none when it was not chosen by words. */
  words: string[];
}

const maxCalls = 8;

/** A part of a question needs this much to be a thing of its own; a whole question needs less. */
const enoughForPart = 2;
const enoughForWhole = 1;

interface Thing {
  entry: CatalogEntry;
  span: Span;
  words: string[];
}

/** The calls that a question asks for. `must`: one at least, whether the words speak for a tool or not. */
export function planCalls(question: Question, catalog: readonly CatalogEntry[], must: boolean): PlannedCall[] {
  const things = thingsIn(question, ordered(question, catalog) ?? catalog);
  const whole = { start: 0, end: question.tokens.length };
  const best = things.length === 0 ? bestFor(question, catalog, whole) : undefined;
  if (best && (must || best.points >= enoughForWhole)) things.push({ ...best, span: whole });
  return things.flatMap((thing) => callsFor(question, thing)).slice(0, maxCalls);
}

function callsFor(question: Question, { entry, span, words }: Thing): PlannedCall[] {
  return fanOut(question, entry, span).map((others) => ({
    entry,
    evidence: new Evidence(question, span, entry.knownStems, others),
    words,
  }));
}

/** Where a sentence only orders a tool ("Use get_weather."), the whole question is for the tools that it names. */
function ordered(question: Question, catalog: readonly CatalogEntry[]): CatalogEntry[] | undefined {
  const named = catalog.filter((entry) => isMentioned(entry.tool.name, question.text));
  const isOrder = (entry: CatalogEntry): boolean =>
    clausesIn(question).some(
      (clause) => isMentioned(entry.tool.name, textOf(question, clause)) && !speaksFor(question, entry, clause),
    );
  return named.some(isOrder) ? named : undefined;
}

function thingsIn(question: Question, catalog: readonly CatalogEntry[]): Thing[] {
  const things: Thing[] = [];
  let start = 0;
  for (const clause of clausesIn(question)) {
    const best = bestFor(question, catalog, clause);
    const last = things.at(-1);
    if (best === undefined || best.points < enoughForPart) {
      if (last) last.span.end = clause.end;
      continue;
    }
    const { entry, words } = best;
    const isMore =
      last?.entry === entry && !(speaksFor(question, entry, clause) && speaksFor(question, entry, last.span));
    const isKnown = things.some((thing) => thing.entry === entry) && !speaksFor(question, entry, clause);
    if (last && (isMore || isKnown)) last.span.end = clause.end;
    else things.push({ entry, words, span: { start: last ? clause.start : start, end: clause.end } });
    start = clause.end;
  }
  return things;
}

function bestFor(
  question: Question,
  catalog: readonly CatalogEntry[],
  span: Span,
): (Score & { entry: CatalogEntry }) | undefined {
  const text = textOf(question, span);
  const stems = stemsIn(question, span);
  let best: (Score & { entry: CatalogEntry }) | undefined;
  for (const entry of catalog) {
    const score = scoreOf(entry, text, stems);
    if (best === undefined || score.points > best.points) best = { ...score, entry };
  }
  return best;
}

function clausesIn(question: Question): Span[] {
  const { tokens, text } = question;
  const clauses: Span[] = [];
  let start = 0;
  tokens.forEach((token, at) => {
    const isEnd = isJoiner(token) || /^(?:[.?!;。？！]|then)$/iu.test(token.text);
    const next = tokens[at + 1];
    const isLast = next === undefined || text.slice(token.end, next.start).includes("\n");
    if (!isEnd && !isLast) return;
    const end = isEnd ? at : at + 1;
    if (end > start) clauses.push({ start, end });
    start = at + 1;
  });
  return clauses;
}

/** Whether a part of the question holds something for the tool's parameters, so that it can be a call of its own. */
function speaksFor(question: Question, entry: CatalogEntry, span: Span): boolean {
  const tokens = question.tokens.slice(span.start, span.end);
  const required = entry.slots.filter((slot) => slot.required);
  const slots = required.length > 0 ? required : entry.slots;
  const kinds = new Set(slots.map((slot) => slot.kind));
  if (kinds.has("place") && placesIn(question, span, entry.knownStems).length > 0) return true;
  if (kinds.has("number") && tokens.some((token) => token.value !== undefined)) return true;
  const values = slots.flatMap((slot) => slot.values);
  if (kinds.has("enum") && new Evidence(question, span, entry.knownStems).namedValues(values, "own").length > 0)
    return true;
  if (!kinds.has("text")) return false;
  if (tokens.some((token) => token.kind === "quote" && token.text !== entry.tool.name)) return true;
  const isNew = (root: string): boolean =>
    /[\p{L}\p{N}]/u.test(root) && !entry.knownStems.has(root) && ![...entry.nameStems].some((own) => isKin(root, own));
  const name = entry.tool.name.toLowerCase();
  return !kinds.has("place") && [...stemsIn(question, span)].some((root) => isNew(root) && !name.includes(root));
}
