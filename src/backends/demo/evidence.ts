import type { JsonValue } from "../../turn/index.ts";
import type { Direction } from "./meaning.ts";
import { type Place, placesIn } from "./places.ts";
import { isJoiner, type Question, type Span, type Token, type TokenKind, textOf } from "./question.ts";
import { isStopWord, isSynonym, stem, wordsOf } from "./words.ts";

/**
 * own: only what the call's part of the question clearly says. list: whatever it still has, for the further items of a list.
 * all: the rest of the question too, for what a required parameter lacks.
 */
export type Reach = "own" | "list" | "all";

/** Too common in any question to be a value that somebody named. */
const glue = new Set("a an the i in at of to is it and or for as be do".split(" "));

/**
 * What the question holds for one call. Each piece is given once, in the question's order, so that two parameters of a kind
 * get two values.
 */
export class Evidence {
  readonly question: Question;
  readonly span: Span;
  readonly #known: ReadonlySet<string>;
  readonly #taken: Set<number>;
  #places: { own: Place[]; all: Place[] } | undefined;

  /** `known` are the tool's own words, which name no place; `ignored` are tokens that belong to other calls. */
  constructor(question: Question, span: Span, known: ReadonlySet<string>, ignored: ReadonlySet<number> = new Set()) {
    this.question = question;
    this.span = span;
    this.#known = known;
    this.#taken = new Set(ignored);
  }

  takeQuote(reach: Reach): string | undefined {
    return this.#take(reach, (token) => token.kind === "quote")?.text;
  }

  takeKind(kind: TokenKind, reach: Reach): string | undefined {
    return this.#take(reach, (token) => token.kind === kind)?.text;
  }

  /** Words in capitals: currencies, tickers. */
  takeCode(reach: Reach): string | undefined {
    return this.#take(reach, (token) => token.kind === "word" && /^[A-Z]{2,5}$/u.test(token.text))?.text;
  }

  takeNumber(reach: Reach): number | undefined {
    return this.#take(reach, (token) => token.value !== undefined)?.value;
  }

  /** The number beside one of the words: "3 days", "limit of 5". */
  takeNumberBeside(stems: ReadonlySet<string>): number | undefined {
    const { tokens } = this.question;
    const isBeside = (at: number, way: 1 | -1): boolean => {
      const near = tokens[at + way];
      const skips = near !== undefined && (/^[:=]$/u.test(near.text) || isStopWord(near.text));
      const word = skips ? tokens[at + 2 * way] : near;
      return word !== undefined && word.kind !== "mark" && stems.has(word.stem);
    };
    return this.#take("own", (token, at) => token.value !== undefined && (isBeside(at, -1) || isBeside(at, 1)))?.value;
  }

