import { format } from "@cfworker/json-schema";
import { describe, expect, it } from "vitest";
import { ArgumentChecks, checkStrictSchemas } from "../../src/tools/validation/index.ts";
import type { JsonObject, JsonValue, Tool } from "../../src/turn/index.ts";
import { TurnError } from "../../src/turn/index.ts";

function tool(parameters: JsonObject, strict = false): Tool {
  return { type: "function", name: "tool", parameters, strict };
}

function check(parameters: JsonObject, value: JsonValue, strict = false) {
  return new ArgumentChecks([tool(parameters, strict)]).check("tool", value);
}

/** Far above what it takes, far below what it would take. */
function soon<Result>(run: () => Result): Result {
  const started = performance.now();
  const result = run();
  expect(performance.now() - started).toBeLessThan(2_000);
  return result;
}

const objectOf = (count: number, value: JsonValue = 1, name = (index: number) => `key${index}`): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [name(index), value]));
const listOf = (count: number, item: (index: number) => JsonValue) =>
  Array.from({ length: count }, (_, at) => item(at));
const all = (count: number, schema: JsonObject) => ({ allOf: Array.from({ length: count }, () => ({ ...schema })) });
const nested = (depth: number, open: string, close: string): JsonValue =>
  JSON.parse(`${open.repeat(depth)}1${close.repeat(depth)}`);
/** Letters that a machine for `(a|b)*a(a|b){n}` has to remember. */
const letters = (count: number) => {
  let seed = 12_345;
  return listOf(count, () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed & 65_536 ? "a" : "b";
  }).join("");
};
const alternatives = {
  $ref: "#/$defs/node",
  $defs: {
    node: {
      anyOf: ["and", "or", "any", "all", "one", "not"].map((kind) => ({
        properties: { children: { items: { $ref: "#/$defs/node" } }, kind: { const: kind } },
        required: ["kind"],
      })),
    },
  },
};

