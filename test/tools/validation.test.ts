import { describe, expect, it } from "vitest";
import { ArgumentChecks } from "../../src/tools/validation/index.ts";
import type { JsonObject, JsonValue, Tool } from "../../src/turn/index.ts";

function tool(parameters: JsonObject | undefined, more: { name?: string; strict?: boolean } = {}): Tool {
  return { type: "function", name: "tool", parameters, ...more };
}

function check(parameters: JsonObject, value: JsonValue) {
  return new ArgumentChecks([tool(parameters)]).check("tool", value);
}

/** Keywords as JSON text, because some of them mean something else in a program. */
const parse = (text: string) => JSON.parse(text);

const tree = { properties: { name: { type: "string" }, children: { items: { $ref: "#" } } }, required: ["name"] };

const union = {
  oneOf: [
    { properties: { kind: { const: "circle" }, radius: { type: "number" } }, required: ["kind", "radius"] },
    { properties: { kind: { const: "square" }, side: { type: "number" } }, required: ["kind", "side"] },
  ],
};

describe("arguments fit a schema as JSON Schema has it", () => {
  it.each<[keyword: string, schema: JsonObject, fits: JsonValue[], fitsNot: JsonValue[]]>([
    ["nothing", {}, [null, 1, "a", [], {}], []],
    ["type", { type: "string" }, ["", "a"], [1, null, [], {}, true]],
    ["type: number", { type: "number" }, [1, 1.5, -0], ["1", null]],
    ["type: integer", { type: "integer" }, [1, 1.0, -3, 1e20], [1.5, "1"]],
    ["type: boolean", { type: "boolean" }, [true, false], [0, "true"]],
    ["type: array", { type: "array" }, [[], [1]], [{}, null]],
    ["type: object", { type: "object" }, [{}, { a: 1 }], [[], null]],
    ["type: null", { type: "null" }, [null], [0, "", {}]],
    ["types", { type: ["string", "null"] }, ["a", null], [1, {}]],
    ["a type and OpenAPI's nullable", { type: "string", nullable: true }, ["a", null], [1]],
    [
      "OpenAPI's nullable beside a reference",
      { items: { $ref: "#/$defs/a", nullable: true }, $defs: { a: { type: "string" } } },
      [["a", null]],
      [[1]],
    ],
    ["OpenAPI's nullable beside anyOf", { anyOf: [{ type: "string" }], nullable: true }, ["a", null], [1]],
    ["OpenAPI's nullable beside oneOf", { oneOf: [{ type: "string" }], nullable: true }, ["a", null], [1]],
    [
      "OpenAPI's nullable beside allOf",
      { type: "string", allOf: [{ type: "string" }, { minLength: 2 }], nullable: true },
      ["ab", null],
      ["a", 1],
    ],
    ["nullable that is false", { anyOf: [{ type: "string" }], nullable: false }, ["a"], [null]],
    ["enum", { enum: ["a", 1, null, { b: [1] }] }, ["a", 1, null, { b: [1] }], ["b", 2, { b: [2] }, {}, []]],
    ["const", { const: { a: 1, b: 2 } }, [{ b: 2, a: 1 }], [{ a: 1 }, 1]],
    ["const: null", { const: null }, [null], [0, {}]],
    ["enum and const", { enum: [1, 2], const: 2 }, [2], [1, 3]],
    ["minimum", { minimum: 1 }, [1, 2, "a"], [0, 0.99]],
    ["maximum", { maximum: 1 }, [1, 0], [2]],
    ["exclusiveMinimum", { exclusiveMinimum: 1 }, [1.1], [1, 0]],
    ["exclusiveMaximum", { exclusiveMaximum: 1 }, [0.9], [1, 2]],
    ["exclusiveMinimum of draft 4", { minimum: 1, exclusiveMinimum: true }, [2], [1]],
    ["exclusiveMaximum of draft 4", { maximum: 1, exclusiveMaximum: true }, [0], [1]],
    ["multipleOf", { multipleOf: 0.1 }, [0.3, 1, "a"], [0.35]],
    ["minLength", { minLength: 2 }, ["ab", "😀😀", 1], ["a", "😀"]],
    ["maxLength", { maxLength: 2 }, ["ab", "😀😀"], ["abc", "😀😀😀"]],
    ["pattern", { pattern: "^a+$" }, ["a", "aaa", 1], ["b", "ab", ""]],
    ["pattern anywhere", { pattern: "b" }, ["abc"], ["ac"]],
    ["format", { format: "date" }, ["2024-02-29", 1], ["2023-02-29", "today"]],
    ["format that is not checked", { format: "uri" }, ["whatever"], []],
    ["required", { required: ["a"] }, [{ a: null }, []], [{}, { b: 1 }]],
    ["properties", { properties: { a: { type: "string" } } }, [{ a: "x" }, {}, { b: 1 }], [{ a: 1 }]],
    ["false in properties", { properties: { a: false } }, [{}], [{ a: 1 }]],
    ["additionalProperties: false", { properties: { a: true }, additionalProperties: false }, [{ a: 1 }], [{ b: 1 }]],
    ["additionalProperties", { additionalProperties: { type: "string" } }, [{ a: "x" }], [{ a: 1 }]],
    [
      "patternProperties",
      {
        properties: { x1: { minimum: 5 } },
        patternProperties: { "^x": { type: "number" } },
        additionalProperties: false,
      },
      [{ x: 1 }, { x1: 5 }],
      [{ x: "a" }, { x1: 4 }, { x1: "a" }, { y: 1 }],
    ],
    ["propertyNames", { propertyNames: { pattern: "^[a-z]$" } }, [{ a: 1 }], [{ A: 1 }]],
    ["minProperties", { minProperties: 1 }, [{ a: 1 }], [{}]],
    ["maxProperties", { maxProperties: 1 }, [{ a: 1 }], [{ a: 1, b: 1 }]],
    ["dependentRequired", { dependentRequired: { a: ["b"] } }, [{}, { a: 1, b: 1 }], [{ a: 1 }]],
    ["dependentSchemas", { dependentSchemas: { a: { required: ["b"] } } }, [{ b: 1 }, { a: 1, b: 1 }], [{ a: 1 }]],
    ["dependencies", { dependencies: { a: ["b"], c: { minProperties: 2 } } }, [{ a: 1, b: 1 }], [{ a: 1 }, { c: 1 }]],
    ["items", { items: { type: "string" } }, [[], ["a"]], [[1], ["a", 1]]],
    ["items: false", { items: false }, [[]], [[1]]],
    ["prefixItems", { prefixItems: [{ type: "string" }], items: false }, [["a"], []], [[1], ["a", 1]]],
    ["a list of items", { items: [{ type: "string" }], additionalItems: false }, [["a"], []], [[1], ["a", 1]]],
    ["contains", { contains: { type: "string" } }, [[1, "a"]], [[], [1]]],
    ["minContains", { contains: { const: 1 }, minContains: 2 }, [[1, 1]], [[1]]],
    ["maxContains", { contains: { const: 1 }, maxContains: 1 }, [[1, 2]], [[1, 1], []]],
    ["minItems", { minItems: 1 }, [[1]], [[]]],
    ["maxItems", { maxItems: 1 }, [[1]], [[1, 2]]],
    [
      "uniqueItems",
      { uniqueItems: true },
      [
        [1, "1", true],
        [{ a: 1 }, { a: 2 }],
        [[1], ["1"], [[1]], [1, 1], { 0: 1 }, [], {}, "", "[]", null],
      ],
      [
        [1, 1],
        [{ a: 1 }, { a: 1 }],
        [0, -0],
        [
          { a: 1, b: [null] },
          { b: [null], a: 1 },
        ],
      ],
    ],
    [
      "uniqueItems in many places",
      {
        properties: { a: { $ref: "#/$defs/u" } },
        patternProperties: { "^p": { anyOf: [{ $ref: "#/$defs/u" }] } },
        $defs: { u: { uniqueItems: true } },
      },
      [{ a: [1], p: [2], other: [1, 1] }],
      [{ a: [1, 1] }, { p: [1, 1] }],
    ],
    ["uniqueItems of inner lists", { items: { uniqueItems: true } }, [[[1], [1]]], [[[1, 1]]]],
    ["uniqueItems under `not`", { not: { uniqueItems: true } }, [[1, 1]], [[1, 2], 1]],
    ["anyOf", { anyOf: [{ type: "string" }, { minimum: 5 }] }, ["a", 5], [4]],
    ["allOf", { allOf: [{ minimum: 1 }, { maximum: 2 }] }, [1, 2], [0, 3]],
    ["oneOf", { oneOf: [{ minimum: 5 }, { maximum: 9 }] }, [4, 10], [7]],
    ["not", { not: { type: "string" } }, [1], ["a"]],
    ["not with a pattern", { not: { pattern: "^a" } }, ["b"], ["a"]],
    [
      "if, then, else",
      parse('{"if":{"properties":{"a":{"const":1}}},"then":{"required":["b"]},"else":{"required":["c"]}}'),
      [
        { a: 1, b: 1 },
        { a: 2, c: 1 },
      ],
      [{ a: 1 }, { a: 2 }],
    ],
    [
      "unevaluatedProperties",
      { allOf: [{ properties: { a: true } }], properties: { b: true }, unevaluatedProperties: false },
      [{ a: 1, b: 1 }],
      [{ c: 1 }],
    ],
    ["unevaluatedItems", { allOf: [{ prefixItems: [true] }], unevaluatedItems: false }, [[1]], [[1, 2]]],
    ["true and false inside", { anyOf: [false, { type: "string" }], allOf: [true] }, ["a"], [1]],
    ["a union that a property tells apart", union, [{ kind: "square", side: 1 }], [{ kind: "square", radius: 1 }]],
    ["$defs", { $ref: "#/$defs/a", $defs: { a: { type: "string" } } }, ["a"], [1]],
    ["definitions", { $ref: "#/definitions/a", definitions: { a: { type: "string" } } }, ["a"], [1]],
    [
      "a reference beside other keywords",
      { $ref: "#/$defs/a", minimum: 2, $defs: { a: { type: "number" } } },
      [2],
      [1],
    ],
    ["a tree", tree, [{ name: "a", children: [{ name: "b" }] }], [{ name: "a", children: [{}] }]],
    ["$anchor", { items: { $ref: "#a" }, $defs: { x: { $anchor: "a", type: "string" } } }, [["a"]], [[1]]],
    [
      "$id inside, as TypeBox writes recursion",
      { $id: "T", type: "object", properties: { inner: { $ref: "T" } }, additionalProperties: false },
      [{ inner: { inner: {} } }],
      [{ inner: { inner: 1 } }, { inner: { outer: {} } }],
    ],
    [
      "a reference from inside a resource of its own",
      {
        properties: { a: { $ref: "https://example.com/part" } },
        $defs: {
          n: { type: "null" },
          part: { $id: "https://example.com/part", items: { $ref: "#/$defs/n" }, $defs: { n: { type: "number" } } },
        },
      },
      [{ a: [1] }],
      [{ a: [null] }],
    ],
    [
      "a reference by the schema's own address",
      {
        $id: "https://example.com/s",
        properties: { a: { $ref: "https://example.com/s#/$defs/n" } },
        $defs: { n: { type: "number" } },
      },
      [{ a: 1 }],
      [{ a: "x" }],
    ],
    ["an escaped pointer", { $ref: "#/$defs/a~1b%20c", $defs: { "a/b c": { type: "string" } } }, ["a"], [1]],
    ["any $schema", { $schema: "http://json-schema.org/draft-07/schema#", type: "string" }, ["a"], [1]],
    ["a $schema that nobody knows", { $schema: "gopher://nowhere", type: "string" }, ["a"], [1]],
  ])("%s", (_, schema, fits, fitsNot) => {
    for (const value of fits) expect(check(schema, value), JSON.stringify(value)).toBeUndefined();
    for (const value of fitsNot) expect(check(schema, value), JSON.stringify(value)).toBeDefined();
  });

  it.each([
    ["date-time", "2024-05-01T12:00:00Z", "2024-05-01 at noon"],
    ["date", "2024-05-01", "2024-13-01"],
    ["time", "12:00:00+02:00", "noon"],
    ["duration", "P1DT2H", "2 hours"],
    ["duration", "PT0.5S", "PT"],
    ["duration", "P1Y2M3W4DT5H6M7,5S", "P"],
    ["duration", "-P1D", "P1S"],
    ["email", "someone@example.com", "someone"],
    ["hostname", "a.example.com", "-a-"],
    ["ipv4", "127.0.0.1", "127.0.0.256"],
    ["ipv6", "::1", "1:2"],
    ["uuid", "123e4567-e89b-12d3-a456-426614174000", "123"],
  ])("the format %s", (format, fits, fitsNot) => {
    expect(check({ format }, fits)).toBeUndefined();
    expect(check({ format }, fitsNot)).toBeDefined();
    expect(check({ format }, fits + "0".repeat(1_000_000))).toBeDefined();
  });
});

