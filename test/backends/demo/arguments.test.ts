import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Item, JsonObject, JsonValue, Tool, ToolChoice, Turn } from "../../../src/turn/index.ts";
import { mismatch, schemas } from "./schemas.ts";
import { ask, heard, play, turnOf } from "./turns.ts";

/** Milliseconds of processor time: far above what is needed, far below what a walk without bounds takes. */
const tooMuch = 2_000;

const questions = fc.oneof(
  fc.constantFrom(
    "What is the weather in Paris and Rome? Use probe.",
    'probe "a b", "c" and 3, 4 and -5.5 on 2025-06-01 from Köln to 東京',
    "probe with limit 5, query: cats and email bob@example.com at https://example.com/x",
    "",
  ),
  fc.string({ unit: "binary", maxLength: 60 }),
);

async function argumentsFor(schema: JsonObject, question = "Use probe", strict = false): Promise<JsonValue> {
  const tools: Tool[] = [{ type: "function", name: "probe", parameters: schema, strict }];
  const { calls } = await ask(question, { tools, choice: { mode: "required" } });
  expect(calls.length).toBeGreaterThan(0);
  return JSON.parse(calls[0]?.arguments ?? "");
}

describe("arguments for any ordinary schema", () => {
  it("are JSON and valid", async () => {
    await fc.assert(
      fc.asyncProperty(schemas, questions, fc.boolean(), async (schema, question, strict) => {
        const tools: Tool[] = [{ type: "function", name: "probe", parameters: schema, strict }];
        const { calls } = await ask(question, { tools, choice: { mode: "required" } });
        expect(calls.length).toBeGreaterThan(0);
        for (const call of calls) expect(mismatch(JSON.parse(call.arguments), schema)).toBeUndefined();
      }),
      { numRuns: 500 },
    );
  });

  it("follow local references, also recursive ones", async () => {
    const tree: JsonObject = {
      type: "object",
      properties: { value: { $ref: "#/$defs/size" }, children: { type: "array", items: { $ref: "#" } } },
      required: ["value", "children"],
      $defs: { size: { type: "integer", minimum: 3 } },
    };
    expect(await argumentsFor(tree)).toMatchObject({ value: 3 });
    const list: JsonObject = {
      type: "object",
      properties: { next: { anyOf: [{ $ref: "#" }, { type: "null" }] } },
      required: ["next"],
    };
    expect(await argumentsFor(list, "Use probe", true)).toEqual({ next: null });
  });

  it("are an object, whatever the schema says", async () => {
    for (const schema of [
      {},
      { type: "string" },
      { type: "array" },
      { const: 3 },
      { $ref: "#/nowhere" },
      { $ref: "http://x" },
    ]) {
      expect(await argumentsFor(schema)).toEqual({});
    }
  });
});

const nested = (depth: number): JsonObject => {
  let schema: JsonObject = { type: "string" };
  for (let level = 0; level < depth; level++) {
    schema = { type: "object", properties: { inner: schema }, required: ["inner"] };
  }
  return schema;
};

const deepValue = (depth: number): JsonValue => {
  let value: JsonValue = "end";
  for (let level = 0; level < depth; level++) value = [value];
  return value;
};

const self: JsonObject = { $ref: "#" };
const many = (count: number, schema: JsonObject): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, schema]));

describe("hostile schemas", () => {
  const cases: [string, JsonObject][] = [
    ["nesting of 10,000", nested(10_000)],
    ["a reference to itself", { $ref: "#" }],
    ["references in a circle", { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } }],
    ["required recursion", { type: "object", properties: { a: self, b: self }, required: ["a", "b"] }],
    [
      "wide required recursion",
      { type: "object", properties: many(200, self), required: Object.keys(many(200, self)) },
    ],
    ["wide optional recursion", { type: "object", properties: many(5_000, self) }],
    ["recursion in allOf", { type: "object", allOf: [self, self, self, self] }],
    ["recursion in anyOf", { anyOf: [self, self, self], properties: { x: { oneOf: [self, self] } }, required: ["x"] }],
    [
      "recursion in items",
      { type: "object", properties: { a: { type: "array", items: self, minItems: 1e9 } }, required: ["a"] },
    ],
    [
      "a huge enum",
      {
        type: "object",
        properties: { a: { enum: Array.from({ length: 200_000 }, (_, i) => `v${i}`) } },
        required: ["a"],
      },
    ],
    [
      "many huge enums",
      {
        type: "object",
        properties: many(200, { $ref: "#/$defs/e" }),
        required: Object.keys(many(200, self)),
        $defs: { e: { enum: Array.from({ length: 100_000 }, (_, i) => `v ${i}`) } },
      },
    ],
    ["a deep default", { type: "object", properties: { a: { default: deepValue(10_000) } }, required: ["a"] }],
    ["a deep constant", { type: "object", properties: { a: { const: deepValue(10_000) } }, required: ["a"] }],
    [
      "greedy patterns",
      {
        type: "object",
        properties: many(200, { type: "string", pattern: "^((((((x*)*)*)*)*)*)*b{5}$", minLength: 50 }),
        required: Object.keys(many(200, self)),
      },
    ],
    [
      "references among thousands of keys",
      {
        ...many(50_000, {}),
        type: "object",
        properties: { a: self, b: self },
        required: ["a", "b"],
        allOf: [self, self],
      },
    ],
    ["a text of a billion", { type: "object", properties: { a: { type: "string", minLength: 1e9 } }, required: ["a"] }],
    [
      "keywords of the wrong kind",
      { type: 7, properties: [1], required: "x", enum: {}, anyOf: 3, items: "no", allOf: [null, 1, []] },
    ],
  ];

  /** Processor time, and the best of three: the machine may be busy. */
  async function cost(schema: JsonObject, question: string): Promise<number> {
    const times: number[] = [];
    for (let run = 0; run < 3; run++) {
      const before = process.cpuUsage();
      expect(await argumentsFor(schema, question)).toBeTypeOf("object");
      times.push(process.cpuUsage(before).user / 1_000);
    }
    return Math.min(...times);
  }

  it.each(cases)("%s", async (_, schema) => {
    expect(await cost(schema, 'Use probe in Paris with "a" and 3')).toBeLessThan(tooMuch);
  });

  it.each(["a ", ".", "Paris and ", "1, ", '"a" and ', "/a"])("and an endless question: %s", async (words) => {
    const properties = many(250, { anyOf: [{ type: "array", items: { type: "string" } }, { type: "number" }] });
    const schema = { type: "object", properties, required: Object.keys(properties) };
    expect(await cost(schema, words.repeat(20_000))).toBeLessThan(tooMuch);
  });

  it("as an output format", async () => {
    for (const [, schema] of cases) {
      const { text } = await ask("hello", { format: { type: "json_schema", name: "x", schema } });
      expect(() => JSON.parse(text)).not.toThrow();
    }
  });
});

