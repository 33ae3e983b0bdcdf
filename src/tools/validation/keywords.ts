import { deepCompareStrict, type InstanceType } from "@cfworker/json-schema";
import { isObject, type JsonObject, type JsonValue } from "../../turn/index.ts";
import { isKnownFormat } from "./formats.ts";
import type { Pattern } from "./pattern.ts";
import type { SchemaNode } from "./schema-node.ts";
import type { TextDemands } from "./text-rule.ts";

/** Context for reading the keywords of one schema. */
export interface Reading {
  /** A schema inside this one; undefined if the value is not a schema. */
  inner(value: JsonValue | undefined): SchemaNode | undefined;
  /** Undefined if it cannot be checked. */
  pattern(written: string): Pattern | undefined;
  /** A new schema that the client did not write. */
  create(): SchemaNode;
  /** A keyword cannot be checked and is dropped, so the schema accepts more than it says. */
  skip(): void;
  /** Something was dropped: then no value may be rejected because too much fits (`not`, `oneOf`, `if`, `unevaluated…`). */
  readonly isLoose: boolean;
}

/** Keywords with a value of the wrong type are dropped: JSON Schema does not define what they mean. */
export function readKeywords(schema: JsonObject, node: SchemaNode, reading: Reading): void {
  readType(schema, node, reading);
  readValues(schema, node);
  readNumbers(schema, node);
  readCombinations(schema, node, reading);
  readObjects(schema, node, reading);
  readLists(schema, node, reading);
}

export function readText(schema: JsonObject): Omit<TextDemands, "pattern"> & { pattern?: string | undefined } {
  const { pattern, format } = schema;
  return {
    minLength: count(schema.minLength),
    maxLength: count(schema.maxLength),
    pattern: typeof pattern === "string" ? pattern : undefined,
    format: typeof format === "string" && isKnownFormat(format) ? format : undefined,
  };
}

const types: readonly string[] = ["array", "boolean", "integer", "null", "number", "object", "string"];

function readType({ type, nullable }: JsonObject, node: SchemaNode, reading: Reading): void {
  if (type === undefined) return;
  const written: JsonValue[] = Array.isArray(type) ? type : [type];
  const names = written.filter((name): name is InstanceType => typeof name === "string" && types.includes(name));
  // Clients send "any" and "float". What else such a list accepts is undefined, and so is an empty list.
  if (names.length < written.length || names.length === 0) reading.skip();
  // `nullable` is OpenAPI's keyword, which many schema generators still write.
  else node.type = [...new Set(nullable === true ? [...names, "null" as const] : names)];
}

function readValues(schema: JsonObject, node: SchemaNode): void {
  const { const: only, enum: listed, nullable } = schema;
  let values = Array.isArray(listed) && listed.length > 0 ? [...listed] : undefined;
  if (only !== undefined) values = values?.filter((value) => deepCompareStrict(value, only)) ?? [only];
  if (!values) return;
  if (nullable === true) values.push(null);
  // cfworker writes all values into every error about them.
  Object.defineProperty(values, "toJSON", { value: () => null });
  node.enum = values;
}

function readNumbers(schema: JsonObject, node: SchemaNode): void {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  // In draft 4 `exclusiveMinimum` is a boolean that changes the meaning of `minimum`.
  if (typeof minimum === "number") node[exclusiveMinimum === true ? "exclusiveMinimum" : "minimum"] = minimum;
  if (typeof maximum === "number") node[exclusiveMaximum === true ? "exclusiveMaximum" : "maximum"] = maximum;
  if (typeof exclusiveMinimum === "number") node.exclusiveMinimum = exclusiveMinimum;
  if (typeof exclusiveMaximum === "number") node.exclusiveMaximum = exclusiveMaximum;
  if (typeof multipleOf === "number" && multipleOf > 0) node.multipleOf = multipleOf;
}

function readCombinations(schema: JsonObject, node: SchemaNode, reading: Reading): void {
  const { anyOf, oneOf, allOf } = schema;
  set(node, "anyOf", schemas(anyOf, reading));
  set(node, "allOf", schemas(allOf, reading));
  const alternatives = schemas(oneOf, reading);
  if (!reading.isLoose) {
    set(node, "oneOf", alternatives);
    set(node, "not", reading.inner(schema.not));
    readCondition(schema, node, reading);
  } else if (alternatives) {
    const any = reading.create();
    any.anyOf = alternatives;
    node.allOf = [...(node.allOf ?? []), any];
  }
}

function readCondition(schema: JsonObject, node: SchemaNode, reading: Reading): void {
  const then = reading.inner(schema.then);
  const otherwise = reading.inner(schema.else);
  if (!then && !otherwise) return;
  set(node, "if", reading.inner(schema.if));
  set(node, "then", then);
  set(node, "else", otherwise);
}

