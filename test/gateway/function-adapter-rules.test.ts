import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/turn/index.ts";
import { requestFor } from "../support/gateway.ts";
import { input, onStage, patch, replyWith, request, toolNames } from "./function-adapters.ts";

const { play } = onStage();
const forms = [true, false] as const;
const count = {
  type: "object",
  properties: { n: { type: "number" } },
  required: ["n"],
  additionalProperties: false,
};
const strictly = [
  { type: "namespace", name: "a", tools: [{ type: "function", name: "count", parameters: count, strict: true }] },
  { type: "custom", name: "apply_patch" },
];

describe.each(["chat/m", "prompted/m"])("strict functions of a namespace, with %s", (model) => {
  it.each(forms)("are called as their schema demands, or the turn fails (stream: %s)", async (stream) => {
    const body = request(model, { tools: strictly, stream });
    const good = await play("responses", body, replyWith(model, { name: "a__count", arguments: '{"n":1}' }));
    expect(good.answer.items).toMatchObject([{ name: "count", namespace: "a", arguments: '{"n":1}' }]);
    const bad = await play("responses", body, replyWith(model, { name: "a__count", arguments: '{"n":"1"}' }));
    expect(bad.answer).toMatchObject({ items: [], error: { code: "tool_call_invalid" } });
  });

  it("let free text beside them through as it is", async () => {
    const body = request(model, { tools: strictly, stream: true });
    const { answer } = await play(
      "responses",
      body,
      replyWith(model, { name: "apply_patch", arguments: input(patch) }),
    );
    expect(answer.items).toMatchObject([{ type: "custom_tool_call", input: patch }]);
  });
});

describe("strict functions of a namespace", () => {
  it("are asked for again by the name that the model knows", async () => {
    const calls = ['{"n":"1"}', '{"n":1}'].map((text) => ({ calls: [{ name: "a__count", arguments: text }] }));
    const { answer, asked } = await play("responses", request("reask", { tools: strictly }), calls);
    expect(answer.items).toMatchObject([{ name: "count", namespace: "a", arguments: '{"n":1}' }]);
    expect(JSON.stringify(asked[1]?.messages)).toContain("a__count");
  });

  it("with a schema that nobody can check are refused, with its place", async () => {
    const parameters = { $ref: "#" };
    const tool = { type: "function", name: "f", parameters, strict: true };
    const plain = await play("responses", request("chat/m", { tools: [tool] }), { say: "no" });
    expect(plain.answer).toMatchObject({ status: 400, error: { param: "tools[0].parameters" } });
    const within = request("chat/m", { tools: [{ type: "namespace", name: "n", tools: [tool] }] });
    const { answer } = await play("responses", within, { say: "no" });
    expect(answer).toMatchObject({ status: 400, error: { param: "tools[0].tools[0].parameters" } });
  });
});

