import { isObject, type JsonObject, type JsonValue } from "../../turn/index.ts";

/**
 * Whether strict mode leaves the meaning of the schema unchanged. In strict mode the service requires every property and allows no
 * others.
 */
export function isStrict(schema: JsonObject): boolean {
  return schema.type === "object" && schema.anyOf === undefined && fits(schema);
}

function fits(node: JsonValue | undefined): boolean {
  if (Array.isArray(node)) return node.every(fits);
  if (!isObject(node)) return true;
  const { properties, required, type } = node;
  if (Object.keys(node).some((key) => refused.has(key))) return false;
  if (type === "object" && !isObject(properties)) return node.additionalProperties === false;
  if (isObject(properties)) {
    const names = Array.isArray(required) ? required : [];
    const isClosed = node.additionalProperties === false;
    if (!isClosed || !Object.keys(properties).every((name) => names.includes(name))) return false;
    if (!Object.values(properties).every(fits)) return false;
  }
  return Object.entries(node).every(([key, value]) => {
    if (named.has(key)) return !isObject(value) || Object.values(value).every(fits);
    return key === "properties" || literal.has(key) || fits(value);
  });
}

/** Keywords that the service refuses in a strict schema. */
const refused = new Set(
  "allOf oneOf not if then else dependentRequired dependentSchemas patternProperties propertyNames prefixItems contains".split(
    " ",
  ),
);
const named = new Set(["$defs", "definitions"]);

/** Keywords whose values are not schemas. */
const literal = new Set(["enum", "const", "default", "examples", "required"]);
