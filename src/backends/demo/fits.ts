import { isObject, type JsonObject, type JsonValue } from "../../turn/index.ts";
import { type Allowance, alternatives, propertiesOf, requiredOf, resolve, type SchemaType, typesOf } from "./schema.ts";

const maxDepth = 24;

/** Whether a value that was not made for the schema (a default, an example, a fact) may stand in it. */
export function fits(value: JsonValue, schema: JsonObject, root: JsonObject, allowance: Allowance, depth = 0): boolean {
  if (depth > maxDepth || !allowance.spend(1)) return false;
  const options = alternatives(schema, root, allowance);
  if (options.length > 0) return options.some((option) => fits(value, option, root, allowance, depth + 1));
  const types = typesOf(schema);
  if (types.length > 0 && !types.some((type) => isOfType(value, type))) return false;
  if (schema.const !== undefined && !isSame(value, schema.const)) return false;
  if (Array.isArray(schema.enum)) {
    allowance.spend(schema.enum.length / 64);
    if (!schema.enum.slice(0, 1_000).some((allowed) => isSame(value, allowed))) return false;
  }
  if (typeof value === "string") return fitsText(value, schema);
  if (typeof value === "number") return fitsNumber(value, schema);
  if (Array.isArray(value)) {
    if (value.length < limit(schema.minItems, 0) || value.length > limit(schema.maxItems, Infinity)) return false;
    const items = resolve(schema.items, root, allowance);
    return value.every((item) => fits(item, items, root, allowance, depth + 1));
  }
  if (isObject(value)) return fitsObject(value, schema, root, allowance, depth);
  return true;
}

function fitsObject(
  value: JsonObject,
  schema: JsonObject,
  root: JsonObject,
  allowance: Allowance,
  depth: number,
): boolean {
  if (!requiredOf(schema).every((name) => Object.hasOwn(value, name))) return false;
  const properties = new Map(propertiesOf(schema, allowance));
  return Object.entries(value).every(([name, inner]) => {
    const property = properties.get(name);
    if (property === undefined && schema.additionalProperties === false) return false;
    return inner === undefined || fits(inner, resolve(property, root, allowance), root, allowance, depth + 1);
  });
}

export function isOfType(value: JsonValue, type: SchemaType): boolean {
  if (type === "integer") return typeof value === "number" && Number.isInteger(value);
  if (type === "array") return Array.isArray(value);
  if (type === "object") return isObject(value);
  if (type === "null") return value === null;
  return typeof value === type;
}

export function limit(value: JsonValue | undefined, otherwise: number): number {
  return typeof value === "number" ? value : otherwise;
}

export function fitsText(value: string, schema: JsonObject): boolean {
  const length = Array.from(value).length;
  return length >= limit(schema.minLength, 0) && length <= limit(schema.maxLength, Infinity);
}

function fitsNumber(value: number, schema: JsonObject): boolean {
  if (value < limit(schema.minimum, -Infinity) || value > limit(schema.maximum, Infinity)) return false;
  return value > limit(schema.exclusiveMinimum, -Infinity) && value < limit(schema.exclusiveMaximum, Infinity);
}

function isSame(a: JsonValue, b: JsonValue, depth = 0): boolean {
  if (a === b) return true;
  if (depth > maxDepth || typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  const [keys, others] = [Object.keys(a), Object.keys(b)];
  if (Array.isArray(a) !== Array.isArray(b) || keys.length !== others.length) return false;
  const [left, right] = [new Map(Object.entries(a)), new Map(Object.entries(b))];
  return keys.every((key) => {
    const [one, other] = [left.get(key), right.get(key)];
    return one !== undefined && other !== undefined && isSame(one, other, depth + 1);
  });
}

/**
 * The size of a value of the client, about in characters. Infinite when it is too deep to be given back: JSON text is
 * written by recursion.
 */
export function weightOf(value: JsonValue, depth = 0): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null) return 4;
  if (depth > maxDepth) return Infinity;
  let weight = 2;
  for (const [key, inner] of Object.entries(value)) {
    if (inner !== undefined) weight += key.length + weightOf(inner, depth + 1);
  }
  return weight;
}
