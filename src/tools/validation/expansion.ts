import type { Refusal } from "./caps.ts";
import { inPlace, type SchemaNode } from "./schema-node.ts";

/** Most schemas that may apply to one value once references are followed, and how deep they may be nested. */
const most = 5_000;
const deepest = 32;

/** Cost of checking one value against a node: the number of schemas, and how deep they are nested. */
interface Expansion {
  looks: number;
  depth: number;
}

/**
 * Finds schemas that lead back to themselves, or to too many others, without going deeper into the arguments. A check of those
 * does not end, or not soon, whatever the arguments.
 */
export class Expansions {
  /** All nodes, each after those that apply to the same value. */
  readonly innermostFirst: SchemaNode[] = [];
  readonly #referenced: Readonly<Record<string, SchemaNode>>;
  readonly #known = new Map<SchemaNode, Expansion>();
  readonly #open = new Set<SchemaNode>();

  constructor(referenced: Readonly<Record<string, SchemaNode>>) {
    this.#referenced = referenced;
  }

  add(node: SchemaNode): Refusal | undefined {
    const found = this.#visit(node);
    return "because" in found ? found : undefined;
  }

  #visit(node: SchemaNode): Expansion | Refusal {
    const known = this.#known.get(node);
    if (known) return known;
    if (this.#open.has(node)) return endless;
    if (this.#open.size === deepest) return tooManyAround;
    this.#open.add(node);
    const expansion = { looks: 1, depth: 1 };
    for (const inner of inPlace(node, this.#referenced)) {
      const found = this.#visit(inner);
      if ("because" in found) return found;
      expansion.looks += found.looks;
      expansion.depth = Math.max(expansion.depth, found.depth + 1);
    }
    if (expansion.looks > most) return tooMany;
    if (expansion.depth > deepest) return tooManyAround;
    this.#open.delete(node);
    this.#known.set(node, expansion);
    this.innermostFirst.push(node);
    return expansion;
  }
}

const endless: Refusal = {
  because: "has a `$ref` that leads back to itself without going deeper into the arguments",
  advice: "Put the reference under `properties` or `items`",
};
const tooMany: Refusal = {
  because: `comes to more than ${most} schemas for one value once its references are followed`,
  advice: "Repeat fewer references under `allOf`, `anyOf` and `oneOf`",
};
const tooManyAround: Refusal = {
  because: `has more than ${deepest} schemas around one another for one value`,
  advice: "Nest less under `allOf`, `anyOf`, `oneOf` and `$ref`",
};
