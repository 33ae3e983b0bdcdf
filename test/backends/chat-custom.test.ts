import { describe, expect, it } from "vitest";
import { chatApi } from "../../src/backends/chat/index.ts";
import { ProviderQuirks } from "../../src/backends/provider-quirks.ts";
import { readChoice, readTools } from "../../src/tools/index.ts";
import { type CallItem, finished, type JsonObject, type Turn } from "../../src/turn/index.ts";

const grammar = { syntax: "lark", definition: "start: /.+/" };
const [patch, fn, web] = readTools(
  [
    { type: "custom", name: "patch", description: "Edits", format: { type: "grammar", ...grammar } },
    { type: "function", name: "f" },
    { type: "web_search" },
  ],
  "responses",
);
if (!patch || !fn || !web) throw new Error("The tools were not read.");

describe("a chat backend has tools that take free text", () => {
  it.each([
    "https://api.openai.com/v1",
    "https://eu.api.openai.com/v1",
    "https://API.OpenAI.com/v1",
    "https://somebody.openai.azure.com/openai/v1",
  ])("at %s", (url) => {
    expect(chatApi.carries(patch, new ProviderQuirks(url))).toBe(true);
  });
});

describe("a chat backend has functions only", () => {
  it.each([
    "https://llm.chutes.ai/v1",
    "http://127.0.0.1:8000/v1",
    "http://localhost:11434/v1",
    "https://openrouter.ai/api/v1",
    "https://notopenai.com/v1",
    "https://api.openai.com.example.net/v1",
    "https://openai.example.com/v1",
    "https://example.com/api.openai.com/v1",
    "https://somebody.azure.com/v1",
    "https://api-openai.com/v1",
  ])("at %s", (url) => {
    const quirks = new ProviderQuirks(url);
    expect(chatApi.carries(patch, quirks)).toBe(false);
    expect(chatApi.carries(fn, quirks)).toBe(true);
  });

  it("and nowhere the tools of the other API", () => {
    for (const url of ["https://api.openai.com/v1", "https://example.com/v1"]) {
      expect(chatApi.carries(web, new ProviderQuirks(url))).toBe(false);
    }
  });
});

describe("a tool that takes free text, where a chat backend has it", () => {
  const quirks = new ProviderQuirks("https://api.openai.com/v1");
  const call: CallItem = { type: "call", kind: "custom", callId: "c1", name: "patch", arguments: 'say "hi"' };
  const turn = (choice: JsonObject | string): Turn => ({
    api: "responses",
    model: "m",
    stream: false,
    input: [call, { type: "output", kind: "custom", callId: "c1", output: "Done" }],
    tools: [patch, fn],
    choice: readChoice(choice, "responses"),
    settings: {},
    parameters: {},
  });

  it("is written nested, as are its choice and its calls", () => {
    const body = finished(chatApi.writeRequest(turn({ type: "custom", name: "patch" }), quirks));
    expect(body).toMatchObject({
      tools: [
        { type: "custom", custom: { name: "patch", description: "Edits", format: { type: "grammar", grammar } } },
        { type: "function", function: { name: "f" } },
      ],
      tool_choice: { type: "custom", custom: { name: "patch" } },
      messages: [
        { role: "assistant", tool_calls: [{ id: "c1", type: "custom", custom: { name: "patch", input: 'say "hi"' } }] },
        { role: "tool", tool_call_id: "c1", content: "Done" },
      ],
    });
  });

  it("alone is offered where it alone is allowed", () => {
    const body = finished(
      chatApi.writeRequest(turn({ type: "allowed_tools", tools: [{ type: "custom", name: "patch" }] }), quirks),
    );
    expect(body).toMatchObject({ tools: [{ type: "custom" }], tool_choice: "auto" });
  });
});
