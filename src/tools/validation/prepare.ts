import { isObject, type JsonObject, type JsonValue } from "../../turn/index.ts";
import type { Refusal } from "./caps.ts";
import { Expansions } from "./expansion.ts";
import { isUncheckedFormat } from "./formats.ts";
import { type Reading, readKeywords, readText } from "./keywords.ts";
import type { Meter } from "./meter.ts";
import { PatternProperties } from "./pattern-properties.ts";
import type { Patterns } from "./patterns.ts";
import { References, type SchemaLocation } from "./references.ts";
import { SchemaNode } from "./schema-node.ts";
import { ruleName, TextRule } from "./text-rule.ts";
import { type UniqueLists, uniqueLists } from "./unique-lists.ts";
import { weigh } from "./weights.ts";
import { quoted } from "./words.ts";

/** A schema in the form that arguments are checked against. */
export interface Prepared {
  root: SchemaNode;
  /** The targets of `$ref`. */
  referenced: Record<string, SchemaNode>;
  rules: readonly TextRule[];
  patternProperties: readonly PatternProperties[];
  unique: UniqueLists | undefined;
  meter: Meter;
}

/** `patterns` are this schema's patterns from earlier preparations. The schema must be within the caps. */
export function prepare(schema: JsonObject, patterns: Patterns): Prepared | Refusal {
  const exact = new Preparing(schema, patterns, false);
  const prepared = exact.run();
  return exact.hasSkipped ? new Preparing(schema, patterns, true).run() : prepared;
}

class Preparing {
  hasSkipped = false;
  readonly #isLoose: boolean;
  readonly #root: JsonObject;
  readonly #patterns: Patterns;
  readonly #references: References;
  readonly #meter: Meter;
  readonly #rules: TextRule[] = [];
  readonly #nodes = new Map<JsonObject | boolean, SchemaNode>();
  readonly #referenced: Record<string, SchemaNode> = Object.create(null);
  /** Names of the referenced schemas, and those still to be read: a list, so that references do not recurse. */
  readonly #names = new Map<JsonObject | boolean, string>();
  readonly #waiting: SchemaLocation[] = [];
  #refusal: Refusal | undefined;

  constructor(root: JsonObject, patterns: Patterns, isLoose: boolean) {
    this.#root = root;
    this.#patterns = patterns;
    this.#meter = patterns.meter;
    this.#isLoose = isLoose;
    this.#references = new References(root);
  }

  run(): Prepared | Refusal {
    const root = this.#read(this.#root, this.#root);
    for (let location = this.#waiting.pop(); location; location = this.#waiting.pop()) {
      this.#referenced[this.#nameOf(location)] = this.#read(location.schema, location.resource);
    }
    const referenced = this.#referenced;
    const expansions = new Expansions(referenced);
    for (const node of this.#nodes.values()) this.#refusal ??= expansions.add(node);
    if (this.#refusal) return this.#refusal;
    weigh(expansions.innermostFirst, referenced);
    const patternProperties = expansions.innermostFirst
      .filter(({ patterned }) => patterned)
      .map((node) => new PatternProperties(node, this.#meter));
    const unique = uniqueLists(root, expansions.innermostFirst, referenced);
    return { root, referenced, rules: this.#rules, patternProperties, unique, meter: this.#meter };
  }

  #read(schema: JsonObject | boolean, around: JsonObject): SchemaNode {
    const known = this.#nodes.get(schema);
    if (known) return known;
    const node = new SchemaNode(this.#meter);
    this.#nodes.set(schema, node);
    if (schema === false) {
      node.not = new SchemaNode(this.#meter);
      node.isNothing = true;
    }
    if (!isObject(schema)) return node;
    const resource = this.#references.resourceOf(schema, around);
    const inner = isNullable(schema) ? this.#orNull(node) : node;
    this.#readReference(schema, inner, resource);
    this.#readText(schema, inner);
    readKeywords(schema, inner, this.#reading(resource));
    return node;
  }

  /** Makes the node accept null; returns the node of the other alternative. */
  #orNull(node: SchemaNode): SchemaNode {
    const nothing = new SchemaNode(this.#meter);
    nothing.type = ["null"];
    const inner = new SchemaNode(this.#meter);
    node.anyOf = [inner, nothing];
    return inner;
  }

  #reading(resource: JsonObject): Reading {
    return {
      inner: (value: JsonValue | undefined) =>
        isObject(value) || typeof value === "boolean" ? this.#read(value, resource) : undefined,
      pattern: (written) => this.#patterns.find(written),
      create: () => new SchemaNode(this.#meter),
      skip: () => {
        this.hasSkipped = true;
      },
      isLoose: this.#isLoose,
    };
  }

  #readReference({ $ref, $dynamicRef, $recursiveRef }: JsonObject, node: SchemaNode, resource: JsonObject): void {
    // The targets of these depend on the path that led to them.
    if ($dynamicRef !== undefined || $recursiveRef !== undefined) this.hasSkipped = true;
    if (typeof $ref !== "string") return;
    const location = this.#references.find($ref, resource);
    if (location) node.$ref = this.#nameOf(location);
    else {
      this.#refusal ??= {
        because: `has the \`$ref\` ${quoted($ref)}, which does not lead to a schema inside it`,
        advice: "Put what it means under `$defs` and refer to it as `#/$defs/name`",
      };
    }
  }

  #nameOf(location: SchemaLocation): string {
    let name = this.#names.get(location.schema);
    if (name === undefined) {
      name = String(this.#names.size);
      this.#names.set(location.schema, name);
      this.#waiting.push(location);
    }
    return name;
  }

  #readText(schema: JsonObject, node: SchemaNode): void {
    const { pattern, ...demands } = readText(schema);
    const compiled = pattern === undefined ? undefined : this.#patterns.find(pattern);
    if ((pattern !== undefined && !compiled) || isUncheckedFormat(schema.format)) this.hasSkipped = true;
    if (!compiled && Object.values(demands).every((demand) => demand === undefined)) return;
    node.format = ruleName(this.#rules.length);
    this.#rules.push(new TextRule({ ...demands, pattern: compiled }, this.#meter));
  }
}

/** OpenAPI's `nullable` next to a keyword that would not accept null. Next to `type` and `enum` it is read with them. */
function isNullable({ nullable, $ref, anyOf, oneOf, allOf }: JsonObject): boolean {
  return nullable === true && [$ref, anyOf, oneOf, allOf].some((keyword) => keyword !== undefined);
}
