import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/turn/index.ts";
import { named } from "../support/events-file.ts";
import { requestFor } from "../support/gateway.ts";
import type { Reply } from "../support/provider.ts";
import { input, onStage, patch, request, sentinel } from "./function-adapters.ts";

const { play, events } = onStage();
const apis = ["chat", "responses"] as const;
const forms = [true, false] as const;
const pairs = apis.flatMap((client) => forms.map((stream) => ({ client, stream })));
const wish = { tools: [{ name: "apply_patch", kind: "custom" as const }] };
const raw = { rawArguments: true };

const calling = (text: string, more: object = {}): Reply => ({
  calls: [{ name: "apply_patch", arguments: text }],
  ...more,
});

describe.each(pairs)("a call of a free-text tool that stops in the middle ($client client, stream: $stream)", (on) => {
  const body = requestFor(on.client, { ...wish, model: "chat/m", stream: on.stream });

  it.each<[string, string]>([
    ["in its text", input(patch).slice(0, 30)],
    ["behind its text", input(patch).slice(0, -1)],
    ["in an escape", '{"input":"one\\'],
    ["before its text", '{"input":'],
    ["at its beginning", '{"inp'],
  ])("is not given: %s", async (_where, text) => {
    for (const finish of ["length", "stop"] as const) {
      const { answer } = await play(on.client, body, calling(text, { finish }));
      expect(answer).toMatchObject({ ended: "length", calls: [], items: [] });
    }
  });

  it("leaves nothing open behind which something else could come", async () => {
    const calls = [
      { name: "apply_patch", arguments: '{"input": not JSON' },
      { name: "apply_patch", arguments: input("whole") },
    ];
    const { answer } = await play(on.client, body, { calls, finish: "stop" });
    expect(answer.faults).toEqual([]);
  });

  it("leaves the calls before it as they are", async () => {
    const calls = [
      { name: "apply_patch", arguments: input("whole") },
      { name: "apply_patch", arguments: input("cut").slice(0, -3) },
    ];
    const { answer } = await play(on.client, body, { calls, finish: "length" });
    expect(answer).toMatchObject({ ended: "length", calls: [{ kind: "custom", arguments: "whole" }] });
  });
});

describe.each(pairs)(
  "a provider that puts the text itself in the arguments ($client client, stream: $stream)",
  (on) => {
    it.each<[string, string]>([
      ["a patch", patch],
      ["a program", 'const r = await tools.run({ a: [1, 2] });\ntext(r.output + "\\n");\n'],
      ["a program that begins with a comment", "// first\nconst a = 1; /* b */\n"],
      ["a block of code", "```js\nrun();\n```"],
      ["a shell's command", "ls -la | grep '\"x\"' && echo $HOME"],
      ["SQL", "SELECT 'a', \"b\" FROM c -- comment\n"],
      ["one word", "status"],
      ["a word that JSON knows", "true"],
      ["a number", "12"],
    ])("has it given as it is: %s", async (_what, text) => {
      const body = requestFor(on.client, { ...wish, model: "chat/m", stream: on.stream });
      const { answer } = await play(on.client, body, calling(text), raw);
      expect(answer).toMatchObject({ ended: "completed", calls: [{ kind: "custom", arguments: text }] });
    });

    it("and is cut has no such call given", async () => {
      const body = requestFor(on.client, { ...wish, model: "chat/m", stream: on.stream });
      const { answer } = await play(on.client, body, calling(patch.slice(0, 24), { finish: "length" }), raw);
      expect(answer).toMatchObject({ ended: "length", calls: [], items: [] });
    });
  },
);

describe.each(["chat/m", "unmended"])("arguments of %s that are not quite as they should be", (model) => {
  it.each<[string, string, string]>([
    ["a JSON string", JSON.stringify(patch), patch],
    ["another key", JSON.stringify({ patch }), patch],
    ["another key before", JSON.stringify({ why: "x", input: patch }), patch],
    ["line ends that are not escaped", `{"input":"a\nb"}`, "a\nb"],
    ["an escape that is none", '{"input":"grep \\d"}', "grep \\d"],
    ["an escape that is none at the end", '{"input":"C:\\u"}', "C:\\u"],
    ["nothing", "", ""],
  ])("give the text: %s", async (_how, written, text) => {
    for (const stream of forms) {
      const body = requestFor("responses", { ...wish, model, stream });
      const { answer } = await play("responses", body, calling(written), raw);
      expect(answer.calls).toMatchObject([{ kind: "custom", arguments: text }]);
    }
  });
});

describe("arguments that are an object in a string", () => {
  it("give the text of the object", async () => {
    const body = requestFor("responses", { ...wish, model: "chat/m", stream: true });
    const { answer } = await play("responses", body, calling(JSON.stringify(input(patch))));
    expect(answer.calls).toMatchObject([{ kind: "custom", arguments: patch }]);
  });
});

