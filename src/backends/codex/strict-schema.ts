import { isObject, type JsonObject, type JsonValue } from "../../turn/index.ts";

/**
 * Whether an answer can be held to the schema strictly without changing what it means: the service then wants every property
 * required and no other allowed.
 */
export function isStrict(schema: JsonObject): boolean {
  return fits(schema);
}

function fits(node: JsonValue | undefined): boolean {
  if (Array.isArray(node)) return node.every(fits);
  if (!isObject(node)) return true;
  const { properties, required, type } = node;
  if (type === "object" && !isObject(properties)) return node.additionalProperties === false;
  if (isObject(properties)) {
    const names = Array.isArray(required) ? required : [];
    const isClosed = node.additionalProperties === false;
    if (!isClosed || !Object.keys(properties).every((name) => names.includes(name))) return false;
    if (!Object.values(properties).every(fits)) return false;
  }
  return Object.entries(node).every(([key, value]) => key === "properties" || literal.has(key) || fits(value));
}

/** Keywords whose values are no schemas. */
const literal = new Set(["enum", "const", "default", "examples", "required"]);
