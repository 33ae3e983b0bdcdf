import type { InstanceType } from "@cfworker/json-schema";
import type { JsonValue } from "../../turn/index.ts";
import type { Meter } from "./meter.ts";
import type { Pattern } from "./pattern.ts";

/**
 * A schema as cfworker receives it: only keywords that it handles correctly, of the right types, and no plain `true` or `false`.
 * It has no `$id`, `$anchor` or `$schema`: `$ref` is a key of the table of all referenced nodes.
 */
export class SchemaNode {
  $ref?: string;
  type?: InstanceType[];
  /** `const` is an `enum` of one value. */
  enum?: JsonValue[];
  not?: SchemaNode;
  anyOf?: SchemaNode[];
  allOf?: SchemaNode[];
  oneOf?: SchemaNode[];
  if?: SchemaNode;
  // biome-ignore lint/suspicious/noThenProperty: JSON Schema has this keyword, and nodes are never awaited.
  then?: SchemaNode;
  else?: SchemaNode;
  /** Name of a text rule, which checks the lengths, the pattern and the format. */
  format?: string;
  properties?: Record<string, SchemaNode>;
  /** `patternProperties`, under a name that cfworker does not read: see pattern-properties.ts. */
  patterned?: [Pattern, SchemaNode][];
  additionalProperties?: SchemaNode;
  unevaluatedProperties?: SchemaNode;
  propertyNames?: SchemaNode;
  required?: string[];
  dependentRequired?: Record<string, string[]>;
  dependentSchemas?: Record<string, SchemaNode>;
  minProperties?: number;
  maxProperties?: number;
  prefixItems?: SchemaNode[];
  items?: SchemaNode;
  unevaluatedItems?: SchemaNode;
  contains?: SchemaNode;
  minContains?: number;
  maxContains?: number;
  minItems?: number;
  maxItems?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  multipleOf?: number;

  demandsUniqueItems = false;
  /** Whether the schema is `false`, which nothing fits. */
  isNothing = false;
  /** Cost of checking one value, whatever the value. */
  weight = 1;
  /** Additional cost in the current check. */
  surcharge = 0;
  readonly #meter: Meter;

  constructor(meter: Meter) {
    this.#meter = meter;
  }

  /** Without duplicates in any list there is nothing to compare. */
  get uniqueItems(): boolean {
    return this.demandsUniqueItems && this.#meter.uniqueItems > 0;
  }

  /**
   * cfworker reads every keyword once for each value that it checks against a schema. This one is always false; reading it
   * charges the meter.
   */
  get $recursiveAnchor(): false {
    let units = this.weight + this.surcharge;
    if (this.demandsUniqueItems) units += this.#meter.uniqueItems;
    if (this.unevaluatedItems) units += this.#meter.everyItem;
    this.#meter.charge(units);
    return false;
  }
}

/** The schemas that apply to the same value as this one. */
export function inPlace(node: SchemaNode, referenced: Readonly<Record<string, SchemaNode>>): SchemaNode[] {
  const found = combined(node);
  const target = node.$ref === undefined ? undefined : referenced[node.$ref];
  if (target) found.push(target);
  if (node.not) found.push(node.not);
  for (const dependent of Object.values(node.dependentSchemas ?? {})) found.push(dependent);
  return found;
}

/** Those of them from which cfworker copies evaluated properties and items to this one. */
export function combined({ anyOf, allOf, oneOf, if: condition, then, else: otherwise }: SchemaNode): SchemaNode[] {
  const found = [...(anyOf ?? []), ...(allOf ?? []), ...(oneOf ?? [])];
  for (const node of [condition, then, otherwise]) if (node) found.push(node);
  return found;
}

/** The schemas of the properties of a value, and of their names. */
export function below(node: SchemaNode): SchemaNode[] {
  const found = Object.values(node.properties ?? {});
  for (const [, child] of node.patterned ?? []) found.push(child);
  for (const child of [node.additionalProperties, node.unevaluatedProperties, node.propertyNames]) {
    if (child) found.push(child);
  }
  return found;
}

/** The schemas of the items of a value. */
export function within(node: SchemaNode): SchemaNode[] {
  const found = [...(node.prefixItems ?? [])];
  for (const child of [node.items, node.unevaluatedItems, node.contains]) if (child) found.push(child);
  return found;
}