describe("a check ends soon, whatever the schema and the arguments", () => {
  it.each<[string, JsonObject, JsonValue]>([
    [
      "doubled with every level",
      { properties: { a: { allOf: [{ $ref: "#" }, { $ref: "#" }] } } },
      nested(100, '{"a":', "}"),
    ],
    ["deep arguments", { properties: { a: { $ref: "#" } } }, nested(20_000, '{"a":', "}")],
    ["deep lists", { items: { $ref: "#" } }, nested(100_000, "[", "]")],
    ["many schemas for a wide object", all(900, {}), objectOf(5_000)],
    ["many schemas for all properties", all(400, { additionalProperties: {} }), objectOf(500)],
    ["many schemas for all names", all(400, { propertyNames: { maxLength: 3 } }), objectOf(500)],
    ["many schemas for what is left", all(400, { unevaluatedProperties: {} }), objectOf(500)],
    ["many schemas for the items that are left", all(900, { unevaluatedItems: {} }), listOf(5_000, () => 1)],
    ["a name of a megabyte", all(400, { additionalProperties: {} }), { ["k".repeat(1_000_000)]: 1 }],
    ["counting a megabyte again and again", all(900, { minLength: 600_000 }), "x".repeat(1_000_000)],
    ["the same item twice among many", { uniqueItems: true }, listOf(50_000, (at) => Math.min(at, 49_998))],
    [
      "the same object twice among many",
      { uniqueItems: true },
      listOf(2_000, (at) => ({ a: 1, b: [Math.min(at, 1_998)] })),
    ],
    [
      "long texts that differ at the end",
      { uniqueItems: true },
      listOf(500, (at) => "x".repeat(5_000) + Math.min(at, 498)),
    ],
    [
      "many values for many items",
      { contains: { enum: listOf(1_000, (at) => `value ${at}`) } },
      listOf(20_000, () => "value"),
    ],
    [
      "many objects for many objects",
      { contains: { enum: listOf(300, (at) => ({ at })) } },
      listOf(5_000, (at) => ({ at: -at - 1 })),
    ],
    [
      "many missing properties",
      { contains: { required: listOf(5_000, (at) => `p${at}`) as string[] } },
      listOf(10_000, () => ({})),
    ],
    ["many errors", { contains: { anyOf: listOf(500, () => ({ type: "string" })) } }, listOf(5_000, () => 1)],
    ["many items", { items: { type: "number" } }, listOf(500_000, () => 1)],
    ["many properties by pattern", { patternProperties: { "^k": all(300, {}) } }, objectOf(5_000)],
    [
      "many patterns for many names",
      { patternProperties: objectOf(150, true, (at) => `^(k|e)*y${at}$`) },
      objectOf(5_000),
    ],
  ])("%s", (_, schema, value) => {
    soon(() => check(schema, value));
    expect(soon(() => check({ allOf: [schema] }, value, true))?.message).toMatch(/^are too much work to check/);
    expect(soon(() => check(schema, value))).toBeUndefined();
  });

  it.each<[string, JsonValue]>([
    ["^(a+)+$", `${"a".repeat(40_000)}!`],
    ["(a|b)*a(a|b){12}c", letters(2_000)],
    ["(a|b)*a(a|b){11}", letters(100_000)],
    ["(a|b)*a(a|b){400}c", letters(100_000)],
    ["[ab]{600}c", letters(1_000_000)],
    ["(x+x+)+y", "x".repeat(100_000)],
    ["^(([a-z])+.)+[A-Z]([a-z])+$", "a".repeat(50_000)],
    ["^.{1,900}$", "é".repeat(50_000)],
    ["[\\p{L}\\p{N}]{40}", "é".repeat(50_000)],
    ["a{1000}".repeat(100), "a"],
    ["((a{100}){100}){100}", "a"],
    ["(".repeat(500) + ")".repeat(500), "a"],
    ["\\p{L}".repeat(160), "a"],
    ["x".repeat(60_000), "a"],
  ])("the pattern %.40s", async (pattern, value) => {
    soon(() => check({ pattern }, value));
    soon(() => check({ patternProperties: { [pattern]: false } }, { [String(value)]: 1 }));
    await soon(() => checkStrictSchemas([tool({ pattern }, true)], String));
  });

  it("many patterns", () => {
    const properties = objectOf(900, {}, (index) => `p${index}`);
    for (const name of Object.keys(properties)) properties[name] = { pattern: `^[a-f]{1,100}${name}$` };
    soon(() =>
      check(
        { properties },
        objectOf(900, "abc", (index) => `p${index}`),
      ),
    );
  });

  it("a schema of thirty megabytes costs no more than one at the cap", async () => {
    const schemas: JsonObject[] = [
      { description: "x".repeat(30_000_000) },
      { enum: Array(3_000_000).fill("a value") },
      { anyOf: Array(3_000_000).fill({}) },
      JSON.parse(`${'{"items":'.repeat(100_000)}{}${"}".repeat(100_000)}`),
    ];
    for (const schema of schemas) {
      await expect(soon(() => checkStrictSchemas([tool(schema, true)], String))).rejects.toThrow(TurnError);
      expect(soon(() => check(schema, {}))).toBeUndefined();
    }
  });
});

