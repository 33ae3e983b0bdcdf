import { type Automaton, buildAutomaton } from "./automaton.ts";
import { parseExpression } from "./parse.ts";

/** A text on which the time of an expression grows faster than the text: `before`, then `pump` many times, then `after`. */
export interface Attack {
  before: string;
  pump: string;
  after: string;
}

/**
 * A backtracking matcher needs more than linear time where some text can be read from one place of the expression back to the same
 * place, and also to a second place that reads it again and again: with each repetition there is one more way to read it all, and
 * all ways are tried if what follows does not fit. The search for a beginning is such a place in an expression without an anchor.
 * The check may find attacks where the matcher happens to be clever; it is not made to miss any.
 */
export function findAttack(source: string, flags: string): Attack | null {
  const automaton = buildAutomaton(parseExpression(source), flags);
  const alphabet = alphabetOf(automaton, source, flags);
  const search = new AttackSearch(automaton, alphabet);
  return search.find();
}

/** One character of each kind that the expression tells apart, and the states that match it. */
interface Letter {
  text: string;
  matches: boolean[];
  endsLine: boolean;
}

interface Step {
  a: number;
  b: number;
  c: number;
  afterLine: boolean;
  text: string;
}

class AttackSearch {
  readonly #automaton: Automaton;
  readonly #alphabet: Letter[];
  /** States of the same number can reach each other; a state that cannot reach itself has none. */
  readonly #cycle: (number | undefined)[];

  constructor(automaton: Automaton, alphabet: Letter[]) {
    this.#automaton = automaton;
    this.#alphabet = alphabet;
    this.#cycle = cyclesOf(automaton);
  }

  find(): Attack | null {
    const looping = [...this.#automaton.states.keys()].filter((state) => this.#cycle[state] !== undefined);
    for (const q of looping) {
      if (this.#accepts(q)) continue;
      const twice = this.#reachedTwice(q);
      if (twice) return this.#attack(q, twice);
      for (const p of looping) {
        const pump = p === q ? null : this.#pump(p, q);
        if (pump !== null) return this.#attack(p, pump);
      }
    }
    return null;
  }

  #next(state: number, afterLine: boolean): readonly number[] {
    const found = this.#automaton.states[state];
    return (afterLine ? found?.nextAfterLine : found?.next) ?? [];
  }

  #accepts(state: number): boolean {
    return this.#automaton.states[state]?.accepts === true;
  }

  /** Two ways from a state to the next one of the same cycle, without a character between them. */
  #reachedTwice(state: number): string | null {
    const next = this.#next(state, true).filter((to) => this.#cycle[to] === this.#cycle[state]);
    const twice = next.find((to, at) => next.indexOf(to) !== at);
    return twice === undefined ? null : (this.#alphabet.find(({ matches }) => matches[twice])?.text ?? null);
  }