describe.each(["chat/m", "prompted/m"])("a choice, with %s", (model) => {
  const patched = { name: "apply_patch", arguments: input(patch) };

  it("of none lets no such call through", async () => {
    const body = request(model, { tool_choice: "none" });
    const { answer } = await play("responses", body, replyWith(model, patched));
    expect(answer).toMatchObject({ status: 200, calls: [], ended: "completed" });
  });

  it("that demands any call is met by such a call, and fails without", async () => {
    const body = request(model, { tool_choice: "required" });
    expect((await play("responses", body, replyWith(model, patched))).answer.calls).toMatchObject([{ kind: "custom" }]);
    const search = replyWith(model, { name: "tool_search", arguments: '{"query":"x"}' });
    expect((await play("responses", body, search)).answer.items).toMatchObject([{ type: "tool_search_call" }]);
    expect((await play("responses", body, { say: "No." })).answer.error?.code).toBe("tool_call_invalid");
  });

  it.each<[string, JsonObject, JsonObject]>([
    ["that takes free text", { type: "custom", name: "apply_patch" }, { name: "apply_patch", arguments: input("x") }],
    [
      "of a namespace",
      { type: "function", name: "read", namespace: "mail" },
      { name: "mail__read", arguments: '{"path":"a"}' },
    ],
    ["that is the search", { type: "tool_search" }, { name: "tool_search", arguments: '{"query":"x"}' }],
  ])("of one tool %s is told, and holds", async (_which, choice, call) => {
    const { name } = call;
    const right = { name: String(name), arguments: String(call.arguments) };
    const body = request(model, { tool_choice: choice });
    const { answer, asked } = await play(
      "responses",
      body,
      replyWith(model, { name: "look", arguments: '{"path":"b"}' }, right),
    );
    expect(answer.items).toHaveLength(1);
    expect(answer.items[0]?.type).not.toBe("message");
    expect(answer.items[0]).not.toMatchObject({ name: "look" });
    if (model === "chat/m") expect(asked[0]?.tool_choice).toEqual({ type: "function", function: { name } });
    const wrong = await play("responses", body, replyWith(model, { name: "look", arguments: '{"path":"b"}' }));
    expect(wrong.answer.error?.code).toBe("tool_call_invalid");
  });

  it("of several tools offers and lets through just these", async () => {
    const allowed = [
      { type: "custom", name: "apply_patch" },
      { type: "namespace", name: "files" },
      { type: "tool_search" },
    ];
    const body = request(model, { tool_choice: { type: "allowed_tools", mode: "auto", tools: allowed } });
    const { answer, asked } = await play(
      "responses",
      body,
      replyWith(
        model,
        patched,
        { name: "mail__read", arguments: '{"path":"a"}' },
        { name: "files__edit", arguments: input("y") },
      ),
    );
    expect(answer.items).toMatchObject([{ name: "apply_patch" }, { name: "edit", namespace: "files" }]);
    if (model === "chat/m") {
      expect(toolNames(asked[0])).toEqual(["apply_patch", "files__read", "files__edit", "tool_search"]);
    }
  });
});

describe("a choice", () => {
  it("of a free-text tool of a Chat client is told as one of a function", async () => {
    const choice = { name: "apply_patch", kind: "custom" as const };
    const wish = { model: "chat/m", tools: [{ name: "apply_patch", kind: "custom" as const }], choice };
    const { answer, asked } = await play("chat", requestFor("chat", wish), {
      calls: [{ name: "apply_patch", arguments: input(patch) }],
    });
    expect(asked[0]?.tool_choice).toEqual({ type: "function", function: { name: "apply_patch" } });
    expect(answer.calls).toMatchObject([{ kind: "custom", arguments: patch }]);
  });

  it("of a tool that is nowhere is a mistake of the request", async () => {
    const body = request("chat/m", { tool_choice: { type: "function", name: "read", namespace: "nowhere" } });
    expect((await play("responses", body, { say: "no" })).answer).toMatchObject({
      status: 400,
      error: { param: "tool_choice" },
    });
  });

  it.each<[string, JsonObject, string]>([
    ["that takes free text", { type: "custom", name: "extra" }, "extra"],
    ["of a namespace", { type: "function", name: "f", namespace: "n" }, "n__f"],
  ])("may be of a tool %s that stands in the input", async (_which, choice, name) => {
    const inside = [
      { type: "custom", name: "extra" },
      { type: "namespace", name: "n", tools: [{ type: "function", name: "f" }] },
    ];
    const list = [
      { type: "additional_tools", role: "developer", tools: inside },
      { role: "user", content: "Go." },
    ];
    const body = { model: "chat/m", input: list, tool_choice: choice };
    const { answer } = await play("responses", body, { calls: [{ name, arguments: input("x") }] });
    expect(answer).toMatchObject({ status: 200, items: [{ name: choice.name }] });
  });

  it("of one call at a time holds for all kinds together", async () => {
    const { answer } = await play("responses", request("chat/m", { parallel_tool_calls: false }), {
      calls: [
        { name: "apply_patch", arguments: input("a") },
        { name: "files__read", arguments: "{}" },
      ],
    });
    expect(answer.items).toMatchObject([{ type: "custom_tool_call", input: "a" }]);
  });
});
