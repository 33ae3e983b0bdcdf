import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject, TurnError } from "../../src/turn/index.ts";
import { bounds } from "../../src/wire/bounds.ts";
import { decodeChatRequest } from "../../src/wire/chat/decode.ts";
import { decodeResponsesRequest } from "../../src/wire/responses/decode.ts";
import type { Api } from "../support/api.ts";
import { noLimits } from "../support/limits.ts";

const decode: Record<Api, (body: JsonObject) => unknown> = {
  chat: (body: JsonObject) => decodeChatRequest(body, noLimits),
  responses: (body: JsonObject) => decodeResponsesRequest(body, noLimits),
};
const usual: Record<Api, JsonObject> = {
  chat: { model: "m", messages: [{ role: "user", content: "hi" }] },
  responses: { model: "m", input: "hi" },
};

/** The error that a request is answered with; none where it is taken. */
function refusal(api: Api, fields: JsonObject): TurnError["body"] | undefined {
  try {
    decode[api]({ ...usual[api], ...fields });
    return undefined;
  } catch (error) {
    return (error as TurnError).body;
  }
}

const long = (most: number) => "n".repeat(most + 1);
const list = <T>(most: number, entry: T): T[] => Array.from({ length: most + 1 }, () => entry);
const user = { role: "user", content: "hi" };
const call = (id: string, name: string) => ({ id, type: "function", function: { name, arguments: "{}" } });
const assistant = (...calls: JsonObject[]) => ({ role: "assistant", tool_calls: calls });
const tool = { type: "function", name: "f" };

type Case = [param: string, Api, JsonObject, code?: string];

const shared: ((api: Api) => Case)[] = [
  (api) => ["model", api, { model: long(bounds.model) }],
  (api) => ["user", api, { user: long(bounds.user) }],
  (api) => ["safety_identifier", api, { safety_identifier: long(bounds.user) }],
  (api) => ["prompt_cache_key", api, { prompt_cache_key: long(bounds.user) }],
  (api) => ["service_tier", api, { service_tier: long(bounds.word) }],
  (api) => ["tools", api, { tools: list(bounds.tools, tool) }, "array_above_max_length"],
  (api) => ["tools[1].type", api, { tools: [tool, { type: long(bounds.word) }] }],
  (api) => ["tools[0].name", api, { tools: [{ type: "mcp", name: long(bounds.name) }] }],
  (api) => ["tools[0].description", api, { tools: [{ ...tool, description: long(bounds.description) }] }],
  (api) => ["tool_choice", api, { tool_choice: long(bounds.name) }],
  (api) => ["tool_choice.name", api, { tool_choice: { type: "function", name: long(bounds.name) } }],
  (api) => [
    "tool_choice.allowed_tools.tools",
    api,
    { tool_choice: { type: "allowed_tools", allowed_tools: { mode: "auto", tools: list(bounds.tools, tool) } } },
    "array_above_max_length",
  ],
  (api) => ["metadata.note", api, { metadata: { note: long(bounds.metadataValue) } }],
  (api) => ["metadata", api, { metadata: { [long(bounds.metadataKey)]: "x" } }],
  (api) => [
    "metadata",
    api,
    { metadata: Object.fromEntries(list(bounds.metadataPairs, "").map((value, at) => [`k${at}`, value])) },
    "object_above_max_properties",
  ],
];

const chat: Case[] = [
  ["functions[0].description", "chat", { functions: [{ name: "f", description: long(bounds.description) }] }],
  ["messages", "chat", { messages: list(bounds.conversation, user) }, "array_above_max_length"],
  ["messages[1].role", "chat", { messages: [user, { role: long(bounds.word), content: "x" }] }],
  ["messages[0].name", "chat", { messages: [{ ...user, name: long(bounds.name) }] }],
  ["messages[0].tool_call_id", "chat", { messages: [{ role: "tool", tool_call_id: long(bounds.id), content: "" }] }],
  ["messages[0].tool_calls[1].id", "chat", { messages: [assistant(call("a", "f"), call(long(bounds.id), "f"))] }],
  ["messages[0].tool_calls[0].function.name", "chat", { messages: [assistant(call("a", long(bounds.name)))] }],
  [
    "messages[0].tool_calls[0].custom.name",
    "chat",
    { messages: [assistant({ id: "a", type: "custom", custom: { name: long(bounds.name), input: "" } })] },
  ],
  [
    "messages[0].tool_calls",
    "chat",
    { messages: [assistant(...list(bounds.callsOfMessage, call("a", "f")))] },
    "array_above_max_length",
  ],
  [
    "messages[0].function_call.name",
    "chat",
    { messages: [{ role: "assistant", function_call: { name: long(bounds.name), arguments: "" } }] },
  ],
  ["functions", "chat", { functions: list(bounds.tools, { name: "f" }) }, "array_above_max_length"],
  ["function_call.name", "chat", { functions: [{ name: "f" }], function_call: { name: long(bounds.name) } }],
  ["stop", "chat", { stop: long(bounds.stopSequence) }],
  ["stop[1]", "chat", { stop: ["a", long(bounds.stopSequence)] }],
  ["stop", "chat", { stop: list(bounds.stopSequences, "a") }, "array_above_max_length"],
  ["response_format.type", "chat", { response_format: { type: long(bounds.word) } }],
  [
    "response_format.json_schema.name",
    "chat",
    { response_format: { type: "json_schema", json_schema: { name: long(bounds.name) } } },
  ],
  ["reasoning_effort", "chat", { reasoning_effort: long(bounds.word) }],
  ["verbosity", "chat", { verbosity: long(bounds.word) }],
];

