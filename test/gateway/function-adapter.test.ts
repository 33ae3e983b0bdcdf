import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/turn/index.ts";
import { followUp, requestFor } from "../support/gateway.ts";
import { conversation, offeredTools } from "../support/provider.ts";
import { input, onStage, patch, replyWith, request, sentinel, toolNames, tools } from "./function-adapters.ts";

const { play } = onStage();
const apis = ["chat", "responses"] as const;
const forms = [true, false] as const;
const wish = { tools: [{ name: "apply_patch", kind: "custom" as const }] };
const cases = apis.flatMap((client) =>
  ["chat/m", "prompted/m"].flatMap((model) => forms.map((stream) => ({ client, model, stream }))),
);

describe.each(cases)("a $client client of $model (stream: $stream)", ({ client, model, stream }) => {
  it("gets the call of a tool that takes free text as the call of just that, and goes on after it", async () => {
    const body = requestFor(client, { ...wish, model, stream });
    const { answer, asked } = await play(
      client,
      body,
      replyWith(model, { name: "apply_patch", arguments: input(patch) }),
    );
    expect(answer).toMatchObject({ status: 200, ended: "completed", text: "" });
    expect(answer.calls).toMatchObject([{ name: "apply_patch", kind: "custom", arguments: patch }]);
    expect(answer.headers.get("x-toolwire-dropped-tools")).toBeNull();
    if (model === "chat/m")
      expect(offeredTools(asked[0] ?? {})).toMatchObject([{ kind: "function", name: "apply_patch" }]);
    else expect(JSON.stringify(asked[0])).toContain("apply_patch");

    const after = followUp(client, answer, ["Done!"]);
    const next = await play(client, requestFor(client, { ...wish, model, stream, after }), { say: "It is edited." });
    expect(next.answer.text).toBe("It is edited.");
    const told = JSON.stringify(next.asked[0]?.messages);
    expect(told).not.toContain('"custom"');
    expect(told).toContain("Done!");
    if (model !== "chat/m") return;
    const [call, output] = conversation(next.asked[0] ?? {}).filter(({ kind }) => kind !== "message");
    expect(call).toMatchObject({ id: answer.calls[0]?.id, name: "apply_patch", arguments: input(patch) });
    expect(output).toMatchObject({ id: answer.calls[0]?.id, text: "Done!" });
  });

  it("gets several such calls and others between them, each once", async () => {
    const both = { ...wish, tools: [...wish.tools, { name: "look" }], model, stream };
    const calls = ["one\n", "", "three"].map((text) => ({ name: "apply_patch", arguments: input(text) }));
    const look = { name: "look", arguments: '{"at":"it"}' };
    const { answer } = await play(client, requestFor(client, both), replyWith(model, ...calls, look));
    expect(answer.calls).toMatchObject([
      { kind: "custom", arguments: "one\n" },
      { kind: "custom", arguments: "" },
      { kind: "custom", arguments: "three" },
      { kind: "function", name: "look", arguments: '{"at":"it"}' },
    ]);
    expect(new Set(answer.calls.map(({ id }) => id)).size).toBe(4);
  });
});

describe.each(["chat/m", "prompted/m"])("all kinds of tools at once, of %s", (model) => {
  const calls = [
    { name: "apply_patch", arguments: input(patch) },
    { name: "files__read", arguments: '{"path":"a"}' },
    { name: "look", arguments: '{"path":"b"}' },
    { name: "tool_search", arguments: '{"query":"weather"}' },
    { name: "files__edit", arguments: input("x") },
    { name: "mail__read", arguments: '{"path":"c"}' },
  ];
  const items = [
    { type: "custom_tool_call", name: "apply_patch", input: patch },
    { type: "function_call", name: "read", namespace: "files", arguments: '{"path":"a"}', status: "completed" },
    { type: "function_call", name: "look", arguments: '{"path":"b"}', status: "completed" },
    { type: "tool_search_call", execution: "client", arguments: { query: "weather" }, status: "completed" },
    { type: "custom_tool_call", name: "edit", namespace: "files", input: "x" },
    { type: "function_call", name: "read", namespace: "mail", arguments: '{"path":"c"}', status: "completed" },
  ];

  it.each(forms)("come back as they were declared (stream: %s)", async (stream) => {
    const { answer } = await play("responses", request(model, { stream }), replyWith(model, ...calls));
    expect(answer.items).toMatchObject(items);
    expect(answer.items.map(({ id }) => String(id).split("_")[0])).toEqual(["ctc", "fc", "fc", "tsc", "ctc", "fc"]);
    expect(new Set(answer.items.flatMap(({ id, call_id }) => [id, call_id])).size).toBe(12);
    expect(answer.items[2]).not.toHaveProperty("namespace");
    const response = answer.json as JsonObject;
    expect(response.tools).toMatchObject(tools);
    expect(answer.raw).not.toContain("files__read");
  });

  it("go on from there", async () => {
    const { answer: first } = await play("responses", request(model), replyWith(model, ...calls));
    const outputs = first.items.map(({ type, call_id }) => {
      if (type === "tool_search_call") {
        const found = [{ type: "namespace", name: "sky", tools: [{ type: "function", name: "weather" }] }];
        return { type: "tool_search_output", call_id, execution: "client", status: "completed", tools: found };
      }
      const kind = type === "custom_tool_call" ? "custom_tool_call_output" : "function_call_output";
      return { type: kind, call_id, output: `of ${call_id}` };
    });
    const body = request(model, { input: [{ role: "user", content: "Do it." }, ...first.items, ...outputs] });
    const { answer, asked } = await play(
      "responses",
      body,
      replyWith(model, { name: "sky__weather", arguments: "{}" }),
    );
    expect(answer.items).toMatchObject([{ type: "function_call", name: "weather", namespace: "sky" }]);
    const [sent = {}] = asked;
    const text = JSON.stringify(sent);
    expect(text).toContain("Found, and can be called from now on: sky__weather");
    for (const { call_id } of outputs.filter(({ type }) => type !== "tool_search_output"))
      expect(text).toContain(`of ${call_id}`);
    if (model !== "chat/m") return;
    expect(toolNames(sent)).toEqual([
      ...["look", "apply_patch", "files__read", "files__edit", "mail__read"],
      "tool_search",
      "sky__weather",
    ]);
    expect(conversation(sent).flatMap((entry) => (entry.kind === "call" ? [entry] : []))).toMatchObject(
      calls.map(({ name, arguments: text }) => ({ name, arguments: text })),
    );
  });
});

describe("a model that only writes", () => {
  it("may say something before the call, and what follows is not given", async () => {
    const say = `I shall edit.\n${sentinel("apply_patch", input(patch))}\nThe result is: fine.`;
    const { answer } = await play("responses", request("prompted/m", { stream: true }), { say });
    expect(answer.text.trim()).toBe("I shall edit.");
    expect(answer.items.at(-1)).toMatchObject({ type: "custom_tool_call", input: patch });
  });
});
