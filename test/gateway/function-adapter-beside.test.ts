import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/turn/index.ts";
import { named } from "../support/events-file.ts";
import { objectsOf } from "../support/folded.ts";
import { followUp, requestFor } from "../support/gateway.ts";
import { conversation, itemsReply, offeredTools, type Script } from "../support/provider.ts";
import { input, onStage, patch, request, sentinel, toolNames } from "./function-adapters.ts";

const { play, events } = onStage();

describe("a backend that stands in for another", () => {
  const native = { type: "custom_tool_call", id: "ctc_1", call_id: "call_1", name: "apply_patch", input: patch };

  /** The one of these that answers; those before it fail. */
  const only =
    (which: string): Script =>
    ({ model, api }) => {
      if (model !== which) return { status: 500 };
      if (api === "responses") return itemsReply([native]);
      const call = { name: "apply_patch", arguments: input(patch) };
      return model === "third" ? { say: sentinel(call.name, call.arguments) } : { calls: [call] };
    };

  it.each([
    ["either", "first", "responses", ["look", "apply_patch", "files", "mail", "tool_search", "web_search"], null],
    [
      "either",
      "second",
      "chat",
      ["look", "apply_patch", "files__read", "files__edit", "mail__read", "tool_search"],
      "web_search",
    ],
    ["either", "third", "prompted", [], "web_search"],
    [
      "prompted-first",
      "second",
      "responses",
      ["look", "apply_patch", "files", "mail", "tool_search", "web_search"],
      null,
    ],
  ])("is asked in its own form (%s, answered by the %s, which is %s)", async (alias, model, _kind, names, dropped) => {
    const base = request(alias, { stream: true });
    const body = { ...base, tools: [...(base.tools as JsonObject[]), { type: "web_search" }] };
    const { answer, asked } = await play("responses", body, only(model));
    expect(toolNames(asked.at(-1))).toEqual(names);
    expect(answer.headers.get("x-toolwire-dropped-tools")).toBe(dropped);
    expect(answer.items).toMatchObject([{ type: "custom_tool_call", name: "apply_patch", input: patch }]);
  });

  it("is told of the calls that the other has made in its own form", async () => {
    const history = [
      { role: "user", content: "Do it." },
      native,
      { type: "custom_tool_call_output", call_id: "call_1", output: "ok" },
    ];
    const { asked } = await play("responses", request("either", { input: history }), ({ model }) =>
      model === "first" ? { status: 500 } : { say: "Done." },
    );
    expect(asked[0]?.input).toMatchObject([{}, native, { type: "custom_tool_call_output" }]);
    expect(asked[1]?.messages).toMatchObject([
      {},
      { tool_calls: [{ type: "function", function: { name: "apply_patch", arguments: input(patch) } }] },
      { role: "tool", content: "ok" },
    ]);
  });
});

describe("a backend that is asked again", () => {
  it("is offered the same, and its text is read from the beginning", async () => {
    const { answer, asked } = await play("responses", request("retried", { stream: true }), [
      { status: 503, headers: { "retry-after": "0" } },
      { calls: [{ name: "apply_patch", arguments: input(patch) }] },
    ]);
    expect(asked).toHaveLength(2);
    expect(asked[1]).toEqual(asked[0]);
    expect(answer.items).toMatchObject([{ input: patch }]);
  });
});

describe("telemetry", () => {
  it("names the tools as their client does, and counts the bytes of what it gets", async () => {
    const { answer, id } = await play("responses", request("chat/m"), {
      calls: [
        { name: "apply_patch", arguments: input(patch) },
        { name: "files__read", arguments: '{"path":"a"}' },
        { name: "tool_search", arguments: "{}" },
      ],
    });
    const told = named(await events.of(id), "tool_call");
    expect(told).toMatchObject([
      { name: "apply_patch", argument_bytes: Buffer.byteLength(patch) },
      { name: "read" },
      { name: "tool_search" },
    ]);
    expect(told.map((event) => event.id)).toEqual(answer.items.map((item) => item.call_id));
  });

  it("tells where the arguments of a namespace's function do not fit", async () => {
    const { id } = await play("responses", request("chat/m"), {
      calls: [{ name: "files__read", arguments: '{"path":1}' }],
    });
    expect(named(await events.of(id), "schema_mismatch")).toMatchObject([{ name: "read" }]);
  });

  it("says nothing against free text", async () => {
    const { id } = await play("responses", request("chat/m"), {
      calls: [{ name: "apply_patch", arguments: input(patch) }],
    });
    const kinds = (await events.of(id)).map(({ event }) => event);
    expect(kinds).toEqual(["turn_started", "tool_registry", "tool_call", "turn_finished"]);
  });
});

/** The calls that a chat provider is told of. */
function callsIn(body: JsonObject | undefined): JsonObject[] {
  return objectsOf(body?.messages).flatMap((message) => objectsOf(message.tool_calls));
}

describe("what a provider wants back with a call", () => {
  const extra = { google: { thought_signature: "signed" } };

  const signing: Script = ({ body }) => {
    if (conversation(body).some(({ kind }) => kind === "output")) return { say: "Done." };
    const calls = offeredTools(body).map(({ name }, index) => ({
      index,
      id: `call_${index}`,
      type: "function",
      function: { name, arguments: name.endsWith("read") ? '{"path":"a"}' : input(patch) },
      extra_content: extra,
    }));
    return {
      chunks: [
        { choices: [{ index: 0, delta: { role: "assistant", tool_calls: calls }, finish_reason: null }] },
        { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] },
      ],
    };
  };
  const tools = [
    { type: "custom", name: "apply_patch" },
    { type: "namespace", name: "files", tools: [{ type: "function", name: "read" }] },
  ];

  it("comes back with the call of a tool that was not its function", async () => {
    const { answer: first } = await play("responses", request("chat/m", { tools, stream: true }), signing);
    const outputs = followUp("responses", first, ["a", "b"]);
    const body = request("chat/m", { tools, input: [{ role: "user", content: "Do it." }, ...outputs] });
    const { asked } = await play("responses", body, signing);
    expect(callsIn(asked[0])).toMatchObject([
      { id: "call_0", function: { name: "apply_patch", arguments: input(patch) }, extra_content: extra },
      { id: "call_1", function: { name: "files__read" }, extra_content: extra },
    ]);
  });

  it("comes back though a Chat client does not know it", async () => {
    const wish = { model: "chat/m", tools: [{ name: "apply_patch", kind: "custom" as const }] };
    const { answer: first } = await play("chat", requestFor("chat", { ...wish, stream: true }), signing, {
      foreignKeys: ["extra_content"],
    });
    const after = followUp("chat", first, ["a"]);
    const { asked } = await play("chat", requestFor("chat", { ...wish, after }), signing);
    expect(callsIn(asked[0])).toMatchObject([{ function: { name: "apply_patch" }, extra_content: extra }]);
  });
});
