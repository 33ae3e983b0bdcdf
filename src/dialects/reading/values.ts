import { isObject, type JsonObject, type JsonValue, parseJson } from "../../turn/index.ts";
import { JsonText } from "../core/json-text.ts";
import { mostSchemas, resolve } from "../core/tools.ts";
import type { TextRepair } from "../dialect.ts";

type Type = "string" | "integer" | "number" | "boolean" | "null" | "array" | "object";

/** The types of JSON Schema, and other names that people use for them. */
const knownTypes = new Map<string, Type>([
  ["string", "string"],
  ["str", "string"],
  ["text", "string"],
  ["integer", "integer"],
  ["int", "integer"],
  ["number", "number"],
  ["float", "number"],
  ["double", "number"],
  ["boolean", "boolean"],
  ["bool", "boolean"],
  ["null", "null"],
  ["array", "array"],
  ["list", "array"],
  ["tuple", "array"],
  ["object", "object"],
  ["dict", "object"],
]);
const plainNumber = /^[+-]?\d+(?:\.\d+)?$/;

export interface ReadValue {
  /** The value, as JSON text. */
  json: string;
  repairs: readonly TextRepair[];
}

/** The types that a schema allows; empty if it does not say. */
export function declaredTypes(schema: JsonObject | undefined, root: JsonObject | undefined): ReadonlySet<Type> {
  const types = new Set<Type>();
  collect({ root, types, left: mostSchemas }, schema, 0);
  return types;
}

interface Search {
  root: JsonObject | undefined;
  types: Set<Type>;
  /** How many more schemas are looked at. */
  left: number;
}

function collect(search: Search, given: JsonValue | undefined, depth: number): void {
  const { root, types } = search;
  const schema = resolve(given, root);
  if (!schema || depth > 8 || search.left-- <= 0) return;
  for (const type of Array.isArray(schema.type) ? schema.type : [schema.type]) {
    const meant = typeof type === "string" ? knownTypes.get(type.toLowerCase()) : undefined;
    if (meant) types.add(meant);
  }
  if (types.size === 0 && Array.isArray(schema.enum)) for (const value of schema.enum) types.add(typeOf(value));
  if (types.size === 0 && schema.const !== undefined) types.add(typeOf(schema.const));
  for (const key of ["anyOf", "oneOf", "allOf"]) {
    const { [key]: choices } = schema;
    if (Array.isArray(choices)) for (const choice of choices.slice(0, mostSchemas)) collect(search, choice, depth + 1);
  }
  if (types.size === 0 && isObject(schema.properties)) types.add("object");
  if (types.size === 0 && schema.items !== undefined) types.add("array");
}

function typeOf(value: JsonValue): Type {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value as Type;
}

/** Whether a value is a string whatever it looks like, so that it can be streamed. */
export function isPlainString(types: ReadonlySet<Type>): boolean {
  return types.size === 0 || (types.size === 1 && types.has("string"));
}

/** Reads a value that is written without its type, by its declared types. */
export function readValue(raw: string, types: ReadonlySet<Type>, mends = true): ReadValue {
  if (isPlainString(types)) return { json: JSON.stringify(raw), repairs: [] };
  const trimmed = raw.trim();
  const asJson = readJson(trimmed, mends);
  if (asJson && fits(asJson.value, types)) return { json: asJson.json, repairs: asJson.repairs };
  const plain = plainReading(trimmed, types, asJson);
  if (plain !== undefined) return { json: plain, repairs: [] };
  const unescaped = unescapedReading(trimmed, types);
  if (unescaped !== undefined) return { json: unescaped, repairs: ["double_encoded"] };
  return { json: JSON.stringify(raw), repairs: types.has("string") ? [] : ["not_declared_type"] };
}

function fits(value: JsonValue, types: ReadonlySet<Type>): boolean {
  const type = typeOf(value);
  // If a string is allowed, the quotes are part of it.
  if (type === "string") return false;
  return types.has(type) || (type === "integer" && types.has("number"));
}

function plainReading(text: string, types: ReadonlySet<Type>, asJson: ReadJson | undefined): string | undefined {
  const folded = text.toLowerCase();
  const isString = types.has("string");
  // If a string is allowed, only JSON's own word means null.
  if (types.has("null") && (folded === "null" || (folded === "none" && !isString))) return "null";
  if (!isString && (types.has("integer") || types.has("number")) && plainNumber.test(text)) {
    const value = Number(text);
    if (types.has("number") || Number.isInteger(value)) return JSON.stringify(value);
  }
  if (!isString && types.has("boolean")) {
    if (folded === "true" || folded === "1") return "true";
    if (folded === "false" || folded === "0") return "false";
  }
  const { value, repairs } = asJson ?? noValue;
  // A value in quotes though no string is declared.
  if (typeof value === "string" && repairs.length === 0 && !isString) {
    const inside = readJson(value.trim());
    if (inside && fits(inside.value, types)) return inside.json;
  }
  return undefined;
}

/** Reads a value whose quotes are escaped, as inside a string. */
function unescapedReading(text: string, types: ReadonlySet<Type>): string | undefined {
  const unescaped = text.includes('\\"') && !types.has("string") ? parseJson(`"${text}"`) : undefined;
  if (typeof unescaped !== "string") return undefined;
  const value = parseJson(unescaped);
  return value !== undefined && fits(value, types) ? unescaped : undefined;
}

/** A longer value is not repaired: it is read in one step, which must be short. */
const longestRepaired = 256 * 1024;

/** How JSON begins. Most values are no JSON, and a failed attempt to parse them is slow. */
const beginning = /^[[{"\d\-tfn]/;

interface ReadJson {
  json: string;
  value: JsonValue;
  repairs: readonly TextRepair[];
}

const noValue = { value: undefined, repairs: [] };

/** Parses one JSON value and repairs errors that have only one possible repair. */
function readJson(text: string, mends = true): ReadJson | undefined {
  const strict = beginning.test(text) ? parseJson(text) : undefined;
  if (strict !== undefined) return { json: text, value: strict, repairs: [] };
  if (!mends || text.length > longestRepaired) return undefined;
  const repairs: TextRepair[] = [];
  const json = new JsonText(true, (repair) => {
    if (!repairs.includes(repair)) repairs.push(repair);
    return true;
  });
  const end = json.read(text, 0);
  json.end();
  if (!json.isDone || end < text.length) return undefined;
  const mended = json.take();
  const value = parseJson(mended);
  return value === undefined ? undefined : { json: mended, value, repairs };
}
