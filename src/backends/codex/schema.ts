import { isObject, type JsonObject, type JsonValue } from "../../turn/index.ts";

/** Codex removes descriptions, definitions and nested levels from a schema longer than this, in bytes. */
const longestKept = 4_900;
/** More would take too much of the model's context. */
const longestQuoted = 64 * 1024;

/** How a tool is described to Codex. Codex keeps descriptions whole, so that they can state what the schema loses. */
export interface Described {
  description: string;
  inputSchema: JsonObject;
}

export function describeTool(description: string | undefined, parameters: JsonObject | undefined): Described {
  const words = description ?? "";
  if (!parameters) return { description: words, inputSchema: { type: "object", properties: {} } };
  const inputSchema = acceptedSchema(parameters);
  const json = JSON.stringify(parameters);
  const isLost = losesKeywords(parameters) || Buffer.byteLength(JSON.stringify(inputSchema)) > longestKept;
  const isQuoted = isLost && json.length <= longestQuoted;
  const whole = `The arguments are a JSON object that fits this JSON Schema: ${json}`;
  return { description: isQuoted ? `${words}${words === "" ? "" : "\n\n"}${whole}` : words, inputSchema };
}

/** Keywords that Codex keeps, and keywords that mean nothing to a model. */
const kept = new Set(
  "type description enum const items minItems properties required additionalProperties anyOf oneOf allOf $ref $defs definitions".split(
    " ",
  ),
);
const meaningless = new Set("title $schema $id $comment deprecated readOnly writeOnly".split(" "));
/** Codex keeps a description only beside one of these. */
const typed = ["type", "enum", "const", "properties", "items", "anyOf", "oneOf", "allOf", "$ref"];

/** Whether Codex would remove something from the schema that a model should know. */
function losesKeywords(schema: JsonValue | undefined): boolean {
  if (Array.isArray(schema)) return schema.some(losesKeywords);
  if (!isObject(schema)) return false;
  const keys = Object.keys(schema).filter((key) => !meaningless.has(key));
  if (keys.some((key) => !kept.has(key))) return true;
  if (keys.includes("description") && !typed.some((key) => key in schema)) return true;
  return keys.some((key) => {
    const value = schema[key];
    if (namesSchemas.has(key)) return isObject(value) && Object.values(value).some(losesKeywords);
    return holdsSchemas.has(key) && losesKeywords(value);
  });
}

const namesSchemas = new Set(["properties", "$defs", "definitions"]);
const holdsSchemas = new Set(["items", "additionalProperties", "anyOf", "oneOf", "allOf"]);

/** The root must be an object. If it is anything else, the model sees only an empty object schema. */
function acceptedSchema(root: JsonObject): JsonObject {
  const accepted = node(root);
  const isOpen = isObject(accepted) && (accepted.type === undefined || accepted.type === "object");
  return isOpen ? accepted : { type: "object", properties: {} };
}

/**
 * Codex interprets schemas in its own way: it treats `true` as a string, as well as a value without a type or a list without items,
 * and some shapes make it refuse the whole request. These are rewritten in a form that Codex leaves alone.
 */
function node(schema: JsonValue): JsonValue {
  if (!isObject(schema)) return {};
  const { const: only, required, properties, items, ...rest } = schema;
  const accepted: JsonObject = {};
  for (const [key, value] of Object.entries(rest)) if (value !== undefined) accepted[key] = keyword(key, value);
  if (only !== undefined) accepted.enum = [only];
  if (Array.isArray(accepted.enum) && accepted.type === undefined) accepted.type = typeOf(accepted.enum);
  if (isObject(properties)) accepted.properties = each(properties);
  if (Array.isArray(required)) accepted.required = required.filter((name) => typeof name === "string");
  if (items !== undefined || accepted.type === "array") accepted.items = isObject(items) ? node(items) : {};
  return accepted;
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

/** The type that all values share; if they differ, all their types. */
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
