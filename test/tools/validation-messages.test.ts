import { describe, expect, it } from "vitest";
import { ArgumentChecks } from "../../src/tools/validation/index.ts";
import type { JsonObject, JsonValue } from "../../src/turn/index.ts";

function told(parameters: JsonObject, value: JsonValue): string | undefined {
  const mismatch = new ArgumentChecks([{ type: "function", name: "tool", parameters }]).check("tool", value);
  return mismatch && `${mismatch.path} ${mismatch.message}`;
}

const weather = {
  type: "object",
  properties: {
    city: { type: "string", minLength: 1, pattern: "^[A-Z]" },
    unit: { type: "string", enum: ["celsius", "fahrenheit"] },
    days: { type: "integer", minimum: 1, maximum: 10 },
    at: { type: ["string", "null"], format: "date-time" },
    tags: { type: "array", items: { type: "string" }, uniqueItems: true, maxItems: 3 },
    place: { type: "object", properties: { zip: { type: "string" } }, additionalProperties: false },
  },
  required: ["city", "unit"],
  additionalProperties: false,
};
const rome = { city: "Rome", unit: "celsius" };

describe("a model is told what is wrong, and where", () => {
  it.each<[value: JsonValue, told: string]>([
    [{ unit: "celsius" }, "/city is required but missing"],
    [{}, '/city is required but missing (missing too: "unit")'],
    [{ ...rome, city: 5 }, "/city must be a string, but is a number"],
    [{ ...rome, city: "" }, "/city must have at least 1 character"],
    [{ ...rome, city: "rome" }, '/city must match the pattern "^[A-Z]"'],
    [{ ...rome, unit: "kelvin" }, '/unit is not one of "celsius", "fahrenheit"'],
    [{ ...rome, days: 1.5 }, "/days must be an integer, but is a fraction"],
    [{ ...rome, days: "1" }, "/days must be an integer, but is a string"],
    [{ ...rome, days: 0 }, "/days must be at least 1"],
    [{ ...rome, days: 11 }, "/days must be at most 10"],
    [{ ...rome, at: 5 }, "/at must be a string or null, but is a number"],
    [{ ...rome, at: "noon" }, "/at must be a date and time such as 2025-01-31T12:00:00Z"],
    [{ ...rome, tags: "a" }, "/tags must be an array, but is a string"],
    [{ ...rome, tags: ["a", null] }, "/tags/1 must be a string, but is null"],
    [{ ...rome, tags: ["a", "a"] }, "/tags must not contain the same item twice"],
    [{ ...rome, tags: ["a", "b", "c", "d"] }, "/tags must have at most 3 items"],
    [{ ...rome, town: "x" }, "/town must not be there: the tool has no parameter of this name"],
    [{ ...rome, place: { city: "x" } }, "/place/city must not be there: the object has no property of this name"],
    [[], " must be an object, but are an array"],
    ["Rome", " must be an object, but are a string"],
  ])("%j", (value, words) => {
    expect(told(weather, value)).toBe(words);
  });

  it.each<[schema: JsonObject, value: JsonValue, told: string]>([
    [{ const: "x" }, "y", ' must be "x"'],
    [{ exclusiveMinimum: 1 }, 1, " must be greater than 1"],
    [{ exclusiveMaximum: 1 }, 1, " must be less than 1"],
    [{ multipleOf: 2 }, 1, " must be a multiple of 2"],
    [{ maxLength: 1 }, "ab", " must have at most 1 character"],
    [{ minItems: 1 }, [], " must have at least 1 item"],
    [{ minProperties: 1 }, {}, " must have at least 1 property"],
    [{ maxProperties: 0 }, { a: 1 }, " must have at most 0 properties"],
    [{ contains: { type: "string" } }, [1], " must contain an item of the kind that its schema demands"],
    [
      { propertyNames: { maxLength: 2 } },
      { abc: 1 },
      "/abc has a name that does not fit: it must have at most 2 characters",
    ],
    [{ dependentRequired: { a: ["b"] } }, { a: 1 }, '/b is required beside "a" but missing'],
    [{ items: false }, [1], "/0 must not be there: the list has no room for it"],
    [{ properties: { a: false } }, { a: 1 }, "/a must not be there"],
    [{ additionalProperties: { not: {} } }, { a: 1 }, "/a must not be what its schema excludes (`not`)"],
    [{ not: { type: "string" } }, "a", " must not be what its schema excludes (`not`)"],
    [
      { oneOf: [{ minimum: 0 }, { maximum: 9 }] },
      5,
      " must fit only one of the alternatives of its schema, but fits several",
    ],
    [
      { $ref: "#/$defs/a", $defs: { a: { items: { $ref: "#/$defs/b" } }, b: { type: "null" } } },
      [1],
      "/0 must be null, but is a number",
    ],
    [{ patternProperties: { "^x": { type: "null" } } }, { x1: 1 }, "/x1 must be null, but is a number"],
    [{ properties: { "a/b~ c%": { type: "null" } } }, { "a/b~ c%": 1 }, "/a~1b~0 c% must be null, but is a number"],
    [{ properties: { anyOf: { type: "null" } } }, { anyOf: 1 }, "/anyOf must be null, but is a number"],
  ])("%j of %j", (schema, value, words) => {
    expect(told(schema, value)).toBe(words);
  });
});

