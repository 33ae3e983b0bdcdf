import { isObject, type JsonObject, type JsonValue } from "../../turn/index.ts";

/** The remaining steps. Schemas come from clients, so every access is counted and no schema can make the walk long. */
export interface Allowance {
  left: number;
}

function spend(allowance: Allowance, cost: number): boolean {
  allowance.left -= cost;
  return allowance.left > 0;
}

export const maxDepth = 24;
const maxHops = 8;
const maxMembers = 16;
/** Later values of an enum are ignored. */
const maxValues = 200;

/**
 * The schema with references resolved, `allOf` merged, and the first alternative that is not null. Keys beside them take
 * precedence.
 */
export function plain(raw: JsonValue | undefined, root: JsonObject, allowance: Allowance, hops = 0): JsonObject {
  const schema = isObject(raw) ? raw : {};
  const isPlain = ["$ref", "allOf", "anyOf", "oneOf"].every((key) => schema[key] === undefined);
  if (!spend(allowance, 1) || isPlain || hops > maxHops) return schema;
  if (!spend(allowance, Object.keys(schema).length / 8)) return schema;
  const { $ref, allOf, anyOf, oneOf, ...own } = schema;
  const options = [anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list.slice(0, maxMembers) : []));
  const option = options.find((one) => !isNull(one)) ?? options[0];
  const members = Array.isArray(allOf) ? allOf.slice(0, maxMembers) : [];
  const parts = [typeof $ref === "string" ? pointed(root, $ref) : undefined, ...members, option]
    .filter(isObject)
    .map((part) => plain(part, root, allowance, hops + 1));
  const merged = [...parts, own].reduce((first, second) => merge(first, second, allowance), {});
  return options.some(isNull) ? { ...merged, nullable: true } : merged;
}

function isNull(schema: JsonValue): boolean {
  return isObject(schema) && (schema.type === "null" || schema.const === null);
}

function merge(first: JsonObject, second: JsonObject, allowance: Allowance): JsonObject {
  const properties = { ...objectOf(first.properties), ...objectOf(second.properties) };
  const size = Object.keys(properties).length;
  if (!spend(allowance, size / 32)) return second;
  const required = [...requiredOf(first), ...requiredOf(second)];
  return { ...first, ...second, ...(size > 0 && { properties }), ...(required.length > 0 && { required }) };
}

export function objectOf(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}

export function requiredOf(schema: JsonObject): string[] {
  const { required } = schema;
  return Array.isArray(required) ? required.slice(0, 256).filter((name) => typeof name === "string") : [];
}

/** Only a pointer into the same document is followed; nothing is fetched. */
function pointed(root: JsonObject, reference: string): JsonValue | undefined {
  if (!reference.startsWith("#") || reference.length > 500) return undefined;
  let current: JsonValue | undefined = root;
  for (const raw of reference.split("/").slice(1)) {
    const key = raw.replaceAll("~1", "/").replaceAll("~0", "~");
    current = isObject(current) && Object.hasOwn(current, key) ? current[key] : undefined;
  }
  return current;
}

function typesOf({ type }: JsonObject): string[] {
  return [type].flat().filter((one) => typeof one === "string");
}

/** The type of the value to make. */
export function typeOf(schema: JsonObject): string {
  const types = typesOf(schema);
  const type = types.find((one) => one !== "null") ?? types[0];
  if (type !== undefined) return type;
  if (isObject(schema.properties) || Array.isArray(schema.required)) return "object";
  if (isObject(schema.items)) return "array";
  return typeof schema.minimum === "number" || typeof schema.maximum === "number" ? "number" : "string";
}

/** The allowed values, if the schema lists them. */
export function valuesOf(schema: JsonObject): JsonValue[] | undefined {
  if (schema.const !== undefined) return [schema.const];
  if (!Array.isArray(schema.enum)) return undefined;
  const types = typesOf(schema);
  return schema.enum.slice(0, maxValues).filter((value) => hasType(value, types));
}

export function isNullable(schema: JsonObject): boolean {
  return schema.nullable === true || (typesOf(schema).includes("null") && (valuesOf(schema)?.includes(null) ?? true));
}

function hasType(value: JsonValue, types: readonly string[]): boolean {
  const found = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  return types.length === 0 || types.includes(found) || (types.includes("integer") && Number.isInteger(value));
}

export function limit(value: JsonValue | undefined, otherwise: number): number {
  return typeof value === "number" ? value : otherwise;
}

/** Whether a value that was not made for the schema (a default, a tool output) fits it. Checks only the top level. */
export function fits(value: JsonValue, schema: JsonObject): boolean {
  if (value === null) return isNullable(schema);
  const values = valuesOf(schema);
  if (!hasType(value, typesOf(schema)) || (values && !values.includes(value))) return false;
  if (typeof value === "number") {
    const step = limit(schema.multipleOf, 0);
    if (step > 0 && Math.abs(value / step - Math.round(value / step)) > 1e-9) return false;
    if (value < limit(schema.minimum, -Infinity) || value > limit(schema.maximum, Infinity)) return false;
    return value > limit(schema.exclusiveMinimum, -Infinity) && value < limit(schema.exclusiveMaximum, Infinity);
  }
  if (isObject(value)) return requiredOf(schema).every((name) => Object.hasOwn(value, name));
  if (Array.isArray(value))
    return value.length >= limit(schema.minItems, 0) && value.length <= limit(schema.maxItems, Infinity);
  const length = typeof value === "string" ? Array.from(value).length : 0;
  return (
    typeof value === "boolean" || (length >= limit(schema.minLength, 0) && length <= limit(schema.maxLength, Infinity))
  );
}

/** Whether a client's value may be copied to the answer: it must not be huge, and serializing JSON is recursive. */
export function isLight(value: JsonValue | undefined, allowance: Allowance, depth = 0): boolean {
  if (depth > maxDepth || !spend(allowance, typeof value === "string" ? value.length / 1_000 : 0.1)) return false;
  if (typeof value !== "object" || value === null) return true;
  return Object.values(value).every((inner) => isLight(inner, allowance, depth + 1));
}
