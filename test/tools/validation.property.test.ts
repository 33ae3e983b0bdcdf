import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ArgumentChecks, checkStrictSchemas } from "../../src/tools/validation/index.ts";
import type { JsonObject, JsonValue } from "../../src/turn/index.ts";
import { TurnError } from "../../src/turn/index.ts";

const name = fc.constantFrom("a", "b", "c", "kind", "a/b", "x y", "1", "__proto__", "constructor", "toString");
const pattern = fc.constantFrom("^a", "b$", "^[ab]+$", "a|b", "^.$", "\\s", "^\\w{1,2}$", "(a+)+$");

/** Also keys that a plain assignment would lose. */
const objectOf = <Value>(value: fc.Arbitrary<Value>, maxLength = 3) =>
  fc.uniqueArray(fc.tuple(name, value), { maxLength, selector: ([key]) => key }).map((all) => Object.fromEntries(all));

const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    fc.constantFrom<JsonValue>("", "a", "ab", "😀", 0, 1, 1.5, -1, 1e300, true, false, null),
    fc.array(tie("value"), { maxLength: 4 }),
    objectOf(tie("value"), 4),
  ),
}));

const types = fc.constantFrom("string", "number", "integer", "object", "array", "boolean", "null");
const references = fc.constantFrom(
  "#",
  "#/$defs/d",
  "#/$defs/e",
  "#anchor",
  "T",
  "#/properties/a",
  "#/nowhere",
  "http://x/",
);

/** A few keywords of all that there are, with values as they should be. */
const schemas = (reference: fc.Arbitrary<JsonObject>) =>
  fc.letrec<{ schema: JsonValue }>((tie) => {
    const schema = tie("schema");
    const list = fc.array(schema, { minLength: 1, maxLength: 3 });
    const count = fc.nat(3);
    const names = fc.uniqueArray(name, { maxLength: 2 });
    const keywords: Record<string, fc.Arbitrary<JsonValue>> = {
      type: fc.oneof(types, fc.uniqueArray(types, { minLength: 1, maxLength: 3 })),
      enum: fc.array(value, { minLength: 1, maxLength: 3 }),
      const: value,
      properties: objectOf(schema),
      patternProperties: fc.dictionary(pattern, schema, { maxKeys: 2 }),
      additionalProperties: schema,
      unevaluatedProperties: schema,
      propertyNames: schema,
      required: names,
      dependentRequired: objectOf(names),
      dependentSchemas: objectOf(schema, 2),
      prefixItems: list,
      items: schema,
      unevaluatedItems: schema,
      contains: schema,
      minContains: count,
      maxContains: count,
      uniqueItems: fc.boolean(),
      minItems: count,
      maxProperties: count,
      minimum: count,
      multipleOf: fc.constantFrom(1, 0.5, 1e-300),
      maxLength: count,
      pattern,
      format: fc.constantFrom("date", "email", "uri", "toString"),
      anyOf: list,
      allOf: list,
      oneOf: list,
      not: schema,
      if: schema,
      else: schema,
      $anchor: fc.constant("anchor"),
      $id: fc.constant("T"),
    };
    const entries = Object.entries(keywords).map(([keyword, written]) => written.map((as) => [keyword, as] as const));
    const object = fc.array(fc.oneof(...entries), { maxLength: 4 }).map((all) => Object.fromEntries(all) as JsonObject);
    return { schema: fc.oneof({ maxDepth: 5, depthSize: "small" }, fc.boolean(), reference, object) };
  }).schema;

const whole = (reference: fc.Arbitrary<JsonObject>) => {
  const schema = schemas(reference);
  return fc.tuple(schema, schema, schema).map(([one, d, e]): JsonObject => ({ allOf: [one], $defs: { d, e } }));
};
const anySchema = whole(references.map(($ref) => ({ $ref })));

function check(parameters: JsonObject, value: JsonValue, strict: boolean) {
  return new ArgumentChecks([{ type: "function", name: "tool", parameters, strict }]).check("tool", value);
}

async function isRefused(parameters: JsonObject): Promise<boolean> {
  try {
    await checkStrictSchemas(
      [{ type: "function", name: "tool", parameters, strict: true }],
      () => "tools[0].parameters",
    );
    return false;
  } catch (error) {
    expect(error).toBeInstanceOf(TurnError);
    expect(error).toMatchObject({ status: 400, body: { param: "tools[0].parameters" } });
    return true;
  }
}

