import type { Meter } from "./meter.ts";
import { SchemaNode } from "./schema-node.ts";

/**
 * `patternProperties` of one schema. cfworker would compile native expressions, so it never sees them. Instead, before a check,
 * every property name in the arguments that fits a pattern is declared under `properties`.
 */
export class PatternProperties {
  readonly #node: SchemaNode;
  readonly #declared: Record<string, SchemaNode>;
  readonly #meter: Meter;

  constructor(node: SchemaNode, meter: Meter) {
    this.#node = node;
    this.#declared = node.properties ?? {};
    this.#meter = meter;
  }

  declare(names: Iterable<string>): void {
    const properties = { ...this.#declared };
    let count = 0;
    const patterned = this.#node.patterned ?? [];
    for (const name of names) {
      this.#meter.charge(0.2 + patterned.length / 2);
      const schemas = patterned.flatMap(([pattern, schema]) => (pattern.test(name) ? schema : []));
      if (schemas.length === 0) continue;
      count++;
      const declared = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (declared) schemas.push(declared);
      // A plain assignment of `__proto__` would be lost.
      Object.defineProperty(properties, name, { value: this.#all(schemas), enumerable: true });
    }
    this.#node.properties = properties;
    this.#node.surcharge = count / 10;
  }

  /** The names come from the arguments and are not kept. */
  forget(): void {
    this.#node.properties = this.#declared;
    this.#node.surcharge = 0;
  }

  #all(schemas: SchemaNode[]): SchemaNode {
    const [only, ...others] = schemas;
    if (only && others.length === 0) return only;
    const node = new SchemaNode(this.#meter);
    node.weight = 2.5;
    node.allOf = schemas;
    return node;
  }
}
