import { nextInList, type Piece, type Question, type Span, textOf } from "./question.ts";
import { isStopWord } from "./words.ts";

/** The pieces of the question for one call. Each piece is used once, so that two parameters of the same kind get two values. */
export class Evidence {
  readonly question: Question;
  readonly span: Span;
  /** The pieces taken so far, in the order of taking. */
  readonly claims: Span[] = [];
  readonly #taken: Set<number>;
  /** The positions of the pieces that can be a value. */
  readonly #positions: number[];

  /** `own` are the stems of the tool's name, which are not values; `used` are pieces that earlier calls took. */
  constructor(question: Question, span: Span, own: ReadonlySet<string>, used: ReadonlySet<number> = new Set()) {
    this.question = question;
    this.span = span;
    this.#taken = new Set(used);
    this.#positions = [...question.pieces.keys()].filter((at) => {
      const piece = question.pieces[at];
      return piece && piece.kind !== "mark" && !isPlainStop(piece) && !isOwn(piece, own);
    });
  }

  /** The first free piece that `wanted` accepts, in this call's part of the question or in all of it. */
  take(wanted: (piece: Piece) => boolean, everywhere = false): Piece | undefined {
    const { pieces } = this.question;
    for (const at of this.#positions) {
      const piece = pieces[at];
      const isNear = everywhere || (at >= this.span.start && at < this.span.end);
      if (!piece || !isNear || this.#taken.has(at) || !wanted(piece)) continue;
      const span = { start: at, end: this.#endOfRun(at) };
      this.claim(span);
      return span.end > at + 1 ? { ...piece, text: textOf(this.question, span) } : piece;
    }
    return undefined;
  }

  claim(span: Span): void {
    this.claims.push(span);
    for (let at = span.start; at < span.end; at++) this.#taken.add(at);
  }

  /** "in new york today": words that follow a preposition belong together. */
  #endOfRun(start: number): number {
    const { pieces } = this.question;
    const after = pieces[start]?.kind === "word" ? pieces[start].after : "";
    const continues = (at: number): boolean =>
      pieces[at]?.kind === "word" && pieces[at].after === after && this.#positions.includes(at) && !this.#taken.has(at);
    let end = start + 1;
    while (after !== "" && continues(end)) end++;
    return end;
  }

  /** The position of the words in this call's part of the question. */
  find(words: string): Span | undefined {
    return this.question.said.get(words)?.find(({ start, end }) => {
      const isInside = start >= this.span.start && end <= this.span.end;
      return isInside && !this.#taken.has(start) && !this.#taken.has(end - 1);
    });
  }

  /** The topic, without the tool's own words and without stop words at either end. */
  phrase(): string {
    const inside = this.#positions.filter((at) => at >= this.span.start && at < this.span.end);
    const [start, end] = [inside[0] ?? this.span.start, (inside.at(-1) ?? this.span.end - 1) + 1];
    return textOf(this.question, { start, end });
  }

  /** The claims that belong to a list whose next member is still free. */
  openLists(): { claim: Span; next: number }[] {
    return this.claims.flatMap((claim) => {
      const next = nextInList(this.question, claim);
      return next === undefined || next >= this.span.end || this.#taken.has(next) ? [] : [{ claim, next }];
    });
  }

  has(at: number): boolean {
    return this.claims.some(({ start, end }) => at >= start && at < end);
  }
}

function isPlainStop(piece: Piece): boolean {
  return piece.kind === "word" && isStopWord(piece.text);
}

/** Whether the piece consists only of the tool's name or words of it. */
export function isOwn(piece: Piece, own: ReadonlySet<string>): boolean {
  if (own.has(piece.text)) return true;
  if (piece.kind !== "word" && piece.kind !== "name") return false;
  return piece.stem.split(" ").every((root) => own.has(root));
}
