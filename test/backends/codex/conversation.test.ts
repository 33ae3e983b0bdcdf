import { describe, expect, it } from "vitest";
import { writeConversation } from "../../../src/backends/codex/conversation.ts";
import { ToolNames } from "../../../src/backends/codex/tool-names.ts";
import type { CallItem, Item, JsonObject, OutputItem, Turn } from "../../../src/turn/index.ts";

const png = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUg==";

function written(input: Item[], more: Partial<Turn> = {}): JsonObject[] {
  const nothing = { tools: [], choice: { mode: "auto" as const }, settings: {}, parameters: {} };
  const names = new ToolNames([], ["exec_command"]);
  return writeConversation({ api: "responses", model: "m", stream: false, input, ...nothing, ...more }, names);
}

const call = (text: string, more: Partial<CallItem> = {}): CallItem => ({
  ...{ type: "call", kind: "function", callId: "call_1", name: "get_weather", arguments: text, id: "fc_1" },
  ...more,
});
const output = (text: string, more: Partial<OutputItem> = {}): OutputItem => ({
  ...{ type: "output", kind: "function", callId: "call_1", output: text },
  ...more,
});
const user = (text: string): Item => ({ type: "message", role: "user", content: [{ type: "text", text }] });
const saying = (text: string) => ({ type: "message", content: [{ text: expect.stringContaining(text) }] });

describe("a result", () => {
  it.each(["function", "custom"] as const)("is of the kind of its call: %s", (kind) => {
    const other = kind === "custom" ? "function" : "custom";
    const type = kind === "custom" ? "custom_tool_call" : "function_call";
    expect(written([call("{}", { kind }), output("kept", { kind: other })])).toMatchObject([
      { type, call_id: "call_1" },
      { type: `${type}_output`, call_id: "call_1", output: "kept" },
    ]);
  });

  it("is told as the user's words where its call is not there, with what it shows", () => {
    const parts = [
      { type: "text" as const, text: "The map:" },
      { type: "image" as const, url: png },
    ];
    const [told, ...more] = written([output("", { output: parts })]);
    expect(more).toEqual([]);
    expect(told).toMatchObject({ type: "message", role: "user" });
    expect(JSON.stringify(told)).toContain("The map:");
    expect(JSON.stringify(told)).toContain(png);
  });

  it("is told so also where it stands before its call", () => {
    const [early, made] = written([output("21"), call('{"city":"Rome"}')]);
    expect(early).toMatchObject({ role: "user", ...saying("21") });
    expect(made).toMatchObject({ role: "user", ...saying("No result") });
  });
});

describe("calls of one id", () => {
  const [rome, oslo] = ['{"city":"Rome"}', '{"city":"Oslo"}'] as const;

  it("have their results in their order where they were made at once", () => {
    expect(written([call(rome), call(oslo), output("21"), output("3")])).toMatchObject([
      { type: "function_call", arguments: rome },
      { type: "function_call", arguments: oslo },
      { type: "function_call_output", output: "21" },
      { type: "function_call_output", output: "3" },
    ]);
  });

  it("have their own results where the first has none", () => {
    expect(written([call(rome), user("Oslo, rather."), call(oslo), output("3")])).toMatchObject([
      { role: "user", ...saying("Rome") },
      { role: "user", ...saying("Oslo, rather.") },
      { type: "function_call", arguments: oslo },
      { type: "function_call_output", output: "3" },
    ]);
  });

  it("have their own results where the second has none", () => {
    expect(written([call(rome), output("21"), call(oslo), user("Never mind.")])).toMatchObject([
      { type: "function_call", arguments: rome },
      { type: "function_call_output", output: "21" },
      { role: "user", ...saying("Oslo") },
      { role: "user", ...saying("Never mind.") },
    ]);
  });

  it("take no result twice", () => {
    const [, , twice] = written([call(rome), output("21"), output("22")]);
    expect(twice).toMatchObject({ role: "user", ...saying("22") });
  });
});

describe("what else stands in a conversation", () => {
  it("is the names that Codex knows, and no ids of items that it would look up", () => {
    const [made] = written([call("{}", { name: "exec_command" }), output("done")]);
    expect(made).toMatchObject({ type: "function_call", name: "client_exec_command" });
    expect(made).not.toMatchObject({ id: expect.any(String) });
  });

  it("is reasoning where it is sealed, with or without an id, and none where it is not", () => {
    const thought = { type: "reasoning" as const, summary: ["Hm."], encrypted: "U0VDUkVU" };
    const sealed = { type: "reasoning", encrypted_content: "U0VDUkVU" };
    expect(written([thought, { ...thought, id: "rs_1" }])).toMatchObject([sealed, { ...sealed, id: "rs_1" }]);
    expect(written([{ type: "reasoning", summary: ["Hm."], id: "rs_1" }])).toEqual([]);
  });

  it("is the phase of a message of the Responses API, and nothing else of its own", () => {
    const said = (api: "chat" | "responses"): Item => ({
      ...{ type: "message", role: "assistant", content: [{ type: "text", text: "Hm." }] },
      extensions: { format: api, fields: { phase: "commentary", status: "completed", other: 1 } },
    });
    expect(written([said("responses")])).toMatchObject([{ role: "assistant", phase: "commentary" }]);
    expect(written([said("responses")])[0]).not.toHaveProperty("other");
    expect(written([said("chat")])[0]).not.toHaveProperty("phase");
  });

  it("is what the service has made and can read, and nothing that Codex would act on", () => {
    const item = (type: string): Item => ({ type: "opaque", format: "responses", fields: { type, id: "x_1" } });
    const kept = ["compaction", "web_search_call"];
    const others = ["additional_tools", "local_shell_call", "mcp_call", "tool_search_call", "image_generation_call"];
    expect(written([...kept, ...others].map(item)).map(({ type }) => type)).toEqual(kept);
  });

  it("is the system's words as the developer's, behind the instructions", () => {
    const system: Item = { type: "message", role: "system", content: [{ type: "text", text: "Be kind." }] };
    expect(written([system], { instructions: "Be brief." })).toMatchObject([
      { role: "developer", ...saying("Be brief.") },
      { role: "developer", ...saying("Be kind.") },
    ]);
  });
});