describe("of alternatives the model is told about the one that it meant", () => {
  const shapes = {
    properties: {
      shape: {
        anyOf: [
          {
            type: "object",
            properties: { kind: { const: "circle" }, radius: { type: "number" } },
            required: ["radius"],
          },
          { type: "object", properties: { kind: { const: "square" }, side: { type: "number" } }, required: ["side"] },
          { type: "null" },
        ],
      },
    },
  };

  it.each<[value: JsonValue, told: string]>([
    [{ kind: "square", side: "1" }, "/shape/side must be a number, but is a string"],
    [{ kind: "circle" }, "/shape/radius is required but missing"],
    [{ kind: "line" }, '/shape/kind is not one of "circle", "square"'],
    ["circle", "/shape must be an object or null, but is a string"],
  ])("%j", (shape, words) => {
    expect(told(shapes, { shape })).toBe(words);
  });

  it("and what is wrong anyway comes first", () => {
    const schema = { anyOf: [{ required: ["a"] }, { required: ["b"] }], properties: { c: { type: "string" } } };
    expect(told(schema, { c: 1 })).toBe("/c must be a string, but is a number");
  });

  it("also where the alternatives are values", () => {
    expect(told({ anyOf: [{ const: "a" }, { const: "b" }] }, "c")).toBe(' is not one of "a", "b"');
  });

  it("and alternatives inside alternatives", () => {
    const schema = {
      anyOf: [{ type: "null" }, { type: "array", items: { anyOf: [{ type: "null" }, { type: "string" }] } }],
    };
    expect(told(schema, [1])).toBe("/0 must be null or a string, but is a number");
  });
});

describe("what is told is short and keeps secrets", () => {
  const secret = "s3cret";

  it("no value of an argument is in it", () => {
    const schemas: JsonObject[] = [
      { const: "x" },
      { pattern: "^x" },
      { format: "date" },
      { maxLength: 1 },
      { type: "number" },
      { enum: [1, 2] },
      { not: {} },
      { anyOf: [{ const: 1 }, { type: "null" }] },
    ];
    for (const schema of schemas) {
      expect(told(schema, secret)).not.toContain(secret);
      expect(told({ properties: { a: schema } }, { a: secret })).not.toContain(secret);
      expect(told({ items: schema }, [secret])).not.toContain(secret);
    }
    expect(told({ maximum: 1 }, 12345)).not.toContain("12345");
    expect(told({ uniqueItems: true }, [secret, secret])).not.toContain(secret);
  });

  it.each<[string, JsonObject, JsonValue]>([
    ["many values", { enum: Array.from({ length: 900 }, (_, index) => `value ${index}`) }, 1],
    ["a long value", { const: "x".repeat(50_000) }, 1],
    ["a long pattern", { pattern: `^${"x".repeat(900)}$` }, "a"],
    ["many missing properties", { required: Array.from({ length: 900 }, (_, index) => `property ${index}`) }, {}],
    ["a long name", { additionalProperties: false }, { ["x".repeat(5_000)]: 1 }],
    ["a long missing name", { required: ["x".repeat(50_000)] }, {}],
  ])("%s", (_, schema, value) => {
    const words = told(schema, value) ?? "";
    expect(words.length).toBeGreaterThan(10);
    expect(words.length).toBeLessThan(450);
  });
});
