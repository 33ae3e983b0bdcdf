import { describe, expect, it } from "vitest";
import { ArgumentChecks, checkStrictSchemas } from "../../src/tools/validation/index.ts";
import type { JsonObject, Tool } from "../../src/turn/index.ts";
import { TurnError } from "../../src/turn/index.ts";

function tool(parameters: JsonObject, strict: boolean, name = "tool"): Tool {
  return { type: "function", name, parameters, strict };
}

async function refusal(...tools: Tool[]): Promise<TurnError | undefined> {
  try {
    await checkStrictSchemas(tools, (index) => `tools[${index}].function.parameters`);
    return undefined;
  } catch (error) {
    if (error instanceof TurnError) return error;
    throw error;
  }
}

const nested = (depth: number) => JSON.parse(`${'{"items":'.repeat(depth)}{}${"}".repeat(depth)}`);
const doubling = (levels: number) => ({
  $ref: "#/$defs/d0",
  $defs: Object.fromEntries(
    Array.from({ length: levels + 1 }, (_, level) => {
      const next = { $ref: `#/$defs/d${level + 1}` };
      return [`d${level}`, level === levels ? { type: "object" } : { allOf: [next, next] }];
    }),
  ),
});

describe("a strict tool whose schema cannot be checked is refused", () => {
  it.each<[string, JsonObject, RegExp]>([
    ["too large", { description: "x".repeat(70_000) }, /is larger than 64 KB\. Make it smaller/],
    ["too deep", nested(100), /is nested more than 96 levels deep/],
    ["too many parts", { anyOf: Array(2_500).fill({}) }, /has more than 2000 objects and lists/],
    ["too many values", { enum: Array.from({ length: 1_001 }, (_, index) => index) }, /more than 1000 enum values/],
    [
      "a reference to elsewhere",
      { $ref: "https://example.com/x.json" },
      /`\$ref` "https:\/\/example.com\/x.json", which does not lead/,
    ],
    ["a reference to a file", { $ref: "file:///etc/passwd" }, /does not lead to a schema inside it/],
    ["a reference to nothing", { items: { $ref: "#/$defs/a" } }, /"#\/\$defs\/a", which does not lead/],
    ["a reference to a prototype", { $ref: "#/constructor" }, /does not lead/],
    ["a reference to no schema", { $ref: "#/type", type: "object" }, /does not lead/],
    ["a reference to itself", { $ref: "#" }, /leads back to itself without going deeper/],
    ["a reference to itself by an alternative", { anyOf: [{ type: "null" }, { $ref: "#" }] }, /leads back to itself/],
    ["a reference to itself by a dependency", { dependentSchemas: { a: { $ref: "#" } } }, /leads back to itself/],
    [
      "two that refer to each other",
      { $ref: "#/$defs/a", $defs: { a: { not: { $ref: "#/$defs/b" } }, b: { $ref: "#/$defs/a" } } },
      /leads back to itself/,
    ],
    ["an expansion without end", doubling(12), /comes to more than 5000 schemas for one value/],
    ["a long row of references", doubling(30), /more than 32 schemas around one another/],
  ])("%s", async (_, schema, words) => {
    const error = await refusal(tool({ type: "object" }, true), tool(schema, true, "second"));
    expect(error?.status).toBe(400);
    expect(error?.code).toBe("invalid_request");
    expect(error?.body.param).toBe("tools[1].function.parameters");
    expect(error?.message).toMatch(words);
    expect(error?.message).toMatch(/^The schema of the strict tool "second" cannot be checked because it /);
    expect(error?.message).toMatch(/, or leave `strict` out\.$/);
  });

  it("with others that are too much together", async () => {
    const parameters = { anyOf: Array.from({ length: 1_500 }, () => ({})) };
    const tools = Array.from({ length: 20 }, (_, index) => tool(parameters, true, `tool${index}`));
    expect((await refusal(...tools))?.message).toMatch(
      /is, together with those of the strict tools before it, too large \(20000 objects and lists\)/,
    );
    expect(await refusal(...tools.slice(0, 10))).toBeUndefined();
  });

  it("and its calls do not fit, should one come", () => {
    const schema = { $ref: "#" };
    expect(new ArgumentChecks([tool(schema, true)]).check("tool", {})?.message).toMatch(/^are too much work to check/);
    expect(new ArgumentChecks([tool(schema, false)]).check("tool", {})).toBeUndefined();
  });
});

describe("no request is refused", () => {
  it("for a tool that is not strict", async () => {
    expect(
      await refusal(tool({ $ref: "#" }, false), tool(nested(100), false), tool({ type: "object" }, true)),
    ).toBeUndefined();
    expect(await refusal({ type: "custom", name: "c" }, { type: "function", name: "f", strict: true })).toBeUndefined();
  });

  it.each<[string, JsonObject]>([
    ["recursion", { properties: { left: { $ref: "#" }, right: { $ref: "#" } } }],
    ["recursion in lists", { items: { anyOf: [{ type: "string" }, { $ref: "#" }] } }],
    ["recursion in the names of properties", { propertyNames: { $ref: "#" } }],
    ["references that nobody follows", { $defs: { a: { $ref: "https://example.com" } } }],
    ["some repetition", doubling(6)],
    ["a name like a prototype's", JSON.parse('{"properties":{"__proto__":{"type":"string"},"constructor":{}}}')],
    ["ten levels of objects that may be null, in lists", deepObject(10)],
  ])("for %s", async (_, schema) => {
    expect(await refusal(tool(schema, true))).toBeUndefined();
  });
});

function deepObject(levels: number): JsonObject {
  if (levels === 0) return { type: "string" };
  const inner = { anyOf: [{ type: "null" }, deepObject(levels - 1)] };
  return { type: "object", properties: { inner: { type: "array", items: inner } }, required: ["inner"] };
}
