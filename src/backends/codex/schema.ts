import { isObject, type JsonObject, type JsonValue } from "../../turn/index.ts";

/** Codex takes descriptions, definitions and depth out of a schema that is longer, in bytes. */
const longestKept = 4_900;
/** More would crowd the model's view. */
const longestTold = 64 * 1024;

/** What a tool is described by: Codex keeps a description whole, so that it can say what the schema cannot. */
export interface Described {
  description: string;
  inputSchema: JsonObject;
}

export function describeTool(description: string | undefined, parameters: JsonObject | undefined): Described {
  const words = description ?? "";
  if (!parameters) return { description: words, inputSchema: { type: "object", properties: {} } };
  const inputSchema = asTaken(parameters);
  const json = JSON.stringify(parameters);
  const isLost = losesWords(parameters) || Buffer.byteLength(JSON.stringify(inputSchema)) > longestKept;
  const isTold = isLost && json.length <= longestTold;
  const whole = `The arguments are a JSON object that fits this JSON Schema: ${json}`;
  return { description: isTold ? `${words}${words === "" ? "" : "\n\n"}${whole}` : words, inputSchema };
}

/** What Codex leaves in a schema, and what says nothing to a model anyway. */
const kept = new Set(
  "type description enum const items minItems properties required additionalProperties anyOf oneOf allOf $ref $defs definitions".split(
    " ",
  ),
);
const empty = new Set("title $schema $id $comment deprecated readOnly writeOnly".split(" "));
/** Beside one of these a description stays. */
const typed = ["type", "enum", "const", "properties", "items", "anyOf", "oneOf", "allOf", "$ref"];

/** Whether Codex would take something out of the schema that a model should know. */
function losesWords(schema: JsonValue | undefined): boolean {
  if (Array.isArray(schema)) return schema.some(losesWords);
  if (!isObject(schema)) return false;
  const keys = Object.keys(schema).filter((key) => !empty.has(key));
  if (keys.some((key) => !kept.has(key))) return true;
  if (keys.includes("description") && !typed.some((key) => key in schema)) return true;
  return keys.some((key) => {
    const value = schema[key];
    if (namesSchemas.has(key)) return isObject(value) && Object.values(value).some(losesWords);
    return holdsSchemas.has(key) && losesWords(value);
  });
}

const namesSchemas = new Set(["properties", "$defs", "definitions"]);
const holdsSchemas = new Set(["items", "additionalProperties", "anyOf", "oneOf", "allOf"]);

/** The root has to be an object: whatever else it is, the model is told no more than that. */
function asTaken(root: JsonObject): JsonObject {
  const taken = node(root);
  const isOpen = isObject(taken) && (taken.type === undefined || taken.type === "object");
  return isOpen ? taken : { type: "object", properties: {} };
}

/**
 * Codex reads a schema by its own lights: `true` is a string to it, as is a value without a type or a list without items, and
 * some shapes make it refuse the whole request. So these are written in a way that it leaves alone.
 */
function node(schema: JsonValue): JsonValue {
  if (!isObject(schema)) return {};
  const { const: only, required, properties, items, ...rest } = schema;
  const taken: JsonObject = {};
  for (const [key, value] of Object.entries(rest)) if (value !== undefined) taken[key] = keyword(key, value);
  if (only !== undefined) taken.enum = [only];
  if (Array.isArray(taken.enum) && taken.type === undefined) taken.type = typeOf(taken.enum);
  if (isObject(properties)) taken.properties = each(properties);
  if (Array.isArray(required)) taken.required = required.filter((name) => typeof name === "string");
  if (items !== undefined || taken.type === "array") taken.items = isObject(items) ? node(items) : {};
  return taken;
}

const ofSchemas = new Set(["anyOf", "oneOf", "allOf"]);
const ofNamedSchemas = new Set(["$defs", "definitions"]);

function keyword(key: string, value: JsonValue): JsonValue {
  if (ofSchemas.has(key) && Array.isArray(value)) return value.map(node);
  if (ofNamedSchemas.has(key) && isObject(value)) return each(value);
  if (key === "additionalProperties" && isObject(value)) return node(value);
  return value;
}

function each(schemas: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, node(schema ?? {})]));
}

/** The one type that all values have; where they differ, all of theirs. */
function typeOf(values: readonly JsonValue[]): JsonValue {
  const types = [...new Set(values.map(kindOf))];
  return types.length === 1 ? (types[0] ?? "string") : types;
}

function kindOf(value: JsonValue): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
}
