/** The simple part of regular expressions: literals, classes, groups, alternatives and repetitions. */
export type Node =
  | { type: "set"; negated: boolean; ranges: [number, number][] }
  | { type: "sequence"; nodes: Node[] }
  | { type: "choice"; nodes: Node[] }
  | { type: "repeat"; node: Node; min: number; max: number }
  | { type: "start" }
  | { type: "end" };

const longestPattern = 300;

const digits: [number, number][] = [[48, 57]];
const wordCharacters: [number, number][] = [...digits, [65, 90], [95, 95], [97, 122]];
const spaces: [number, number][] = [
  [9, 13],
  [32, 32],
  [160, 160],
];

class Unsupported extends Error {}

/** `undefined`: the pattern is beyond the simple part. */
export function parsePattern(pattern: string): Node | undefined {
  if (pattern.length > longestPattern) return undefined;
  try {
    return new Parser(pattern).parse();
  } catch (error) {
    if (error instanceof Unsupported) return undefined;
    throw error;
  }
}

class Parser {
  readonly #text: string[];
  #at = 0;
  #depth = 0;

  constructor(pattern: string) {
    this.#text = Array.from(pattern);
  }

  parse(): Node {
    const node = this.#choice();
    if (this.#at < this.#text.length) throw new Unsupported();
    return node;
  }

  #choice(): Node {
    if (++this.#depth > 30) throw new Unsupported();
    const nodes = [this.#sequence()];
    while (this.#take("|")) nodes.push(this.#sequence());
    this.#depth--;
    return { type: "choice", nodes };
  }

  #sequence(): Node {
    const nodes: Node[] = [];
    for (let next = this.#peek(); next !== undefined && next !== "|" && next !== ")"; next = this.#peek()) {
      nodes.push(this.#repeated(this.#atom()));
    }
    return { type: "sequence", nodes };
  }

  #repeated(node: Node): Node {
    const rest = this.#text.slice(this.#at, this.#at + 16).join("");
    const found = /^(?:([*+?])|\{(\d{1,6})(,?)(\d{0,6})\})\??/u.exec(rest);
    if (!found) return node;
    if (node.type === "start" || node.type === "end") throw new Unsupported();
    this.#at += found[0].length;
    const [, sign, low, comma, high] = found;
    if (sign)
      return { type: "repeat", node, min: sign === "+" ? 1 : 0, max: sign === "?" ? 1 : Number.POSITIVE_INFINITY };
    const min = Number(low);
    return { type: "repeat", node, min, max: high ? Number(high) : comma ? Number.POSITIVE_INFINITY : min };
  }

  #atom(): Node {
    const next = this.#text[this.#at++];
    if (next === "^") return { type: "start" };
    if (next === "$") return { type: "end" };
    if (next === ".")
      return {
        type: "set",
        negated: true,
        ranges: [
          [10, 10],
          [13, 13],
        ],
      };
    if (next === "[") return this.#class();
    if (next === "(") return this.#group();
    if (next === "\\") return { type: "set", ...this.#escape() };
    if (next === undefined || "*+?{".includes(next)) throw new Unsupported();
    return literal(next);
  }

  #group(): Node {
    if (this.#take("?") && !this.#take(":")) {
      if (!this.#take("<") || this.#peek() === "=" || this.#peek() === "!") throw new Unsupported();
      while (this.#text[this.#at++] !== ">") if (this.#at >= this.#text.length) throw new Unsupported();
    }
    const node = this.#choice();
    if (!this.#take(")")) throw new Unsupported();
    return node;
  }

  #class(): Node {
    const negated = this.#take("^");
    const ranges: [number, number][] = [];
    while (!this.#take("]")) {
      const low = this.#classMember();
      const isRange = this.#peek() === "-" && this.#text[this.#at + 1] !== "]" && low.length === 1;
      if (isRange) this.#at++;
      const high = isRange ? this.#classMember() : low;
      const [from, to] = [low[0]?.[0], high[0]?.[1]];
      if (isRange && (from === undefined || to === undefined || to < from)) throw new Unsupported();
      ranges.push(...(isRange && from !== undefined && to !== undefined ? [[from, to] as [number, number]] : low));
    }
    return { type: "set", negated, ranges };
  }

  #classMember(): [number, number][] {
    const next = this.#text[this.#at++];
    if (next === undefined) throw new Unsupported();
    if (next !== "\\") return codeRange(next);
    const { negated, ranges } = this.#escape();
    if (negated) throw new Unsupported();
    return ranges;
  }

  #escape(): { negated: boolean; ranges: [number, number][] } {
    const next = this.#text[this.#at++] ?? "";
    const ranges = { d: digits, w: wordCharacters, s: spaces }[next.toLowerCase()];
    if (ranges) return { negated: next !== next.toLowerCase(), ranges };
    const control = { n: "\n", t: "\t", r: "\r" }[next];
    if (control === undefined && /^[A-Za-z0-9]?$/u.test(next)) throw new Unsupported();
    return { negated: false, ranges: codeRange(control ?? next) };
  }

  #peek(): string | undefined {
    return this.#text[this.#at];
  }

  #take(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }
}

function codeRange(character: string): [number, number][] {
  const code = character.codePointAt(0) ?? 0;
  return [[code, code]];
}

function literal(character: string): Node {
  return { type: "set", negated: false, ranges: codeRange(character) };
}