describe("what is large and honest is checked", () => {
  it.each<[string, JsonObject, JsonValue, JsonValue]>([
    [
      "a tree of alternatives",
      alternatives,
      JSON.parse(`${'{"kind":"not","children":[{"kind":"or"},'.repeat(20)}{"kind":"one"}${"]}".repeat(20)}`),
      JSON.parse(`${'{"kind":"not","children":[{"kind":"or"},'.repeat(20)}{"kind":"two"}${"]}".repeat(20)}`),
    ],
    [
      "a table",
      {
        items: { properties: { a: { type: "string" }, b: { type: ["number", "null"] } }, additionalProperties: false },
      },
      listOf(2_000, (index) => ({ a: "x", b: index % 2 ? null : 1 })),
      listOf(2_000, () => ({ a: 1 })),
    ],
    ["a map", { additionalProperties: { type: "string" } }, objectOf(3_000, "x"), objectOf(3_000, 1)],
    ["a file", { properties: { text: { type: "string" } } }, { text: "x".repeat(5_000_000) }, { text: 1 }],
    ["a list without repetition", { uniqueItems: true }, listOf(10_000, (at) => at), listOf(1_000, () => 1)],
    [
      "a list of texts without repetition",
      { uniqueItems: true },
      listOf(1_200, (at) => `id-${at}`),
      listOf(1_200, (at) => `id-${Math.min(at, 1_198)}`),
    ],
    [
      "lists without repetition, beside others with it",
      { properties: { rows: { items: { properties: { tags: { uniqueItems: true } } } } } },
      { rows: listOf(50, (at) => ({ tags: [`a${at}`, "b", "c"], place: [0, 0] })) },
      { rows: listOf(50, (at) => ({ tags: ["b", at === 40 ? "b" : "c"], place: [0, 0] })) },
    ],
    [
      "a large table",
      {
        items: {
          properties: {
            a: { type: "string" },
            b: { type: "number" },
            c: { type: "integer" },
            d: { type: "boolean" },
            e: { type: ["string", "null"] },
          },
          required: ["a", "b", "c", "d", "e"],
          additionalProperties: false,
        },
      },
      listOf(1_500, (at) => ({ a: "x", b: 1.5, c: at, d: true, e: null })),
      listOf(1_500, (at) => ({ a: "x", b: 1.5, c: at, d: true, e: at < 1_499 ? null : 1 })),
    ],
    ["many numbers", { items: { type: "number" } }, listOf(25_000, (at) => at / 7), listOf(25_000, () => "1")],
    [
      "a file in base64",
      {
        pattern: "^(?:(?:[0-9a-zA-Z+/]{4})*(?:(?:[0-9a-zA-Z+/]{2}==)|(?:[0-9a-zA-Z+/]{3}=))?)$",
      },
      "QUJD".repeat(65_536),
      `${"QUJD".repeat(65_536)}!`,
    ],
    [
      "a text with a bound on its length in its pattern",
      { pattern: "^(?:[ab]{1,500})$" },
      letters(500),
      letters(2_000),
    ],
    [
      "a hundred levels",
      { items: { $ref: "#" }, not: { type: "string" } },
      nested(100, "[", "]"),
      nested(100, "[", ',"a"]'),
    ],
  ])("%s", (_, schema, fits, fitsNot) => {
    expect(soon(() => check(schema, fits, true))).toBeUndefined();
    const mismatch = soon(() => check(schema, fitsNot, true));
    expect(mismatch?.message).not.toMatch(/too much work/);
    expect(mismatch).toBeDefined();
  });
});

describe("names of the prototype are names like any other", () => {
  const names = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf", "then", "length"];

  it.each(names)("%s", (name) => {
    const has: JsonObject = JSON.parse(`{"${name}":1}`);
    const schemaOf = (keyword: string, schema: string): JsonObject =>
      JSON.parse(`{"${keyword}":{"${name}":${schema}}}`);
    expect(check({ required: [name] }, {})?.path).toBe(`/${name}`);
    expect(check({ required: [name] }, has)).toBeUndefined();
    expect(check(schemaOf("properties", '{"type":"string"}'), has)?.path).toBe(`/${name}`);
    expect(check(schemaOf("properties", '{"type":"number"}'), has)).toBeUndefined();
    expect(check(schemaOf("properties", '{"type":"string"}'), {})).toBeUndefined();
    expect(check({ ...schemaOf("properties", "true"), additionalProperties: false }, has)).toBeUndefined();
    expect(check({ additionalProperties: false }, has)?.path).toBe(`/${name}`);
    expect(check({ additionalProperties: false }, {})).toBeUndefined();
    expect(check({ unevaluatedProperties: false }, has)?.path).toBe(`/${name}`);
    expect(check({ allOf: [schemaOf("properties", "true")], unevaluatedProperties: false }, has)).toBeUndefined();
    expect(check({ patternProperties: { [name]: { type: "string" } } }, has)?.path).toBe(`/${name}`);
    expect(check(schemaOf("dependentRequired", '["a"]'), {})).toBeUndefined();
    expect(check(schemaOf("dependentRequired", '["a"]'), has)?.path).toBe("/a");
    expect(check(schemaOf("dependentSchemas", '{"required":["a"]}'), has)?.path).toBe("/a");
    expect(check({ enum: [has] }, {})).toBeDefined();
    expect(check({ enum: [{}] }, has)).toBeDefined();
    expect(check({ enum: [has] }, has)).toBeUndefined();
    expect(check({ $ref: `#/$defs/${name}`, $defs: JSON.parse(`{"${name}":{"type":"string"}}`) }, 1)).toBeDefined();
    expect(check({ type: "string", $ref: `#/${name}` }, 1)).toBeUndefined();
    expect(new ArgumentChecks([]).check(name, {})).toBeUndefined();
  });

  it("a schema cannot bring keywords by its prototype", () => {
    expect(check(JSON.parse('{"__proto__":{"type":"string"}}'), 1)).toBeUndefined();
    expect(Object.prototype).not.toHaveProperty("type");
  });
});