describe("what a schema gets wrong is left out", () => {
  it.each<[string, JsonObject, JsonValue]>([
    ["a type that does not exist", { type: "any" }, 1],
    ["an empty list of types", { type: [] }, 1],
    ["a type that does not exist, where it must not fit", { not: { type: "float" } }, 1.5],
    ["required that is no list", { properties: {}, required: "a" }, {}],
    ["properties that are no object", { properties: [{ type: "string" }] }, { 0: 1 }],
    ["a property without a schema", { properties: { a: null, b: "string" } }, { a: 1, b: 1 }],
    ["a limit that is no number", { minimum: "5", maxLength: -1, multipleOf: 0 }, 1],
    ["an empty list of values", { enum: [] }, 1],
    ["alternatives that are none", { anyOf: [], oneOf: [null] }, 1],
    ["a pattern that is none", { pattern: "(" }, "a"],
    ["a reference that is no text", { $ref: 5 }, 1],
    ["a format from the prototype", { format: "__proto__" }, "a"],
    ["a format from the constructor", { format: "constructor" }, "a"],
  ])("%s", (_, schema, value) => {
    expect(check(schema, value)).toBeUndefined();
  });
});

describe("a keyword that cannot be checked never refuses anything", () => {
  it.each<[string, JsonObject, JsonValue]>([
    ["a lookahead", { pattern: "^(?=x)y" }, "a"],
    ["a reference to a group", { pattern: "^(a)\\1$" }, "b"],
    ["a lookahead under `not`", { not: { pattern: "^(?=x)" } }, "a"],
    ["a lookahead under `oneOf`", { oneOf: [{ pattern: "(?=a)" }, { type: "string" }] }, "b"],
    ["a lookahead under `if`", parse('{"if":{"pattern":"(?=a)"},"then":{"type":"number"}}'), "b"],
    ["a lookahead that counts", { contains: { pattern: "(?=a)" }, maxContains: 1 }, ["b", "c"]],
    ["a lookahead in another place", { $ref: "#/$defs/a", $defs: { a: { not: { pattern: "(?=a)" } } } }, "b"],
    [
      "patternProperties with a lookahead",
      { patternProperties: { "(?=x)": false }, additionalProperties: false },
      { x: 1 },
    ],
    [
      "what such patternProperties evaluate",
      { allOf: [{ patternProperties: { "(?=x)": true } }], unevaluatedProperties: false },
      { x: 1 },
    ],
    ["a Unicode class that RE2 does not have", { not: { pattern: "\\p{Emoji}" } }, "a"],
    ["an unchecked format under `not`", { not: { format: "uri" } }, "a"],
    ["an unchecked format under `oneOf`", { oneOf: [{ format: "uri" }, { type: "string" }] }, "a"],
    ["an unchecked format under `if`", parse('{"if":{"format":"regex"},"then":{"type":"number"}}'), "("],
    ["an empty list of types under `not`", { not: { type: [] } }, 1],
    ["$dynamicRef", { not: { $dynamicRef: "#node" } }, 1],
    ["$recursiveRef", { $recursiveRef: "#", not: { $recursiveRef: "#" } }, 1],
  ])("%s", (_, schema, value) => {
    expect(check(schema, value)).toBeUndefined();
  });

  it("while the rest is checked", () => {
    expect(check({ pattern: "(?=x)", type: "string" }, 1)).toBeDefined();
    expect(
      check({ patternProperties: { "(?=x)": false }, properties: { a: { type: "string" } } }, { a: 1 }),
    ).toBeDefined();
    expect(check({ oneOf: [{ pattern: "(?=a)", type: "string" }, { type: "null" }] }, 1)).toBeDefined();
    expect(check({ anyOf: [{ pattern: "\\p{Emoji}", minLength: 2 }] }, "a")).toBeDefined();
  });
});

