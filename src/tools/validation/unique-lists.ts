import { below, inPlace, type SchemaNode, within } from "./schema-node.ts";

/** Lists of the arguments that may be checked against a schema with `uniqueItems`. */
export interface UniqueLists {
  /** Any list, not only the properties of these names. */
  anywhere: boolean;
  names: ReadonlySet<string>;
}

/** Undefined if there are none. In `innermostFirst`, every node comes after those that apply to the same value. */
export function uniqueLists(
  root: SchemaNode,
  innermostFirst: readonly SchemaNode[],
  referenced: Readonly<Record<string, SchemaNode>>,
): UniqueLists | undefined {
  const found = new Set<SchemaNode>();
  for (const node of innermostFirst) {
    if (node.demandsUniqueItems || inPlace(node, referenced).some((inner) => found.has(inner))) found.add(node);
  }
  if (found.size === 0) return undefined;
  const names = new Set<string>();
  let anywhere = found.has(root);
  for (const node of innermostFirst) {
    const properties = Object.entries(node.properties ?? {});
    for (const [name, child] of properties) if (found.has(child)) names.add(name);
    const others = [...below(node).slice(properties.length), ...within(node)];
    anywhere ||= others.some((child) => found.has(child));
  }
  return { anywhere, names };
}