function readObjects(schema: JsonObject, node: SchemaNode, reading: Reading): void {
  set(node, "minProperties", count(schema.minProperties));
  set(node, "maxProperties", count(schema.maxProperties));
  set(node, "required", names(schema.required));
  set(node, "propertyNames", reading.inner(schema.propertyNames));
  readDependencies(schema, node, reading);
  const properties = schemaEntries(schema.properties, reading);
  if (properties) node.properties = Object.fromEntries(properties.sort(([, a], [, b]) => effort(a) - effort(b)));
  // Without all patterns it is unknown which properties are additional.
  if (!readPatterned(schema.patternProperties, node, reading)) {
    reading.skip();
    return;
  }
  set(node, "additionalProperties", reading.inner(schema.additionalProperties));
  if (!reading.isLoose) set(node, "unevaluatedProperties", reading.inner(schema.unevaluatedProperties));
}

/** False if a pattern cannot be checked. */
function readPatterned(value: JsonValue | undefined, node: SchemaNode, reading: Reading): boolean {
  const patterned: [Pattern, SchemaNode][] = [];
  for (const [written, schema] of schemaEntries(value, reading) ?? []) {
    const pattern = reading.pattern(written);
    if (!pattern) return false;
    patterned.push([pattern, schema]);
  }
  if (patterned.length > 0) node.patterned = patterned;
  return true;
}

/** Until draft 7 `dependencies` was the keyword for both. */
function readDependencies(schema: JsonObject, node: SchemaNode, reading: Reading): void {
  const required: [string, string[]][] = [];
  for (const source of [schema.dependencies, schema.dependentRequired]) {
    for (const [key, value] of entries(source)) {
      const wanted = names(value);
      if (wanted) required.push([key, wanted]);
    }
  }
  const schemas = [schema.dependencies, schema.dependentSchemas].flatMap((one) => schemaEntries(one, reading) ?? []);
  if (required.length > 0) node.dependentRequired = Object.fromEntries(required);
  if (schemas.length > 0) node.dependentSchemas = Object.fromEntries(schemas);
}

function readLists(schema: JsonObject, node: SchemaNode, reading: Reading): void {
  set(node, "minItems", count(schema.minItems));
  set(node, "maxItems", count(schema.maxItems));
  if (schema.uniqueItems === true) node.demandsUniqueItems = true;
  // Before draft 2020-12 a list under `items` was what `prefixItems` is now, and `additionalItems` what `items` is now.
  const isOld = Array.isArray(schema.items);
  set(node, "prefixItems", schemas(isOld ? schema.items : schema.prefixItems, reading));
  set(node, "items", reading.inner(isOld ? schema.additionalItems : schema.items));
  if (!reading.isLoose) set(node, "unevaluatedItems", reading.inner(schema.unevaluatedItems));
  set(node, "contains", reading.inner(schema.contains));
  if (!node.contains) return;
  set(node, "minContains", count(schema.minContains));
  if (!reading.isLoose) set(node, "maxContains", count(schema.maxContains));
}

/** Fixed values come first: they distinguish alternatives, and cfworker stops at the first property that does not fit. */
function effort(node: SchemaNode): number {
  if (node.enum) return 0;
  return node.type && !node.type.includes("object") && !node.type.includes("array") ? 1 : 2;
}

function set<Key extends keyof SchemaNode>(node: SchemaNode, key: Key, value: SchemaNode[Key] | undefined): void {
  if (value !== undefined) node[key] = value;
}

function count(value: JsonValue | undefined): number | undefined {
  return typeof value === "number" && value >= 0 ? value : undefined;
}

function names(value: JsonValue | undefined): string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const found = value.filter((name): name is string => typeof name === "string");
  return found.length > 0 ? found : undefined;
}

function entries(value: JsonValue | undefined): [string, JsonValue | undefined][] {
  return isObject(value) ? Object.entries(value) : [];
}

/** Undefined for an empty list: a list without alternatives is a mistake, not a demand that cannot be met. */
function schemas(value: JsonValue | undefined, reading: Reading): SchemaNode[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const found = value.map((schema) => reading.inner(schema) ?? anything(reading));
  return found.length > 0 ? found : undefined;
}

/** Accepts anything; used for a value that is not a schema. */
function anything(reading: Reading): SchemaNode {
  reading.skip();
  return reading.create();
}

function schemaEntries(value: JsonValue | undefined, reading: Reading): [string, SchemaNode][] | undefined {
  if (!isObject(value)) return undefined;
  return entries(value).flatMap(([key, schema]): [string, SchemaNode][] => {
    const node = reading.inner(schema);
    return node ? [[key, node]] : [];
  });
}