describe("any turn", () => {
  const name = fc.oneof(fc.constantFrom("get_weather", "probe", ""), fc.string({ unit: "binary", maxLength: 12 }));
  const words = fc.oneof(questions, fc.lorem());
  const json = fc.dictionary(fc.string({ maxLength: 6 }), fc.jsonValue() as fc.Arbitrary<JsonValue>, { maxKeys: 4 });
  const tools: fc.Arbitrary<Tool> = fc.oneof(
    fc.record({
      type: fc.constant("function" as const),
      name,
      description: words,
      parameters: fc.oneof(schemas, json),
    }),
    fc.record({ type: fc.constant("custom" as const), name, description: words, format: json }),
    fc.constant<Tool>({ type: "hosted", format: "responses", definition: { type: "web_search" } }),
  );
  const toolName = fc.record({ kind: fc.constantFrom("function" as const, "custom" as const), name });
  const choices: fc.Arbitrary<ToolChoice> = fc.oneof(
    fc.constantFrom<ToolChoice[]>({ mode: "auto" }, { mode: "none" }, { mode: "required" }),
    fc.record({ mode: fc.constant("forced" as const), tool: toolName }),
    fc.record({
      mode: fc.constant("allowed" as const),
      required: fc.boolean(),
      tools: fc.array(toolName),
      others: fc.constant<JsonObject[]>([]),
    }),
    fc.record({ mode: fc.constant("hosted" as const), format: fc.constant("chat" as const), choice: json }),
  );
  const items: fc.Arbitrary<Item> = fc.oneof(
    fc.record({
      type: fc.constant("message" as const),
      role: fc.constantFrom("user" as const, "assistant" as const, "system" as const),
      content: fc.array(fc.record({ type: fc.constant("text" as const), text: words }), { maxLength: 2 }),
    }),
    fc.record({
      type: fc.constant("call" as const),
      kind: fc.constant("function" as const),
      callId: name,
      name,
      arguments: words,
    }),
    fc.record({
      type: fc.constant("output" as const),
      kind: fc.constant("custom" as const),
      callId: name,
      output: words,
    }),
    fc.record({ type: fc.constant("reasoning" as const), summary: fc.array(words) }),
    fc.record({ type: fc.constant("opaque" as const), format: fc.constant("chat" as const), fields: json }),
  );
  const turns: fc.Arbitrary<Turn> = fc
    .record({
      input: fc.array(items, { maxLength: 5 }),
      stream: fc.boolean(),
      tools: fc.array(tools, { maxLength: 4 }),
      choice: choices,
      settings: fc.record(
        {
          maxOutputTokens: fc.nat({ max: 60 }),
          parallelToolCalls: fc.boolean(),
          effort: fc.constant("low"),
        },
        { requiredKeys: [] },
      ),
    })
    .map(({ input, ...more }) => turnOf(input, more));

  it("is answered, ends once, and ends the same way each time", async () => {
    await fc.assert(
      fc.asyncProperty(turns, async (turn) => {
        const events = await play(turn);
        const { finish, calls, text } = heard(events);
        expect(events.filter((event) => event.type === "round.finished")).toHaveLength(1);
        expect(events.at(-1)?.type).toBe("round.finished");
        expect(events.at(-2)?.type).toBe("usage.reported");
        expect(calls.length).toBeLessThanOrEqual(turn.settings.parallelToolCalls === false ? 1 : 8);
        if (turn.choice.mode === "none") expect(calls).toEqual([]);
        if (calls.length > 0) expect(text).toBe("");
        for (const call of calls) {
          expect(turn.tools.some((tool) => tool.type !== "hosted" && tool.name === call.name)).toBe(true);
          if (call.kind === "function") expect(JSON.parse(call.arguments)).toBeTypeOf("object");
        }
        expect(["stop", "length"]).toContain(finish);
        expect(await play(turn)).toEqual(events);
      }),
      { numRuns: 500 },
    );
  });
});