describe("a call is checked", () => {
  it("against the tool of its name", () => {
    const checks = new ArgumentChecks([
      tool({ type: "object" }, { name: "a" }),
      tool({ type: "array" }, { name: "b" }),
      { type: "custom", name: "c" },
      { type: "hosted", format: "responses", definition: { type: "web_search" } },
    ]);
    expect(checks.check("a", {})).toBeUndefined();
    expect(checks.check("b", {})).toBeDefined();
    expect(checks.check("c", {})).toBeUndefined();
    expect(checks.check("web_search", {})).toBeUndefined();
    expect(checks.check("toString", {})).toBeUndefined();
  });

  it("not where the tool has no schema, or one that cannot be checked", () => {
    expect(new ArgumentChecks([tool(undefined)]).check("tool", 1)).toBeUndefined();
    expect(check({ type: "string", $ref: "https://example.com/other.json" }, 1)).toBeUndefined();
    expect(check({ type: "string", $ref: "#/$defs/missing" }, 1)).toBeUndefined();
    expect(check({ type: "string", $ref: "#/type" }, 1)).toBeUndefined();
    expect(check({ type: "string", allOf: [{ $ref: "#" }] }, 1)).toBeUndefined();
  });

  it("again and again with the same outcome, whatever was checked in between", () => {
    const schema = { properties: { a: { pattern: "^x" } }, patternProperties: { "^b": { pattern: "^y" } } };
    for (let round = 0; round < 3; round++) {
      expect(check(schema, { a: "x", b: "y", bb: "y" })).toBeUndefined();
      expect(check(schema, { a: "x", b: "x" })?.path).toBe("/b");
      expect(check({ properties: { a: { pattern: "^y" } } }, { a: "x" })?.path).toBe("/a");
      expect(check(schema, { c: "z" })).toBeUndefined();
    }
  });
});