  takePlace(direction: Direction, reach: Reach): string | undefined {
    const { own, all } = this.#readPlaces();
    const places = reach === "all" ? [...own, ...all] : own;
    const free = places.filter((place) => !this.#taken.has(place.start));
    const sure = free.filter((place) => place.sure);
    const other = direction === "from" ? "to" : "from";
    const place =
      (direction && free.find((one) => one.after === direction)) ??
      sure.find((one) => direction === undefined || one.after !== other) ??
      (reach === "own" ? undefined : (sure[0] ?? free[0]));
    if (place) for (let at = place.start; at < place.end; at++) this.#taken.add(at);
    return place?.text;
  }

  #readPlaces(): { own: Place[]; all: Place[] } {
    this.#places ??= {
      own: placesIn(this.question, this.span, this.#known).flat(),
      all: placesIn(this.question, { start: 0, end: this.question.tokens.length }, this.#known).flat(),
    };
    return this.#places;
  }

  /** What follows the parameter's own name: `subject "Hi"`, `city: Berlin`. */
  takeLabelled(name: string): string | undefined {
    const label = wordsOf(name.slice(0, 200)).map(stem);
    const { tokens } = this.question;
    for (let at = this.span.start; label.length > 0 && at < this.span.end; at++) {
      if (!label.every((root, offset) => tokens[at + offset]?.stem === root)) continue;
      let start = at + label.length;
      const isMarked = /^[:=]$/u.test(tokens[start]?.text ?? "");
      if (isMarked || /^(?:is|as|of|to)$/iu.test(tokens[start]?.text ?? "")) start += 1;
      const value = tokens[start];
      if (value === undefined || this.#taken.has(start)) continue;
      const end = isMarked && value.kind === "word" ? this.#endOfPhrase(start) : start + 1;
      if (value.kind !== "quote" && !isMarked) continue;
      for (let used = at; used < end; used++) this.#taken.add(used);
      return value.kind === "word" ? textOf(this.question, { start, end }) : value.text;
    }
    return undefined;
  }

  #endOfPhrase(start: number): number {
    const { tokens } = this.question;
    let end = start + 1;
    for (; end < this.span.end && end - start < 8; end++) {
      const token = tokens[end];
      if (token === undefined || token.kind === "mark" || isJoiner(token)) break;
    }
    return end;
  }

  /** The values that the question names, in its order. */
  namedValues(values: readonly JsonValue[], reach: Reach): { value: JsonValue; at: number }[] {
    const found: { value: JsonValue; at: number }[] = [];
    for (const value of values) {
      const at = this.#positionOf(value, reach);
      if (at !== undefined) found.push({ value, at });
    }
    return found.sort((a, b) => a.at - b.at);
  }

  takeNamed(values: readonly JsonValue[], reach: Reach): JsonValue | undefined {
    const first = this.namedValues(values, "own")[0] ?? this.namedValues(values, reach)[0];
    if (first) this.#taken.add(first.at);
    return first?.value;
  }

  #positionOf(value: JsonValue, reach: Reach): number | undefined {
    if (typeof value === "number") return this.#find(reach, (token) => token.value === value);
    if (typeof value !== "string" || value === "" || value.length > 100) return undefined;
    const { tokens, known } = this.question;
    const isGlue = glue.has(value.toLowerCase());
    const exact = known.has(value) && !isGlue ? this.#find(reach, (token) => token.text === value) : undefined;
    if (exact !== undefined || isGlue || value.length < 2) return exact;
    const stems = wordsOf(value).map(stem);
    const [first] = stems;
    if (first === undefined) return undefined;
    const whole = stems.every((root) => known.has(root))
      ? this.#find(reach, (_, at) => stems.every((root, offset) => tokens[at + offset]?.stem === root))
      : undefined;
    return whole ?? (stems.length === 1 ? this.#find(reach, (token) => isSynonym(token.stem, first)) : undefined);
  }

  /** Whether the question speaks of it, and whether it says no to it. */
  attitude(root: string): boolean | undefined {
    const at = this.#find("own", (token) => token.stem === root);
    if (at === undefined) return undefined;
    const before = this.question.tokens.slice(Math.max(0, at - 2), at);
    return !before.some((token) => /^(?:no|not|without|don['’]t|disable|never|off)$/iu.test(token.text));
  }

  #take(reach: Reach, wanted: (token: Token, at: number) => boolean): Token | undefined {
    const at = this.#find(reach, wanted);
    if (at === undefined) return undefined;
    this.#taken.add(at);
    return this.question.tokens[at];
  }

  #find(reach: Reach, wanted: (token: Token, at: number) => boolean): number | undefined {
    const { tokens } = this.question;
    const search = (start: number, end: number): number | undefined => {
      for (let at = start; at < end; at++) {
        const token = tokens[at];
        if (token && !this.#taken.has(at) && wanted(token, at)) return at;
      }
      return undefined;
    };
    const own = search(this.span.start, this.span.end);
    return own ?? (reach === "all" ? (search(0, this.span.start) ?? search(this.span.end, tokens.length)) : undefined);
  }
}