  /** A text that leads from `p` to `p`, from `p` to `q` and from `q` to `q`. A match that may end at `q` does not fail. */
  #pump(p: number, q: number): string | null {
    // The text follows itself, so what it begins after is what it ends with.
    return this.#pumpAfter(p, q, false) ?? this.#pumpAfter(p, q, true);
  }

  #pumpAfter(p: number, q: number, lineFirst: boolean): string | null {
    const begin: Step = { a: p, b: p, c: q, afterLine: lineFirst, text: "" };
    const seen = new Set<string>();
    const queue = [begin];
    for (let at = 0; at < queue.length; at++) {
      for (const step of this.#steps(queue[at] ?? begin, p, q)) {
        if (step.a === p && step.b === q && step.c === q && step.afterLine === lineFirst) return step.text;
        const key = `${step.a},${step.b},${step.c},${step.afterLine}`;
        if (seen.has(key)) continue;
        seen.add(key);
        queue.push(step);
      }
    }
    return null;
  }

  /** One more character, read from all three states. The first stays in the cycle of `p`, the last in that of `q`. */
  *#steps({ a, b, c, afterLine, text }: Step, p: number, q: number): Generator<Step> {
    for (const letter of this.#alphabet) {
      const read = (from: number) => this.#next(from, afterLine).filter((to) => letter.matches[to]);
      const cs = read(c).filter((to) => this.#cycle[to] === this.#cycle[q] && !this.#accepts(to));
      if (cs.length === 0) continue;
      const as = read(a).filter((to) => this.#cycle[to] === this.#cycle[p]);
      if (as.length === 0) continue;
      for (const toB of read(b)) {
        for (const toA of as)
          for (const toC of cs) yield { a: toA, b: toB, c: toC, afterLine: letter.endsLine, text: text + letter.text };
      }
    }
  }

  #attack(state: number, pump: string): Attack {
    const other = this.#alphabet.find(
      ({ matches }) => !matches.some((hit, at) => hit && this.#automaton.states[at]?.raw),
    );
    return { before: this.#wayTo(state), pump, after: other?.text ?? "\0" };
  }

  /** A text that leads from the beginning to the state. */
  #wayTo(state: number): string {
    const way = new Map<number, string>();
    const queue: number[] = [];
    const visit = (states: readonly number[], text: string) => {
      for (const to of states) {
        const letter = this.#alphabet.find(({ matches }) => matches[to]);
        if (way.has(to) || letter === undefined) continue;
        way.set(to, text + letter.text);
        queue.push(to);
      }
    };
    visit(this.#automaton.first, "");
    for (let at = 0; at < queue.length; at++) visit(this.#next(queue[at] ?? 0, true), way.get(queue[at] ?? 0) ?? "");
    return this.#automaton.states[state]?.raw === null ? "" : (way.get(state) ?? "");
  }
}

/** Characters of all kinds that expressions tell apart. Those with an extreme code point stand for the rest. */
const samples = [
  ...Array.from({ length: 128 }, (_, at) => at),
  ...[0x85, 0xa0, 0xb5, 0xc4, 0xe4, 0x17f, 0x1c5, 0x2b0, 0x300, 0x661, 0x2019, 0x201d, 0x2028, 0x2029, 0x212a, 0x3042],
  ...[0x4e2d, 0xd7ff, 0xd800, 0xdbff, 0xdc00, 0xe000, 0xfeff, 0xfffd, 0x1f600, 0x10ffff],
];

function alphabetOf({ states }: Automaton, source: string, flags: string): Letter[] {
  const leaves = new Map<string, RegExp>();
  for (const { raw } of states)
    if (raw !== null) leaves.set(raw, new RegExp(`^(?:${raw})$`, flags.replace(/[gymd]/g, "")));
  const letters = new Map<string, Letter>();
  for (const code of new Set([...samples, ...codesIn(source)])) {
    const text = String.fromCodePoint(code);
    const matches = states.map(({ raw }) => raw === null || leaves.get(raw)?.test(text) === true);
    const endsLine = /[\n\r\u2028\u2029]/.test(text);
    const kind = `${matches.map(Number).join("")}${endsLine}`;
    const before = letters.get(kind);
    // A letter or a sign is easier to read in a report than a control character.
    if (before === undefined || (before.text < " " && text >= " ")) letters.set(kind, { text, matches, endsLine });
  }
  return [...letters.values()];
}

/** The characters in the expression, written out or as an escape, and their neighbours: a range may begin or end there. */
function codesIn(source: string): number[] {
  const written = [...source].map((character) => character.codePointAt(0) ?? 0);
  const escaped = [...source.matchAll(/\\(?:u\{([0-9a-fA-F]+)\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2}))/g)];
  const codes = [...written, ...escaped.map(([, a, b, c]) => Number.parseInt(a ?? b ?? c ?? "0", 16))];
  return codes.flatMap((code) => [code - 1, code, code + 1]).filter((code) => code >= 0 && code <= 0x10ffff);
}

function cyclesOf({ states }: Automaton): (number | undefined)[] {
  const reachable = states.map((_, state) => {
    const seen = new Set<number>();
    const queue = [...(states[state]?.nextAfterLine ?? [])];
    for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
      if (seen.has(at)) continue;
      seen.add(at);
      queue.push(...(states[at]?.nextAfterLine ?? []));
    }
    return seen;
  });
  return states.map((_, state) =>
    reachable[state]?.has(state)
      ? Math.min(...[...(reachable[state] ?? [])].filter((to) => reachable[to]?.has(state)))
      : undefined,
  );
}
