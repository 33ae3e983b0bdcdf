import { isObject, type JsonObject, type JsonValue } from "../../turn/index.ts";

/** Schemas come from clients, so every look at one is counted: none can make the walk long. */
export class Allowance {
  #left: number;

  constructor(left: number) {
    this.#left = left;
  }

  /** False once all is spent. */
  spend(cost: number): boolean {
    this.#left -= cost;
    return this.#left > 0;
  }
}

export type SchemaType = "string" | "number" | "integer" | "boolean" | "array" | "object" | "null";

const types: readonly SchemaType[] = ["string", "number", "integer", "boolean", "array", "object", "null"];

/** What the walk reads; any other keyword is not looked at, and so costs nothing. */
const keywords = [
  "type",
  "title",
  "description",
  "enum",
  "const",
  "default",
  "examples",
  "format",
  "pattern",
  "minLength",
  "maxLength",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "items",
  "prefixItems",
  "minItems",
  "maxItems",
  "uniqueItems",
  "properties",
  "required",
  "additionalProperties",
  "minProperties",
  "anyOf",
  "oneOf",
  "allOf",
  "nullable",
] as const;

const maxHops = 8;
const maxMembers = 16;

/** The schema with its local references and `allOf` followed, as far as the allowance goes. */
export function resolve(schema: JsonValue | undefined, root: JsonObject, allowance: Allowance, depth = 0): JsonObject {
  let current = isObject(schema) ? schema : {};
  for (let hop = 0; hop < maxHops && typeof current.$ref === "string"; hop++) {
    if (!allowance.spend(1)) return {};
    const target = pointed(root, current.$ref);
    const { $ref: _, ...siblings } = pick(current, ["$ref"]);
    current = target === undefined ? siblings : Object.keys(siblings).length === 0 ? target : merge(target, siblings);
  }
  if (!Array.isArray(current.allOf) || depth > 4) return current;
  let merged = pick(current, []);
  delete merged.allOf;
  for (const member of current.allOf.slice(0, maxMembers)) {
    if (!allowance.spend(1)) break;
    merged = merge(merged, resolve(member, root, allowance, depth + 1));
  }
  return merged;
}

function pick(schema: JsonObject, more: readonly string[]): JsonObject {
  const picked: JsonObject = {};
  for (const keyword of [...keywords, ...more]) {
    if (Object.hasOwn(schema, keyword)) picked[keyword] = schema[keyword];
  }
  return picked;
}

/** Both schemas at once, as far as arguments care: the second has the last word where only one can. */
export function merge(first: JsonObject, second: JsonObject): JsonObject {
  const merged = { ...pick(first, ["$ref"]), ...pick(second, ["$ref"]) };
  if (isObject(first.properties) && isObject(second.properties)) {
    merged.properties = { ...first.properties, ...second.properties };
  }
  if (Array.isArray(first.required) && Array.isArray(second.required)) {
    merged.required = [...first.required, ...second.required];
  }
  for (const [keyword, tighter] of bounds) {
    const [a, b] = [first[keyword], second[keyword]];
    if (typeof a === "number" && typeof b === "number") merged[keyword] = tighter(a, b);
  }
  return merged;
}

const bounds: [string, (a: number, b: number) => number][] = [
  ["minimum", Math.max],
  ["maximum", Math.min],
  ["minLength", Math.max],
  ["maxLength", Math.min],
  ["minItems", Math.max],
  ["maxItems", Math.min],
];

/** Only a pointer into the same document is followed; nothing is fetched. */
function pointed(root: JsonObject, reference: string): JsonObject | undefined {
  if (!reference.startsWith("#") || reference.length > 500) return undefined;
  let current: JsonValue | undefined = root;
  for (const raw of reference.slice(1).split("/").slice(1)) {
    const key = raw.replaceAll("%25", "%").replaceAll("~1", "/").replaceAll("~0", "~");
    if (Array.isArray(current)) current = current[Number(key)];
    else if (isObject(current) && Object.hasOwn(current, key)) current = current[key];
    else return undefined;
  }
  return isObject(current) ? current : undefined;
}

/** The types that the schema allows, said or meant; none when it allows anything. */
export function typesOf(schema: JsonObject): SchemaType[] {
  const said = Array.isArray(schema.type) ? schema.type.slice(0, maxMembers) : [schema.type];
  const known = types.filter((type) => said.includes(type));
  if (known.length > 0) return schema.nullable === true && !known.includes("null") ? [...known, "null"] : known;
  if (isObject(schema.properties) || Array.isArray(schema.required)) return ["object"];
  if (schema.items !== undefined || schema.prefixItems !== undefined) return ["array"];
  if (typeof schema.minimum === "number" || typeof schema.maximum === "number") return ["number"];
  if ([schema.minLength, schema.pattern, schema.format, schema.maxLength].some((value) => value !== undefined)) {
    return ["string"];
  }
  return [];
}

/** The alternatives of `anyOf` and `oneOf`, each with what the schema says beside them. */
export function alternatives(schema: JsonObject, root: JsonObject, allowance: Allowance): JsonObject[] {
  const listed = [schema.anyOf, schema.oneOf].find((list) => Array.isArray(list) && list.length > 0);
  if (!Array.isArray(listed)) return [];
  const base = pick(schema, []);
  delete base.anyOf;
  delete base.oneOf;
  const found: JsonObject[] = [];
  for (const member of listed.slice(0, maxMembers)) {
    if (!allowance.spend(1)) break;
    found.push(merge(base, resolve(member, root, allowance)));
  }
  return found;
}

/** The declared properties of an object schema, not more than can be walked. */
export function propertiesOf(schema: JsonObject, allowance: Allowance): [string, JsonValue | undefined][] {
  if (!isObject(schema.properties)) return [];
  const names = Object.keys(schema.properties);
  allowance.spend(names.length / 64);
  const { properties } = schema;
  return names.slice(0, 256).map((name) => [name, properties[name]]);
}

export function requiredOf(schema: JsonObject): string[] {
  if (!Array.isArray(schema.required)) return [];
  return schema.required.slice(0, 512).filter((name) => typeof name === "string");
}