const responses: Case[] = [
  ["input", "responses", { input: list(bounds.conversation, user) }, "array_above_max_length"],
  ["input[0].type", "responses", { input: [{ type: long(bounds.word) }] }],
  ["input[0].role", "responses", { input: [{ role: long(bounds.word), content: "x" }] }],
  ["input[0].id", "responses", { input: [{ type: "item_reference", id: long(bounds.id) }] }],
  ["input[1].call_id", "responses", { input: [user, { type: "function_call", call_id: long(bounds.id), name: "f" }] }],
  ["input[0].name", "responses", { input: [{ type: "function_call", call_id: "c", name: long(bounds.name) }] }],
  ["input", "responses", { input: list(bounds.references, { type: "item_reference", id: "a" }) }, "invalid_request"],
  ["previous_response_id", "responses", { previous_response_id: long(bounds.id) }],
  ["conversation", "responses", { conversation: long(bounds.id) }],
  ["text.format.type", "responses", { text: { format: { type: long(bounds.word) } } }],
  ["text.format.name", "responses", { text: { format: { type: "json_schema", name: long(bounds.name) } } }],
  ["text.verbosity", "responses", { text: { verbosity: long(bounds.word) } }],
  ["reasoning.effort", "responses", { reasoning: { effort: long(bounds.word) } }],
  ["reasoning.summary", "responses", { reasoning: { summary: long(bounds.word) } }],
];

const cases = [
  ...(["chat", "responses"] as const).flatMap((api) => shared.map((make) => make(api))),
  ...chat,
  ...responses,
];

describe("what a request may name is bounded", () => {
  it.each(cases)("%s on %s", (param, api, fields, code = "string_above_max_length") => {
    const error = refusal(api, fields);
    expect(error).toMatchObject({ type: "invalid_request_error", param, code });
    expect(error?.message).toMatch(
      /must have at most \d+ (?:characters|entries|pairs|references to stored items), but has \d+\.$/,
    );
    expect(error?.message).toContain(`\`${param}\``);
    expect(error?.message.length).toBeLessThan(2_000);
  });
});

describe("what real clients send is far within", () => {
  it.each<[string, Api, JsonObject]>([
    ["OpenAI's own limits", "chat", { tools: list(127, tool), stop: list(3, "stop"), user: "u".repeat(64) }],
    ["an ARN as the model", "chat", { model: `arn:aws:bedrock:${"x".repeat(1_500)}` }],
    ["a tool with a name of 256 characters", "chat", { tools: [{ type: "function", name: "f".repeat(256) }] }],
    ["a call id with signed thoughts in it", "chat", { messages: [assistant(call("c".repeat(20_000), "f"))] }],
    ["an item id of 500 characters", "responses", { input: [{ type: "item_reference", id: "i".repeat(500) }] }],
    [
      "metadata as large as OpenAI takes it",
      "responses",
      {
        metadata: Object.fromEntries([...Array(16)].map((_, at) => [`${at}`.padStart(64, "k"), "v".repeat(512)])),
      },
    ],
    ["a thousand tools", "responses", { tools: list(999, tool) }],
    ["ten thousand messages", "chat", { messages: list(9_999, user) }],
    ["ten thousand items", "responses", { input: list(9_999, user) }],
  ])("%s", (_case, api, fields) => {
    expect(refusal(api, fields)).toBeUndefined();
  });

  it("a value at its bound is taken, and one more is not", () => {
    fc.assert(
      fc.property(fc.constantFrom<Api>("chat", "responses"), fc.integer({ min: -3, max: 3 }), (api, beyond) => {
        const error = refusal(api, { user: "u".repeat(bounds.user + beyond) });
        expect(error === undefined).toBe(beyond <= 0);
      }),
    );
  });
});

describe("docs/limits.md", () => {
  const page = readFileSync(new URL("../../docs/limits.md", import.meta.url), "utf8");
  it.each(Object.entries(bounds))("has the bound of %s", (_name, most) => {
    expect(page.slice(page.indexOf("## Fields"))).toMatch(new RegExp(`\\b${most.toLocaleString("en")}\\b`));
  });
});
