import { type Node, parsePattern } from "./pattern-parser.ts";

/**
 * The simple part of regular expressions, read without RegExp: a `pattern` comes from a client, and an engine that backtracks
 * could be held up by it. Both matching and making a sample count their steps.
 */
const longestText = 2_000;
const steps = 1_000;

/** A text that the pattern accepts and that is at least `minLength` long; `undefined` when the pattern is beyond the simple part. */
export function samplePattern(pattern: string, minLength: number): string | undefined {
  const node = parsePattern(pattern);
  if (!node) return undefined;
  for (let extra = 0; extra <= Math.min(minLength, 64); extra++) {
    const out: string[] = [];
    if (!sample(node, extra, out)) return undefined;
    if (out.length >= minLength || extra === Math.min(minLength, 64)) {
      const text = out.join("");
      return matches(node, text) === true ? text : undefined;
    }
  }
  return undefined;
}

/** `undefined`: nobody can tell without running the pattern. */
export function matchesPattern(pattern: string, text: string): boolean | undefined {
  const node = parsePattern(pattern);
  return node && matches(node, text);
}

function accepts(node: Extract<Node, { type: "set" }>, character: string): boolean {
  const code = character.codePointAt(0) ?? 0;
  return node.ranges.some(([low, high]) => code >= low && code <= high) !== node.negated;
}

function matches(node: Node, text: string): boolean | undefined {
  const characters = Array.from(text);
  if (characters.length > longestText) return undefined;
  const count = { left: steps };
  const starts = new Set(Array.from({ length: characters.length + 1 }, (_, at) => at));
  const ends = step(node, characters, starts, count);
  return count.left > 0 ? ends.size > 0 : undefined;
}

/** All positions where the node can end, given all where it can begin: no backtracking, whatever the pattern. */
function step(node: Node, text: readonly string[], starts: Set<number>, count: { left: number }): Set<number> {
  count.left -= 1 + starts.size / 16;
  if (count.left <= 0 || starts.size === 0) return new Set();
  switch (node.type) {
    case "start":
      return new Set(starts.has(0) ? [0] : []);
    case "end":
      return new Set(starts.has(text.length) ? [text.length] : []);
    case "set": {
      const ends = new Set<number>();
      for (const at of starts) if (at < text.length && accepts(node, text[at] ?? "")) ends.add(at + 1);
      return ends;
    }
    case "sequence":
      return node.nodes.reduce((reached, next) => step(next, text, reached, count), starts);
    case "choice":
      return new Set(node.nodes.flatMap((next) => [...step(next, text, starts, count)]));
    case "repeat":
      return repeat(node, text, starts, count);
  }
}

function repeat(
  node: Extract<Node, { type: "repeat" }>,
  text: readonly string[],
  starts: Set<number>,
  count: { left: number },
): Set<number> {
  let reached = starts;
  const ends = new Set<number>(node.min === 0 ? starts : []);
  for (let times = 1; times <= node.max && reached.size > 0 && count.left > 0; times++) {
    const next = step(node.node, text, reached, count);
    const before = ends.size;
    if (times >= node.min) for (const at of next) ends.add(at);
    const isStill = next.size === reached.size && [...next].every((at) => reached.has(at));
    // Positions only grow, so a round that changes nothing stands for all the rounds to come.
    if (isStill) for (const at of next) ends.add(at);
    if (isStill || (times > node.min && ends.size === before)) break;
    reached = next;
  }
  return ends;
}

const favourites = ["a", "A", "1", "x", "-", "_", " "];

function sample(node: Node, extra: number, out: string[]): boolean {
  if (out.length > longestText) return false;
  switch (node.type) {
    case "start":
    case "end":
      return true;
    case "set": {
      const first = node.ranges[0]?.[0] ?? 97;
      const character = favourites.find((favourite) => accepts(node, favourite)) ?? String.fromCodePoint(first);
      out.push(character);
      return accepts(node, character);
    }
    case "sequence":
      return node.nodes.every((next) => sample(next, extra, out));
    case "choice": {
      const first = node.nodes[0];
      return first === undefined || sample(first, extra, out);
    }
    case "repeat": {
      const times = Math.min(node.max, node.min + extra);
      for (let at = 0; at < times; at++) {
        const before = out.length;
        if (!sample(node.node, extra, out)) return false;
        if (out.length === before) break;
      }
      return true;
    }
  }
}
