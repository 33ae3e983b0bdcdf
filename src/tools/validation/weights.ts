import type { JsonValue } from "../../turn/index.ts";
import { below, combined, inPlace, type SchemaNode, within } from "./schema-node.ts";

/**
 * Sets the cost of checking one value for every node, in microseconds as measured: a list of names or values takes time for every
 * entry, and a property takes more than an item.
 */
export function weigh(innermostFirst: readonly SchemaNode[], referenced: Readonly<Record<string, SchemaNode>>): void {
  for (const node of innermostFirst) node.weight = ownWeight(node);
  const nesting = new Map<SchemaNode, number>();
  // Outermost first: cfworker copies evaluated properties once for each combination around them.
  for (const node of innermostFirst.toReversed()) {
    const around = nesting.get(node) ?? 0;
    const copying = new Set(combined(node));
    for (const inner of inPlace(node, referenced)) {
      nesting.set(inner, Math.max(nesting.get(inner) ?? 0, around + (copying.has(inner) ? 1 : 0)));
    }
  }
  const surcharges = new Map<SchemaNode, number>();
  const raise = (node: SchemaNode, units: number) => surcharges.set(node, Math.max(surcharges.get(node) ?? 0, units));
  for (const node of innermostFirst) {
    const copies = 0.3 * (nesting.get(node) ?? 0);
    for (const child of below(node)) raise(child, 1.5 + copies);
    for (const child of within(node)) raise(child, copies);
    // cfworker copies their errors too.
    for (const alternative of combined(node)) raise(alternative, 0.5);
  }
  for (const [node, surcharge] of surcharges) node.weight += surcharge;
}

function ownWeight(node: SchemaNode): number {
  const names = (node.required?.length ?? 0) + Object.values(node.dependentRequired ?? {}).flat().length;
  const properties = Object.keys(node.properties ?? {});
  let weight = 1 + names / 2.5 + properties.length / 10 + properties.join("").length / 100;
  for (const value of node.enum ?? []) weight += comparison(value);
  if (node.dependentSchemas) weight += Object.keys(node.dependentSchemas).length / 10;
  return node.multipleOf === undefined ? weight : weight + 2;
}

function comparison(value: JsonValue): number {
  if (typeof value === "string") return 0.005 + value.length / 10_000;
  if (typeof value !== "object" || value === null) return 0.005;
  // cfworker lists all keys of the arguments for each object that it compares them with.
  return 2 + Object.values(value).reduce<number>((sum, inside) => sum + comparison(inside ?? null), 0);
}
