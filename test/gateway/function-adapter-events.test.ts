import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/turn/index.ts";
import { conversation } from "../support/provider.ts";
import { input, onStage, patch, request, typesOf } from "./function-adapters.ts";

const { play } = onStage();

describe("the events of a call that was a function", () => {
  it("of a tool that takes free text are those of its own kind, in their order", async () => {
    const { answer } = await play("responses", request("chat/m", { stream: true }), {
      calls: [{ name: "apply_patch", arguments: input(patch) }],
      chunk: 9,
    });
    const types = typesOf(answer).slice(2, -1);
    expect(types[0]).toBe("response.output_item.added");
    expect(types.slice(-2)).toEqual(["response.custom_tool_call_input.done", "response.output_item.done"]);
    expect(new Set(types.slice(1, -2))).toEqual(new Set(["response.custom_tool_call_input.delta"]));
    expect(types.length).toBeGreaterThan(6);
    const deltas = answer.events.flatMap(({ type, delta }) => (String(type).endsWith(".delta") ? [String(delta)] : []));
    expect(deltas.every((delta) => delta !== "" && !/[\ud800-\udbff]$/.test(delta))).toBe(true);
    expect(answer.raw).not.toContain("function_call_arguments");
  });

  it("of a search are none but those of its item, which has the arguments when it is done", async () => {
    const { answer } = await play("responses", request("chat/m", { stream: true }), {
      calls: [{ name: "tool_search", arguments: '{"query":"weather"}' }],
    });
    expect(typesOf(answer).slice(2, -1)).toEqual(["response.output_item.added", "response.output_item.done"]);
    const [added, done] = answer.events.slice(2, 4).map(({ item }) => item as JsonObject);
    expect(added).toMatchObject({ type: "tool_search_call", status: "in_progress", arguments: {} });
    expect(done).toMatchObject({ id: added?.id, call_id: added?.call_id, arguments: { query: "weather" } });
  });

  it("of a namespace's function have the name that the client knows, and its namespace from the beginning", async () => {
    const { answer } = await play("responses", request("chat/m", { stream: true }), {
      calls: [{ name: "files__read", arguments: '{"path":"a"}' }],
    });
    expect(answer.events[2]?.item).toMatchObject({ name: "read", namespace: "files", arguments: "" });
    const done = answer.events.find(({ type }) => type === "response.function_call_arguments.done");
    expect(done).toMatchObject({ name: "read", arguments: '{"path":"a"}' });
  });

  it("of calls that a provider mixes come one after the other", async () => {
    const { answer } = await play("responses", request("chat/m", { stream: true }), {
      calls: ["apply_patch", "files__edit", "apply_patch"].map((name, at) => ({
        name,
        arguments: input(`${at}${patch}`),
      })),
      interleave: true,
      chunk: 4,
    });
    expect(answer.items.map((item) => item.input)).toEqual([`0${patch}`, `1${patch}`, `2${patch}`]);
  });

  it("of the extended profile tell the same text", async () => {
    const { answer } = await play(
      "responses",
      request("chat/m", { stream: true }),
      { calls: [{ name: "apply_patch", arguments: input(patch) }] },
      { headers: { "x-toolwire-profile": "extended" } },
    );
    expect(answer.items).toMatchObject([{ input: patch }]);
    const deltas = answer.events.filter(({ type }) => type === "response.output_tool_call.delta");
    expect(deltas.map(({ delta }) => delta).join("")).toBe(patch);
  });
});

describe("the ids of such calls", () => {
  it("are the provider's own, where they are fit, and new to the conversation", async () => {
    const { answer } = await play("responses", request("chat/m"), {
      calls: [
        { id: "call_a", name: "apply_patch", arguments: input("x") },
        { id: "call_b", name: "tool_search", arguments: "{}" },
      ],
    });
    expect(answer.items.map((item) => item.call_id)).toEqual(["call_a", "call_b"]);
    const again = request("chat/m", {
      input: [...answer.items, { type: "custom_tool_call_output", call_id: "call_a", output: "ok" }],
    });
    const second = await play("responses", again, {
      calls: [{ id: "call_a", name: "apply_patch", arguments: input("y") }],
    });
    expect(second.answer.items[0]?.call_id).not.toBe("call_a");
  });

  it("are counted where that is wanted, each kind with its own letters", async () => {
    const first = await play("responses", request("numbered"), {
      calls: ["apply_patch", "files__read", "tool_search"].map((name, at) => ({
        name,
        id: `call_${at}`,
        arguments: at === 0 ? input("x") : "{}",
      })),
    });
    expect(first.answer.items.map(({ id }) => id)).toEqual(["ctc_001", "fc_002", "tsc_003"]);
    expect(first.answer.items.map(({ call_id }) => call_id)).toEqual(["ctc_001", "fc_002", "tsc_003"]);
    const body = request("numbered", {
      input: [
        { role: "user", content: "Do it." },
        ...first.answer.items,
        { type: "custom_tool_call_output", call_id: "ctc_001", output: "a" },
        { type: "function_call_output", call_id: "fc_002", output: "b" },
        { type: "tool_search_output", call_id: "tsc_003", execution: "client", tools: [] },
      ],
    });
    const second = await play("responses", body, { calls: [{ name: "apply_patch", arguments: input("y") }] });
    expect(second.answer.items).toMatchObject([{ id: "ctc_004", call_id: "ctc_004" }]);
    const ids = conversation(second.asked[0] ?? {}).flatMap((entry) => (entry.kind === "message" ? [] : [entry.id]));
    expect(ids).toEqual(["call_0", "call_1", "call_2", "call_0", "call_1", "call_2"]);
  });
});
