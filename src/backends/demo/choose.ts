import type { CustomTool, FunctionTool, JsonObject } from "../../turn/index.ts";
import { isOwn } from "./evidence.ts";
import { clausesIn, type Piece, type Question, type Span } from "./question.ts";
import { objectOf, plain, valuesOf } from "./schema.ts";
import { contentStems, isStopWord, stem, stemsOf, wordsOf } from "./words.ts";

export type OwnTool = FunctionTool | CustomTool;

interface Candidate {
  tool: OwnTool;
  /** The tool's name, its words and their stems. */
  own: Set<string>;
  description: Set<string>;
  values: Set<string>;
}

interface Score extends Candidate {
  points: number;
  /** The words that matched the tool. */
  words: string[];
}

/** One task in a question: the tool for it, and the part of the question that asks for it. */
export interface Thing extends Score {
  span: Span;
}

/** The points that a part of a question needs to be a task of its own. A whole question needs fewer. */
const enoughForPart = 2;
const enoughForWhole = 1;

/** The tasks in a question. With `must`, at least one, even if no word matches a tool. */
export function chooseTools(question: Question, tools: readonly OwnTool[], must: boolean): Thing[] {
  const all = tools.map(candidate);
  const named = all.filter(({ tool }) => isNamed(tool.name, question.pieces));
  const candidates = named.length > 0 ? named : all;
  const things: Thing[] = [];
  for (const span of clausesIn(question)) {
    const best = bestFor(question, span, candidates);
    const last = things.at(-1);
    const isThing = best !== undefined && best.points >= enoughForPart;
    const holds = ({ start, end }: Span): boolean =>
      question.pieces.slice(start, end).some((piece) => isValue(piece, best?.own));
    const isKnown = things.some((thing) => thing.tool === best?.tool);
    const isMore = isKnown && !(holds(span) && last && holds(last.span));
    if (last && (!isThing || isMore)) last.span.end = span.end;
    else if (isThing) things.push({ ...best, span: { start: last ? span.start : 0, end: span.end } });
  }
  if (things.length > 0) return things;
  const span = { start: 0, end: question.pieces.length };
  const best = bestFor(question, span, candidates);
  return best && (must || best.points >= enoughForWhole) ? [{ ...best, span }] : [];
}

function isValue(piece: Piece, own: ReadonlySet<string> = new Set()): boolean {
  return piece.kind !== "word" && piece.kind !== "mark" && !isOwn(piece, own);
}

/**
 * A name of one plain word ("search") counts only as an order ("use search", "the search tool"); otherwise it is an ordinary word.
 */
function isNamed(name: string, pieces: readonly Piece[]): boolean {
  const isPlainWord = wordsOf(name).length === 1;
  return pieces.some((piece, at) => {
    if (piece.text.toLowerCase() !== name.toLowerCase()) return false;
    const around = [pieces[at - 1], pieces[at + 1]].map((near) => near?.text ?? "").join(" ");
    return !isPlainWord || /^(?:use|using|call) | (?:tool|function)$/iu.test(around);
  });
}

/** Only the beginning of a description counts, because a long one contains almost any word. */
const descriptionHead = 300;

function candidate(tool: OwnTool): Candidate {
  const name = tool.name.slice(0, 200);
  return {
    tool,
    own: new Set([name, ...wordsOf(name), ...stemsOf(name)]),
    description: new Set(contentStems((tool.description ?? "").slice(0, descriptionHead))),
    values: tool.type === "function" ? valueStems(tool.parameters ?? {}) : new Set(),
  };
}

/** The stems of the values that the tool's parameters allow. */
function valueStems(root: JsonObject): Set<string> {
  const allowance = { left: 300 };
  const properties = Object.values(objectOf(plain(root, root, allowance).properties)).slice(0, 64);
  const values = properties.flatMap((property) => {
    const found = allowance.left > 0 ? (valuesOf(plain(property, root, allowance)) ?? []) : [];
    allowance.left -= found.length / 8;
    return found;
  });
  return new Set(values.flatMap((value) => (typeof value === "string" ? contentStems(value.slice(0, 100)) : [])));
}

function bestFor(question: Question, span: Span, candidates: readonly Candidate[]): Score | undefined {
  const pieces = question.pieces
    .slice(span.start, span.end)
    .filter((piece) => piece.kind !== "quote" && piece.stem !== "" && !isStopWord(piece.text));
  return candidates.map((one) => score(one, pieces)).toSorted((one, other) => other.points - one.points)[0];
}

const operations = new Set(["add", "subtract", "multiply", "divide"].map(stem));
const calculation = stem("calculate");

/** How well a part of a question matches a tool. A word of the tool's name weighs most, one of its description least. */
function score(candidate: Candidate, pieces: readonly Piece[]): Score {
  const { own, values, description } = candidate;
  const words = new Map<string, number>();
  for (const { text, stem: roots } of pieces) {
    const has = (of: ReadonlySet<string>): boolean => roots.split(" ").some((root) => of.has(root));
    const isSum = has(operations) && (own.has(calculation) || description.has(calculation));
    const byName = (has(own) ? 3 : 0) + (own.has(text.toLowerCase()) ? 1 : 0);
    const points = byName + (has(values) || isSum ? 2 : 0) + (has(description) ? 1 : 0);
    if (points > 0) words.set(text, points);
  }
  const points = [...words.values()].reduce((sum, one) => sum + one, 0);
  return { ...candidate, points, words: [...words.keys()] };
}
