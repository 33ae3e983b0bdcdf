import { describe, expect, it } from "vitest";
import { isStrict } from "../../../src/backends/codex/strict-schema.ts";
import type { JsonObject } from "../../../src/turn/index.ts";

const text = { type: "string" };
/** An object as the service wants it: every property required, and no other allowed. */
const closed = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  ...{ type: "object", properties, required: Object.keys(properties), additionalProperties: false },
  ...more,
});
const open = { type: "object", properties: { city: text }, required: ["city"] };

describe("an answer can be held strictly to a schema", () => {
  it.each<[string, JsonObject]>([
    ["where every property is required and no other allowed", closed({ city: text, days: { type: "integer" } })],
    ["where that holds inside too", closed({ place: closed({ city: text }), tags: { type: "array", items: text } })],
    ["where a property may be null", closed({ city: { type: ["string", "null"] } })],
    ["where a choice is among such", closed({ place: { anyOf: [closed({ city: text }), { type: "null" }] } })],
    ["where a definition is such", closed({ place: { $ref: "#/$defs/place" } }, { $defs: { place: closed({}) } })],
    ["where a property is called as a keyword is", closed({ properties: text, required: text, enum: text })],
    ["where what looks like a schema is a value", closed({ place: { enum: [open, "none"] } })],
  ])("%s", (_, schema) => {
    expect(isStrict(schema)).toBe(true);
  });

  it.each<[string, JsonObject]>([
    ["where others are allowed", open],
    ["where others are allowed expressly", closed({ city: text }, { additionalProperties: true })],
    ["where others of a kind are allowed", closed({ city: text }, { additionalProperties: text })],
    ["where a property may be left out", closed({ city: text, unit: text }, { required: ["city"] })],
    ["where nothing is required", { type: "object", properties: { city: text }, additionalProperties: false }],
    ["where that is so inside", closed({ place: open })],
    ["where that is so in a list", closed({ places: { type: "array", items: open } })],
    ["where that is so in a choice", closed({ place: { anyOf: [open, { type: "null" }] } })],
    ["where that is so in a definition", closed({ place: { $ref: "#/$defs/place" } }, { $defs: { place: open } })],
    ["where that is so under a name of a keyword", closed({ default: open })],
  ])("but not %s", (_, schema) => {
    expect(isStrict(schema)).toBe(false);
  });

  it.each<[string, JsonObject]>([
    ["where any object will do", { type: "object" }],
    ["where any object will do inside", closed({ extra: { type: "object" } })],
    [
      "where an object has any names",
      closed({ counts: { type: "object", additionalProperties: { type: "integer" } } }),
    ],
    ["where it is no object", { type: "array", items: text }],
    ["where it is a choice itself", { anyOf: [closed({ city: text }), closed({ town: text })] }],
    ...["oneOf", "allOf"].map((key): [string, JsonObject] => [`with ${key}`, closed({ x: { [key]: [text] } })]),
    ["with not", closed({ city: { not: { type: "null" } } })],
    ["with patternProperties", closed({ x: closed({}, { patternProperties: { "^a": text } }) })],
  ])("but not %s, which the service refuses", (_, schema) => {
    expect(isStrict(schema)).toBe(false);
  });
});
