import type { Part } from "./parse.ts";

/** A place of the expression where one character is matched, and where the matcher can go from there. */
export interface State {
  /** What is matched here; null is the search for a beginning, which passes over any character. */
  raw: string | null;
  /** The states that may match the next character. One that can be reached in two ways is there twice. */
  next: number[];
  /** The same where the character matched here was the end of a line, which `^` with the flag `m` asks for. */
  nextAfterLine: number[];
  /** Whether the match may end after this character, whatever follows. */
  accepts: boolean;
}

export interface Automaton {
  states: State[];
  /** The states that may match the first character of a text. */
  first: number[];
}

type Guard = "none" | "start" | "line" | "end" | "condition";
type Position = "start" | "line" | "inside";
interface Node {
  state: number | null;
  edges: { to: number; guard: Guard }[];
}

/** A bounded repetition costs a constant factor, however often it repeats; a larger bound counts as none. */
const largestBound = 1_000;

export function buildAutomaton(expression: Part, flags: string): Automaton {
  const nodes: Node[] = [];
  const states: State[] = [];
  const multiline = flags.includes("m");
  const add = (state: number | null = null) => nodes.push({ state, edges: [] }) - 1;
  const link = (from: number, to: number, guard: Guard = "none") => nodes[from]?.edges.push({ to, guard });

  /** Adds the nodes of a part after `from`, and returns the node behind it. */
  function build(part: Part, from: number): number {
    switch (part.kind) {
      case "character": {
        const node = add(states.push({ raw: part.raw, next: [], nextAfterLine: [], accepts: false }) - 1);
        link(from, node);
        return node;
      }
      case "sequence":
        return part.parts.reduce((before, each) => build(each, before), from);
      case "choice": {
        const end = add();
        for (const option of part.options) link(build(option, from), end);
        return end;
      }
      case "repeat":
        return repeat(part, from);
      case "lookahead": {
        // It is matched from here as far as it goes, and then given up, whatever it found.
        const start = add();
        link(from, start);
        build(part.part, start);
        return guarded(from, "condition");
      }
      case "lookbehind":
        if (isEndless(part.part)) throw new Error("a lookbehind without a bound cannot be judged");
        return guarded(from, "condition");
      case "assertion":
        if (part.which === "word") return guarded(from, "condition");
        if (multiline) return guarded(from, part.which === "start" ? "line" : "condition");
        return guarded(from, part.which);
    }
  }

  function guarded(from: number, guard: Guard): number {
    const node = add();
    link(from, node, guard);
    return node;
  }

  function repeat({ part, min, max }: Extract<Part, { kind: "repeat" }>, from: number): number {
    const endless = max > largestBound;
    let at = from;
    // Two copies are enough to tell that a part may follow itself.
    for (let copies = Math.min(min, 2); copies > (endless ? 1 : 0); copies--) at = build(part, at);
    if (endless) return loop(part, at, min > 0);
    const end = add();
    link(at, end);
    for (let copies = Math.min(max - min, 2); copies > 0; copies--) {
      at = build(part, at);
      link(at, end);
    }
    return end;
  }

  function loop(part: Part, from: number, once: boolean): number {
    const start = add();
    const end = add();
    link(from, start);
    const last = build(part, start);
    link(last, start);
    link(last, end);
    if (!once) link(start, end);
    return end;
  }

  const start = add();
  const end = build(expression, start);

  /** Everything that can be reached without a character: states, one entry a way, and whether the match may end. */
  function reach(from: number, position: Position): { next: number[]; accepts: boolean } {
    const next: number[] = [];
    let accepts = false;
    const onWay = new Set<number>();
    const leave = (node: number, conditional: boolean, ended: boolean) => {
      if (node === end && !conditional) accepts = true;
      onWay.add(node);
      for (const { to, guard } of nodes[node]?.edges ?? []) {
        if ((guard === "start" || guard === "line") && position !== "start" && position !== guard) continue;
        enter(to, conditional || guard !== "none", ended || guard === "end");
      }
      onWay.delete(node);
    };
    const enter = (node: number, conditional: boolean, ended: boolean) => {
      const state = nodes[node]?.state ?? null;
      if (state === null && !onWay.has(node)) leave(node, conditional, ended);
      if (state !== null && !ended) next.push(state);
    };
    leave(from, false, false);
    return { next, accepts };
  }

  for (const [at, { state }] of nodes.entries()) {
    const found = state === null ? undefined : states[state];
    if (found) Object.assign(found, reach(at, "inside"), { nextAfterLine: reach(at, "line").next });
  }
  const first = reach(start, "start").next;
  if (!flags.includes("y")) {
    // Without an anchor the matcher tries every position of the text as the beginning.
    const [next, nextAfterLine] = [reach(start, "inside").next, reach(start, "line").next];
    const search = states.length;
    states.push({ raw: null, next: [search, ...next], nextAfterLine: [search, ...nextAfterLine], accepts: false });
    first.push(search);
  }
  return { states, first };
}

function isEndless(part: Part): boolean {
  switch (part.kind) {
    case "character":
    case "assertion":
      return false;
    case "sequence":
      return part.parts.some(isEndless);
    case "choice":
      return part.options.some(isEndless);
    case "repeat":
      return part.max > largestBound || isEndless(part.part);
    default:
      return isEndless(part.part);
  }
}