/** One look at all of it, soon and without an exception. */
async function expectAnswer(schema: JsonObject, value: JsonValue): Promise<void> {
  const started = performance.now();
  const refused = await isRefused(schema);
  const strict = check(schema, value, true);
  const loose = check(schema, value, false);
  expect(performance.now() - started).toBeLessThan(5_000);
  if (refused) expect(loose).toBeUndefined();
  for (const mismatch of [strict, loose]) {
    if (!mismatch) continue;
    expect(mismatch.path).toMatch(/^(?:$|\/)/);
    expect(mismatch.path.length).toBeLessThanOrEqual(1_000);
    expect(mismatch.message).toMatch(/^(?:must|is|are|has) .{3,}/);
    expect(mismatch.message.length).toBeLessThanOrEqual(300);
  }
  if (loose) expect(strict).toEqual(loose);
}

describe("whatever the schema and the arguments are, there is an answer", () => {
  it("for schemas", async () => {
    await fc.assert(fc.asyncProperty(anySchema, value, expectAnswer), { numRuns: 1_500 });
  });

  it("for values that are no schema", async () => {
    const keyword = fc.constantFrom(
      ..."type enum const properties patternProperties additionalProperties required items prefixItems contains minContains anyOf oneOf allOf not if then else $ref $defs $id $anchor $dynamicRef $schema definitions dependencies format pattern minimum multipleOf minLength uniqueItems nullable __proto__ constructor toJSON".split(
        " ",
      ),
    );
    const { anything } = fc.letrec<{ anything: JsonValue }>((tie) => ({
      anything: fc.oneof(
        { maxDepth: 5 },
        fc.constantFrom<JsonValue>("#", "object", "T", "[", 1, -1, 1.5, true, false, null),
        fc.array(tie("anything"), { maxLength: 3 }),
        fc
          .uniqueArray(fc.tuple(fc.oneof(keyword, name), tie("anything")), { maxLength: 5, selector: ([key]) => key })
          .map((all) => Object.fromEntries(all)),
      ),
    }));
    const object = fc.uniqueArray(fc.tuple(keyword, anything), { maxLength: 6, selector: ([key]) => key });
    await fc.assert(
      fc.asyncProperty(
        object.map((all) => Object.fromEntries(all)),
        value,
        expectAnswer,
      ),
      { numRuns: 1_500 },
    );
  });

  it("for any text in any place", async () => {
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.string(),
      fc.stringMatching(/^[a(){}[\]\\*+?.|^$,0-9-]{0,20}$/),
    );
    await fc.assert(
      fc.asyncProperty(text, text, text, async (one, two, three) => {
        const schema = {
          properties: { [one]: { pattern: two, format: three } },
          patternProperties: { [three]: { const: one } },
          required: [two],
          anyOf: [{ $ref: `#/${one}` }, { $ref: `#${two}` }, { $id: three }],
        };
        await expectAnswer(schema, { [one]: two, [two]: one });
        await expectAnswer({ ...schema, anyOf: [{ type: "object" }] }, { [one]: two, [two]: one, [three]: three });
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("a keyword that cannot be checked", () => {
  /** The same patterns, written so that only a backtracking engine reads them. */
  function unreadable(schema: JsonValue): JsonValue {
    if (Array.isArray(schema)) return schema.map(unreadable);
    if (typeof schema !== "object" || schema === null) return schema;
    const changed = Object.entries(schema).map(([key, inside = null]) => {
      if (key === "pattern" && typeof inside === "string") return [key, `(?=)${inside}`];
      if (key !== "patternProperties" || typeof inside !== "object") return [key, unreadable(inside)];
      return [
        key,
        Object.fromEntries(Object.entries(inside ?? {}).map(([at, one]) => [`(?=)${at}`, unreadable(one ?? null)])),
      ];
    });
    return Object.fromEntries(changed);
  }

  it("never refuses what fits the schema as it is meant", () => {
    const acyclic = whole(fc.constant({ $ref: "#/$defs/d" })).map(({ allOf, $defs }) => ({ allOf, $defs }));
    let patterns = 0;
    fc.assert(
      fc.property(acyclic, fc.array(value, { minLength: 3, maxLength: 3 }), (schema, values) => {
        const changed = unreadable(schema) as JsonObject;
        if (JSON.stringify(changed).includes("(?=)")) patterns++;
        for (const one of values) if (!check(schema, one, true)) expect(check(changed, one, false)).toBeUndefined();
      }),
      { numRuns: 2_000 },
    );
    expect(patterns).toBeGreaterThan(200);
  });
});
