import fc from "fast-check";
import { isObject, type JsonObject, type JsonValue } from "../../../src/turn/index.ts";

const names = fc.oneof(
  fc.constantFrom(
    "location",
    "city",
    "query",
    "limit",
    "email",
    "date",
    "from",
    "to",
    "id",
    "command",
    "__proto__",
    "x",
  ),
  fc.string({ minLength: 1, maxLength: 8 }),
);

const strings: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.constant({ type: "string" }),
  fc.record({ type: fc.constant("string"), enum: fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 4 }) }),
  fc.record({
    type: fc.constant("string"),
    format: fc.constantFrom("date", "date-time", "email", "uri", "uuid", "odd"),
  }),
  fc
    .tuple(fc.nat({ max: 20 }), fc.nat({ max: 20 }))
    .map(([a, b]) => ({ type: "string", minLength: Math.min(a, b), maxLength: Math.max(a, b) })),
  fc.record({ type: fc.constant("string"), default: fc.oneof(fc.string(), fc.integer()) }),
);

const numbers: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.constantFrom({ type: "number" }, { type: "integer" }),
  fc
    .tuple(fc.integer({ min: -50, max: 50 }), fc.nat({ max: 100 }), fc.constantFrom("number", "integer"))
    .map(([low, width, type]) => ({ type, minimum: low, maximum: low + width })),
  fc
    .tuple(fc.integer({ min: -50, max: 50 }), fc.integer({ min: 2, max: 100 }), fc.constantFrom("number", "integer"))
    .map(([low, width, type]) => ({ type, exclusiveMinimum: low, exclusiveMaximum: low + width })),
  fc.record({ type: fc.constant("integer"), multipleOf: fc.integer({ min: 1, max: 9 }), minimum: fc.nat({ max: 30 }) }),
);

const plain: fc.Arbitrary<JsonObject> = fc.oneof(
  strings,
  numbers,
  fc.constantFrom<JsonObject[]>(
    { type: "boolean" },
    { type: "null" },
    { const: "fixed" },
    { const: 7 },
    { enum: [3, null] },
  ),
);

/** Schemas as tools have them, each of which some value satisfies. */
export const schemas = fc.letrec<{ any: JsonObject; object: JsonObject }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    plain,
    plain.map((schema) => ({ anyOf: [schema, { type: "null" }] })),
    strings.map((schema) => ({ ...schema, type: ["string", "null"] })),
    fc
      .record({ items: tie("any"), minItems: fc.nat({ max: 3 }), more: fc.nat({ max: 3 }) })
      .map(({ items, minItems, more }) => ({ type: "array", items, minItems, maxItems: minItems + more })),
    tie("object"),
    tie("object").map((schema) => ({ allOf: [schema, { type: "object" }] })),
    tie("any").map((schema) => ({ oneOf: [schema, { type: "object", properties: {}, required: ["never"] }] })),
  ),
  object: fc
    .record({
      properties: fc.uniqueArray(fc.tuple(names, tie("any"), fc.boolean()), {
        maxLength: 4,
        selector: ([name]) => name,
      }),
      additionalProperties: fc.boolean(),
    })
    .map(({ properties, additionalProperties }) => ({
      type: "object",
      properties: Object.fromEntries(properties.map(([name, schema]) => [name, schema])),
      required: properties.filter(([, , required]) => required).map(([name]) => name),
      additionalProperties,
    })),
})).object;

/** A plain reading of JSON Schema, apart from the product's. Gives the path of the first mismatch. */
export function mismatch(value: JsonValue | undefined, schema: JsonObject, path = "$"): string | undefined {
  if (value === undefined) return `${path}: missing`;
  const inner = [schema.anyOf, schema.oneOf].find(Array.isArray);
  if (inner)
    return inner.some((one) => isObject(one) && !mismatch(value, one, path)) ? undefined : `${path}: no branch`;
  if (Array.isArray(schema.allOf)) {
    return schema.allOf.map((one) => (isObject(one) ? mismatch(value, one, path) : undefined)).find(Boolean);
  }
  const types = [schema.type ?? []].flat();
  if (types.length > 0 && !types.some((type) => hasType(value, type))) return `${path}: type`;
  if ("const" in schema && value !== schema.const) return `${path}: const`;
  if (Array.isArray(schema.enum) && !schema.enum.includes(value)) return `${path}: enum`;
  if (typeof value === "string") {
    const length = [...value].length;
    if (length < at(schema.minLength, 0) || length > at(schema.maxLength, 1e9)) return `${path}: length`;
  }
  if (typeof value === "number") {
    if (value < at(schema.minimum, -1e9) || value > at(schema.maximum, 1e9)) return `${path}: range`;
    if (value <= at(schema.exclusiveMinimum, -1e9) || value >= at(schema.exclusiveMaximum, 1e9))
      return `${path}: range`;
    if (value % at(schema.multipleOf, value || 1) !== 0) return `${path}: multipleOf`;
  }
  if (Array.isArray(value)) {
    if (value.length < at(schema.minItems, 0) || value.length > at(schema.maxItems, 1e9)) return `${path}: items`;
    const { items } = schema;
    return value.map((item, i) => (isObject(items) ? mismatch(item, items, `${path}[${i}]`) : undefined)).find(Boolean);
  }
  return isObject(value) ? objectMismatch(value, schema, path) : undefined;
}

function objectMismatch(value: JsonObject, schema: JsonObject, path: string): string | undefined {
  const properties = isObject(schema.properties) ? schema.properties : {};
  for (const name of [schema.required ?? []].flat()) {
    if (!Object.hasOwn(value, String(name))) return `${path}.${name}: required`;
  }
  for (const [name, member] of Object.entries(value)) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (!isObject(property)) {
      if (schema.additionalProperties === false) return `${path}.${name}: additional`;
      continue;
    }
    const wrong = mismatch(member, property, `${path}.${name}`);
    if (wrong) return wrong;
  }
  return undefined;
}

function at(value: JsonValue | undefined, otherwise: number): number {
  return typeof value === "number" ? value : otherwise;
}

function hasType(value: JsonValue, type: JsonValue): boolean {
  if (type === "integer") return Number.isInteger(value);
  if (type === "array") return Array.isArray(value);
  if (type === "null") return value === null;
  return type === "object" ? isObject(value) : typeof value === type;
}
