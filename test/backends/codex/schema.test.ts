import { describe, expect, it } from "vitest";
import { describeTool } from "../../../src/backends/codex/schema.ts";
import type { JsonObject } from "../../../src/turn/index.ts";

const sent = (parameters: JsonObject) => describeTool("", parameters).inputSchema;

describe("a schema that Codex would misread", () => {
  it.each<[string, JsonObject, JsonObject]>([
    ["anything goes", { properties: { x: true } as JsonObject }, { properties: { x: {} } }],
    ["one number", { properties: { x: { const: 5 } } }, { properties: { x: { enum: [5], type: "integer" } } }],
    [
      "some numbers",
      { properties: { x: { enum: [1, 2.5] } } },
      { properties: { x: { enum: [1, 2.5], type: ["integer", "number"] } } },
    ],
    [
      "a list of anything",
      { properties: { x: { type: "array" } } },
      { properties: { x: { type: "array", items: {} } } },
    ],
    [
      "a list by places",
      { properties: { x: { type: "array", items: [{ type: "string" }] } } },
      { properties: { x: { type: "array", items: {} } } },
    ],
    ["required as a word", { type: "object", required: "x" }, { type: "object" }],
    ["nothing at all", { type: "null" }, { type: "object", properties: {} }],
    [
      "nested",
      { anyOf: [{ properties: { x: { const: "a" } } }] },
      { anyOf: [{ properties: { x: { enum: ["a"], type: "string" } } }] },
    ],
  ])("says what it means: %s", (_, parameters, expected) => {
    expect(sent(parameters)).toEqual(expected);
  });

  it("stays as it is where Codex reads it right", () => {
    const parameters = {
      type: "object",
      properties: {
        city: { type: "string", description: "Where" },
        tags: { type: "array", items: { type: "string" } },
      },
      required: ["city"],
      additionalProperties: false,
      $defs: { a: { type: "number" } },
    };
    expect(sent(parameters)).toEqual(parameters);
  });
});

describe("a schema that is too long for Codex", () => {
  const long = { type: "object", properties: { x: { type: "string", description: "y".repeat(6_000) } } };

  it("is told whole in the tool's description", () => {
    const { description } = describeTool("Looks it up.", long);
    expect(description.startsWith("Looks it up.\n\n")).toBe(true);
    expect(description).toContain(JSON.stringify(long));
  });

  it("is not where it is longer than any model should read", () => {
    const huge = { type: "object", description: "y".repeat(100_000) };
    expect(describeTool("Looks it up.", huge).description).toBe("Looks it up.");
  });
});

describe("a schema out of which Codex takes something", () => {
  const inside = (city: JsonObject): JsonObject => ({ type: "object", properties: { city }, required: ["city"] });
  const isTold = (parameters: JsonObject) =>
    describeTool("Looks it up.", parameters).description.includes(JSON.stringify(parameters));

  it.each<[string, JsonObject]>([
    ["a pattern", inside({ type: "string", pattern: "^[A-Z]" })],
    ["a limit", inside({ type: "integer", minimum: 1 })],
    ["a default", inside({ type: "string", default: "Rome" })],
    ["words without a type", inside({ description: "Where to look" })],
    ["a limit in a list", inside({ type: "array", items: { type: "string", maxLength: 3 } })],
    ["a limit in a choice", inside({ anyOf: [{ type: "string", format: "date" }, { type: "null" }] })],
    ["a limit in a definition", { ...inside({ $ref: "#/$defs/c" }), $defs: { c: { type: "string", minLength: 1 } } }],
  ])("is told whole in the tool's description: %s", (_, parameters) => {
    expect(isTold(parameters)).toBe(true);
  });

  it.each<[string, JsonObject]>([
    ["nothing is lost", inside({ type: "string", description: "Where to look", enum: ["Rome", "Oslo"] })],
    ["only a title is", { ...inside({ type: "string", title: "City" }), $schema: "https://json-schema.org/x" }],
    ["a property is called as a keyword is", { type: "object", properties: { pattern: { type: "string" } } }],
  ])("is not repeated where %s", (_, parameters) => {
    expect(describeTool("Looks it up.", parameters).description).toBe("Looks it up.");
  });
});