describe("a provider that puts an object in place of the arguments", () => {
  it("has its text given", async () => {
    const call = { id: "c1", type: "function", function: { name: "apply_patch", arguments: { input: patch } } };
    const message = { role: "assistant", content: null, tool_calls: [call] };
    const whole = { choices: [{ index: 0, message, finish_reason: "tool_calls" }] };
    const { answer } = await play("chat", requestFor("chat", { ...wish, model: "chat/m" }), { whole });
    expect(answer.calls).toMatchObject([{ kind: "custom", arguments: patch }]);
  });
});

describe("a model that only writes", () => {
  it.each<[string, string]>([
    ["the text in place of the arguments", sentinel("apply_patch", patch)],
    [
      "the arguments as an object",
      `<tool_call>${JSON.stringify({ name: "apply_patch", arguments: { input: patch } })}</tool_call>`,
    ],
    ["a dialect of its own", `<function=apply_patch>\n<parameter=input>\n${patch}\n</parameter>\n</function>`],
  ])("may write %s", async (_how, say) => {
    const { answer } = await play("responses", request("prompted/m", { stream: true }), { say }, raw);
    expect(answer.items).toMatchObject([{ type: "custom_tool_call", name: "apply_patch" }]);
    expect(String(answer.items[0]?.input).trim()).toBe(patch.trim());
  });
});

describe("a model that writes the name of a tool in another way", () => {
  it.each<[string, string, JsonObject]>([
    ["with a dot", "files.read", { type: "function_call", name: "read", namespace: "files" }],
    ["without its namespace", "edit", { type: "custom_tool_call", name: "edit", namespace: "files" }],
  ])("has called the tool: %s", async (_how, name, item) => {
    for (const stream of forms) {
      const text = item.type === "custom_tool_call" ? input("x") : '{"path":"a"}';
      const { answer } = await play("responses", request("chat/m", { stream }), { calls: [{ name, arguments: text }] });
      expect(answer.items).toMatchObject([item]);
    }
  });

  it.each([
    ["with a dot", "files.read"],
    ["without its namespace", "read"],
  ])("has called what it was made to call: %s", async (_how, name) => {
    const tools = [{ type: "namespace", name: "files", tools: [{ type: "function", name: "read" }] }];
    const choice = { type: "function", name: "read", namespace: "files" };
    const body = request("chat/m", { tools, tool_choice: choice });
    const { answer } = await play("responses", body, { calls: [{ name, arguments: "{}" }] });
    expect(answer.items).toMatchObject([{ type: "function_call", name: "read", namespace: "files" }]);
  });

  it("is held to the strict schema of the tool all the same", async () => {
    const parameters = {
      type: "object",
      properties: { n: { type: "number" } },
      required: ["n"],
      additionalProperties: false,
    };
    const strict = { type: "function", name: "count", parameters, strict: true };
    const body = request("chat/m", { tools: [{ type: "namespace", name: "a", tools: [strict] }] });
    const bad = await play("responses", body, { calls: [{ name: "a.count", arguments: '{"n":"x"}' }] });
    expect(bad.answer.error?.code).toBe("tool_call_invalid");
  });

  it("is not said to have called what the request does not define", async () => {
    const { id } = await play("responses", request("chat/m"), { calls: [{ name: "files.read", arguments: "{}" }] });
    expect(named(await events.of(id), "unknown_tool")).toEqual([]);
  });

  it("may mean none of them, and is passed on", async () => {
    const { answer, id } = await play("responses", request("chat/m"), { calls: [{ name: "read", arguments: "{}" }] });
    expect(answer.items).toMatchObject([{ type: "function_call", name: "read" }]);
    expect(answer.items[0]).not.toHaveProperty("namespace");
    expect(named(await events.of(id), "unknown_tool")).toMatchObject([{ name: "read" }]);
  });
});

describe("a provider that gives one id to all of its calls", () => {
  const same = (...names: string[]): Reply => ({
    calls: names.map((name) => ({ id: "call_0", name, arguments: '{"path":"a"}' })),
  });

  it("has calls of two namespaces told apart, though their names and arguments are the same", async () => {
    const { answer } = await play("responses", request("chat/m"), same("files__read", "mail__read"));
    expect(answer.items).toMatchObject([
      { name: "read", namespace: "files" },
      { name: "read", namespace: "mail" },
    ]);
    expect(answer.items[0]?.call_id).not.toBe(answer.items[1]?.call_id);
  });

  it("has a call that comes twice given once", async () => {
    const { answer } = await play("responses", request("chat/m"), same("files__read", "files__read"));
    expect(answer.items).toMatchObject([{ name: "read", namespace: "files" }]);
  });
});
