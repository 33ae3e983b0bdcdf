import { isStopWord, stem, stemsOf } from "./words.ts";

const kinds = ["quote", "url", "email", "date", "time", "number", "path", "word", "mark"] as const;

export type PieceKind = (typeof kinds)[number] | "name";

/** What arguments are made from: a quote, a number, a name of one word or more, a plain word, … */
export interface Piece {
  kind: PieceKind;
  /** For a quote, without the quotation marks. */
  text: string;
  /** The stems of its words. */
  stem: string;
  start: number;
  end: number;
  /** The value of a number, in digits or as a word. */
  number?: number | undefined;
  /** The preposition before it, also across a list: "in Paris and Rome". */
  after: string;
  /** Stems that show which parameter it is for: the word before, the preposition, and the unit of a number. */
  labels: string[];
}

export interface Question {
  text: string;
  pieces: Piece[];
  /** The positions of one to three consecutive pieces, by their stems. */
  said: Map<string, Span[]>;
}

/** A range of pieces; the end is exclusive. */
export interface Span {
  start: number;
  end: number;
}

/** Enough for a question. Longer text is a document, which the rules cannot interpret. */
const longest = 1_000;

const shapes = new RegExp(
  [
    /(?<quote>"[^"\n]+"|“[^”\n]+”|«[^»\n]+»|「[^」\n]+」|`[^`\n]+`|(?<![\p{L}\p{N}])'[^'\n]+'(?![\p{L}\p{N}]))/u,
    /(?<url>https?:\/\/[^\s"'<>]*[^\s"'<>.,;:!?)])/u,
    /(?<email>[\p{L}\p{N}._+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+)/u,
    /(?<date>\d{4}-\d{2}-\d{2}(?!\d))/u,
    /(?<time>\d{1,2}:\d{2}(?!\d))/u,
    /(?<number>(?<![\p{L}\p{N})])-?\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)|(?<![\p{L}\p{N})])-?\d+(?:\.\d+)?|\d+(?:\.\d+)?)/u,
    /(?<path>(?:[\p{L}_~.][\p{L}\p{N}_.-]*)?\/[\p{L}_.][\p{L}\p{N}_./-]*[\p{L}\p{N}_/]|[\p{L}_][\p{L}\p{N}_-]*\.[a-z]{2,4}(?![\p{L}\p{N}]))/u,
    /(?<word>\p{L}[\p{L}\p{M}\p{N}_]*(?:['’.-][\p{L}\p{N}][\p{L}\p{M}\p{N}_]*)*)/u,
    /(?<mark>\S)/u,
  ]
    .map((shape) => shape.source)
    .join("|"),
  "gu",
);

/** Without "one", which is rarely a count. */
const counts = new Map("two three four five six seven eight nine ten".split(" ").map((word, at) => [word, at + 2]));

export function readQuestion(text: string): Question {
  const source = text.slice(0, longest);
  const tokens = Array.from(source.matchAll(shapes), (match): Piece => {
    const shape = kinds.find((name) => match.groups?.[name] !== undefined) ?? "mark";
    const found = shape === "quote" ? match[0].slice(1, -1).trim() : match[0];
    const number = shape === "number" ? Number(found.replaceAll(",", "")) : counts.get(found.toLowerCase());
    const kind = number === undefined ? shape : "number";
    const start = match.index;
    return { kind, text: found, stem: "", start, end: start + match[0].length, number, after: "", labels: [] };
  });
  const pieces = joinNames(source, tokens);
  label(pieces);
  return { text: source, pieces, said: phrasesIn(pieces) };
}

export function textOf(question: Question, { start, end }: Span): string {
  const [first, last] = [question.pieces[start], question.pieces[end - 1]];
  return first && last && end > start ? question.text.slice(first.start, last.end) : "";
}

const particles = new Set("de la le les el du des del da do dos of upon am an der".split(" "));

/** A capital letter, or a script without capitals: the demo knows no names. */
function isNameLike(piece: Piece | undefined): boolean {
  return piece?.kind === "word" && /^[\p{Lu}\p{Lt}\p{Lo}]/u.test(piece.text) && !isStopWord(piece.text);
}

/** "San Francisco, CA", and "Paris, France" unless a list follows: "Paris, Rome and Berlin". */
const state = /^,\s*\p{Lu}{2}(?!\p{L})/u;
const country = /^,\s*\p{Lu}\p{L}+(?!\p{L}|\s*(?:,|&|\p{Lu}|(?:and|or)\b))/u;

/** Joins "New York", "Rio de Janeiro" and "San Francisco, CA" into one name each. */
function joinNames(source: string, tokens: readonly Piece[]): Piece[] {
  const pieces: Piece[] = [];
  for (let at = 0, end = 0; at < tokens.length; at = end) {
    const first = tokens[at];
    end = at + 1;
    if (!first) break;
    if (!isNameLike(first)) {
      pieces.push(first);
      continue;
    }
    for (let more = 1; more > 0; end += more) {
      const isParticle = particles.has(tokens[end]?.text ?? "") && isNameLike(tokens[end + 1]);
      more = isNameLike(tokens[end]) ? 1 : isParticle ? 2 : 0;
    }
    const rest = source.slice(tokens[end - 1]?.end);
    if (state.test(rest) || (country.test(rest) && tokens[at - 1]?.text !== ",")) end += 2;
    const until = tokens[end - 1]?.end ?? first.end;
    pieces.push({ ...first, kind: "name", end: until, text: source.slice(first.start, until) });
  }
  return pieces;
}

const joiners = new Set("and or & , 、 ， und et y".split(" "));
const prepositions = new Set("in at near around for from to of about between within à en nach für".split(" "));
const articles = new Set("a an the".split(" "));
/** May occur between a label and its value: "limit of 5", `location: "Berlin"`. */
const links = new Set([...articles, ..."is of as to : =".split(" ")]);
/** May occur between the members of a list: "Paris, and what about Rome?" */
const fillers = new Set([...articles, ..."in at for what about how is with of near . ? then".split(" ")]);

export function isJoiner(piece: Piece | undefined): boolean {
  return piece !== undefined && piece.kind !== "quote" && joiners.has(piece.text.toLowerCase());
}

/** Too common in any question to be a value. */
export function isGlue(word: string): boolean {
  return prepositions.has(word) || articles.has(word) || joiners.has(word) || word === "i" || word === "is";
}

function label(pieces: Piece[]): void {
  let after = "";
  for (const [at, piece] of pieces.entries()) {
    const word = piece.text.toLowerCase();
    const [before, next] = [pieces[at - 1], pieces[at + 1]];
    const isOperator = piece.kind === "mark" && before?.number !== undefined && next?.number !== undefined;
    piece.stem = piece.kind !== "mark" || isOperator ? stemsOf(piece.text).join(" ") : "";
    const previous = before && links.has(before.text.toLowerCase()) ? pieces[at - 2] : before;
    if (piece.kind === "word" && prepositions.has(word)) after = word;
    else if (articles.has(word)) after = prepositions.has(before?.text.toLowerCase() ?? "") ? after : "";
    else if (piece.kind === "mark" || isStopWord(word)) after = isJoiner(piece) ? after : "";
    else piece.after = after;
    const unit = piece.kind === "number" ? [next?.text ?? ""].map(stem) : [];
    piece.labels = [...(previous?.stem.split(" ") ?? []), stem(piece.after), ...unit].filter((root) => root !== "");
  }
}

function phrasesIn(pieces: readonly Piece[]): Map<string, Span[]> {
  const said = new Map<string, Span[]>();
  for (let start = 0; start < pieces.length; start++) {
    let words = "";
    for (let end = start + 1; end <= Math.min(start + 3, pieces.length); end++) {
      const root = pieces[end - 1]?.stem ?? "";
      if (root === "") break;
      words = `${words} ${root}`.trim();
      const spans = said.get(words) ?? [];
      spans.push({ start, end });
      said.set(words, spans);
    }
  }
  return said;
}

/** The next member of the list that the piece before `end` belongs to. */
export function nextInList({ pieces }: Question, { end }: Span): number | undefined {
  let isList = false;
  for (let at = end; at < pieces.length; at++) {
    const piece = pieces[at];
    if (isJoiner(piece)) isList = true;
    else if (!fillers.has(piece?.text.toLowerCase() ?? "")) {
      return isList && piece?.kind === pieces[end - 1]?.kind ? at : undefined;
    }
  }
  return undefined;
}

/** The parts between joiners and sentence ends. */
export function clausesIn({ text, pieces }: Question): Span[] {
  const clauses: Span[] = [];
  let start = 0;
  for (const [at, piece] of pieces.entries()) {
    const isEnd = isJoiner(piece) || /^(?:[.?!;。？！]|then)$/iu.test(piece.text);
    const next = pieces[at + 1];
    if (!isEnd && next && !text.slice(piece.end, next.start).includes("\n")) continue;
    const end = isEnd ? at : at + 1;
    if (end > start) clauses.push({ start, end });
    start = at + 1;
  }
  return clauses;
}