describe("nothing stays behind", () => {
  const rules = () => Object.keys(format).filter((name) => name.startsWith("toolwire-"));

  it("the validator's table of formats does not grow with the schemas", () => {
    const schema = (index: number) => ({ items: { pattern: `^a{${index + 1}}$` } });
    expect(check(schema(0), ["b"])).toBeDefined();
    const before = rules();
    for (let index = 1; index < 50; index++) expect(check(schema(index), ["b"])).toBeDefined();
    expect(rules()).toEqual(before);
  });

  it("an unfinished check does not disturb the next", () => {
    const schema = { properties: { a: { pattern: "^(a|b)*(a(a|b){400})?c$" } } };
    expect(check(schema, { a: letters(200_000) }, true)?.message).toMatch(/too much work/);
    expect(check(schema, { a: "abc" }, true)).toBeUndefined();
    expect(check(schema, { a: "ab" }, true)?.path).toBe("/a");
  });

  it("neither the schema nor the arguments are changed", () => {
    const schema: JsonObject = { properties: { a: { $ref: "#/$defs/a" } }, $defs: { a: { pattern: "^x" } }, $id: "s" };
    const value: JsonObject = { a: "x", b: objectOf(500) };
    const before = JSON.stringify([schema, value]);
    check(schema, value);
    expect(JSON.stringify([schema, value])).toBe(before);
    expect(Object.getOwnPropertyNames(schema)).toEqual(["properties", "$defs", "$id"]);
  });

  it("names that are no valid text are checked like any other", () => {
    const schema = { additionalProperties: { type: "string" } };
    expect(check(schema, { "\ud800": "a" }, true)).toBeUndefined();
    expect(check(schema, { "\ud800": 1 }, true)).toEqual({
      path: "/\ufffd",
      message: "must be a string, but is a number",
    });
    for (const value of [
      { "\ud800": 1, "\ufffd": "a" },
      { "\ud800": 1, "\ud801": "a", "\ufffd": "a" },
      { "\ufffd": "a", "\ud800": 1 },
    ]) {
      expect(check(schema, value, true)?.message).toMatch(/must be a string/);
      expect(check({ maxProperties: Object.keys(value).length - 1 }, value, true)).toBeDefined();
    }
  });
});

describe("all checks of a request together end soon", () => {
  const strictly = (parameters: JsonObject, count: number, value: (index: number) => JsonValue) => {
    const checks = new ArgumentChecks([tool(parameters, true)]);
    return soon(() => listOf(count, (index) => checks.check("tool", value(index))?.message ?? null));
  };

  it("many calls of a costly schema", () => {
    const schema = { items: all(50, { type: "number" }) };
    const outcomes = strictly(schema, 1_000, () => listOf(200, () => 1));
    expect(outcomes[0]).toBeNull();
    expect(outcomes.at(-1)).toMatch(/^are too much work to check/);
    const checks = new ArgumentChecks([tool(schema)]);
    expect(checks.check("tool", ["a"])).toBeDefined();
    soon(() => {
      for (let call = 0; call < 1_000; call++) checks.check("tool", Array(200).fill(1));
    });
    expect(checks.check("tool", ["a"])).toBeUndefined();
  });

  it("many calls with long texts", () => {
    const outcomes = strictly({ items: { pattern: "(a|b)*a(a|b){12}" } }, 200, () => [letters(10_000)]);
    expect(outcomes[0]).toBeNull();
    expect(outcomes.at(-1)).toMatch(/^are too much work to check/);
  });

  it("many small calls are all checked", () => {
    const schema = { properties: { a: { type: "string", pattern: "^[a-z]+$" } }, required: ["a"] };
    expect(new Set(strictly(schema, 500, () => ({ a: "abc" })))).toEqual(new Set([null]));
  });

  it("many tools with costly patterns", async () => {
    const parameters = (index: number) => ({
      properties: objectOf(60, {}, (at) => `p${at}`),
      allOf: listOf(60, (at) => ({ pattern: `${"(".repeat(480)}${")".repeat(480)}${index}.${at}` })),
    });
    const tools = listOf(400, (index) => parameters(index) as JsonObject).map((schema) =>
      tool(schema as JsonObject, true),
    );
    await expect(checkStrictSchemas(tools, String)).rejects.toThrow(
      /is, together with those of the strict tools before it, larger than 1 MB\. Send fewer tools, or leave/,
    );
  });
});
