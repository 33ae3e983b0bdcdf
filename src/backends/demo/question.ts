import type { Item } from "../../turn/index.ts";
import { isStopWord, segments, stem } from "./words.ts";

const kinds = ["quote", "url", "email", "date", "clock", "path", "number", "word", "mark"] as const;

export type TokenKind = (typeof kinds)[number];

export interface Token {
  kind: TokenKind;
  /** Without the quotation marks, for a quote. */
  text: string;
  stem: string;
  start: number;
  end: number;
  /** What the token counts, in digits or as a word. */
  value?: number;
}

/** What the user asked, cut into the pieces that arguments are made of. */
export interface Question {
  text: string;
  tokens: Token[];
  /** Every text and root in it, to tell quickly that something is not. */
  known: ReadonlySet<string>;
}

/** A range of tokens, the end not included. */
export interface Span {
  start: number;
  end: number;
}

/** Enough for a question; what is longer is a document, and the rules would find no sense in it. */
const longest = 2_000;

const shapes = new RegExp(
  [
    /(?<quote>"[^"\n]+"|“[^”\n]+”|„[^“”\n]+[“”]|«[^»\n]+»|「[^」\n]+」|`[^`\n]+`|(?<![\p{L}\p{N}])['‘][^'’\n]+['’](?![\p{L}\p{N}]))/u,
    /(?<url>https?:\/\/[^\s"'<>]*[^\s"'<>.,;:!?)])/u,
    /(?<email>[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+)/u,
    /(?<date>\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})?)?(?!\d))/u,
    /(?<clock>(?<!\d)\d{1,2}:\d{2}(?::\d{2})?(?!\d))/u,
    /(?<path>(?<![\p{L}\p{N}])(?:~|\.{1,2})?\/[\p{L}\p{N}_.-]+(?:\/[\p{L}\p{N}_.-]+)*\/?|[\p{L}_][\p{L}\p{N}_-]*(?:\/[\p{L}\p{N}_.-]+)+|[\p{L}_-][\p{L}\p{N}_-]*\.[a-z]{2,5}(?![\p{L}\p{N}]))/u,
    /(?<number>\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)|\d+(?:\.\d+)?)/u,
    /(?<word>\p{L}[\p{L}\p{M}\p{N}_]*(?:['’.-][\p{L}\p{N}][\p{L}\p{M}\p{N}_]*)*)/u,
    /(?<mark>\S)/u,
  ]
    .map((shape) => shape.source)
    .join("|"),
  "gu",
);

const counts = new Map(
  "zero - two three four five six seven eight nine ten eleven twelve".split(" ").map((word, value) => [word, value]),
);

const operators = new Map([
  ["+", "add"],
  ["-", "subtract"],
  ["−", "subtract"],
  ["*", "multiply"],
  ["×", "multiply"],
  ["x", "multiply"],
  ["times", "multiply"],
  ["/", "divide"],
  ["÷", "divide"],
]);

export function readQuestion(text: string): Question {
  const source = text.slice(0, longest);
  const tokens: Token[] = [];
  for (const match of source.matchAll(shapes)) tokens.push(...tokensOf(match));
  tokens.forEach((token, at) => {
    const operator = operators.get(token.text.toLowerCase());
    const left = tokens[at - 1];
    const right = tokens[at + 1];
    if (operator === undefined || right?.value === undefined) return;
    if (left?.value !== undefined) token.stem = stem(operator);
    else if (token.text === "-" && right.start === token.end && /(?:^|[\s(])$/u.test(source.slice(0, token.start))) {
      right.value = -right.value;
    }
  });
  return { text: source, tokens, known: new Set(tokens.flatMap((token) => [token.text, token.stem])) };
}

function tokensOf(match: RegExpExecArray): Token[] {
  const start = match.index;
  const found = match[0];
  const kind = kinds.find((name) => match.groups?.[name] !== undefined) ?? "mark";
  if (kind === "word") return wordTokens(found, start);
  const token: Token = { kind, text: found, stem: found.toLowerCase(), start, end: start + found.length };
  if (kind === "quote") {
    token.text = found.slice(1, -1).trim();
    token.stem = stem(token.text);
  }
  if (kind === "number") {
    const value = Number(found.replaceAll(",", ""));
    if (Number.isFinite(value)) token.value = value;
  }
  return [token];
}

function wordTokens(found: string, start: number): Token[] {
  let at = start;
  return segments(found).map((text) => {
    const token: Token = { kind: "word", text, stem: stem(text), start: at, end: at + text.length };
    at = token.end;
    const value = counts.get(text.toLowerCase());
    if (value !== undefined) token.value = value;
    return token;
  });
}

export function textOf(question: Question, span: Span): string {
  const first = question.tokens[span.start];
  const last = question.tokens[span.end - 1];
  return first && last && span.end > span.start ? question.text.slice(first.start, last.end) : "";
}

/** The roots of the words that carry a meaning, in a part of the question. */
export function stemsIn(question: Question, span: Span): Set<string> {
  const stems = new Set<string>();
  for (const token of question.tokens.slice(span.start, span.end)) {
    if (token.kind === "quote" || (token.kind === "word" && isStopWord(token.text))) continue;
    stems.add(token.stem);
  }
  return stems;
}

const joiners = new Set(["and", "or", "&", ",", "、", "，", "と", "和", "und", "et", "y", "oder", "also"]);
const fillers = new Set([
  "in",
  "at",
  "for",
  "then",
  "what",
  "about",
  "how",
  "as",
  "well",
  "is",
  "with",
  "?",
  "of",
  "near",
  "the",
]);

export function isJoiner(token: Token): boolean {
  return joiners.has(token.text.toLowerCase()) && token.kind !== "quote";
}

/** Whether two spans are members of one list: "Paris and Rome", "Paris, and what about Rome". */
export function areJoined(question: Question, left: Span, right: Span): boolean {
  const between = question.tokens.slice(left.end, right.start);
  return between.some(isJoiner) && between.every((token) => isJoiner(token) || fillers.has(token.text.toLowerCase()));
}

/** Puts spans that are joined into lists, in their order. */
export function listsOf<S extends Span>(question: Question, spans: readonly S[]): S[][] {
  const lists: S[][] = [];
  let last: S | undefined;
  for (const span of spans) {
    if (last && areJoined(question, last, span)) lists.at(-1)?.push(span);
    else lists.push([span]);
    last = span;
  }
  return lists;
}

/** The text of the last message of the user. */
export function lastQuestion(input: readonly Item[]): string {
  const message = input.findLast((item) => item.type === "message" && item.role === "user");
  if (message?.type !== "message") return "";
  return message.content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}
