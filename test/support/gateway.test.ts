import { afterEach, describe, expect, it } from "vitest";
import type { Api } from "./api.ts";
import { AnswerFaults, ask, followUp, requestFor, startGateway } from "./gateway.ts";
import { conversation, offeredTools, type Provider, type Reply, startProvider } from "./provider.ts";

const apis: Api[] = ["chat", "responses"];
let provider: Provider | undefined;

afterEach(async () => {
  await provider?.close();
  provider = undefined;
});

/** A provider in the gateway's place: whatever it does wrong, `ask` must see. */
async function pretend(reply: Reply): Promise<{ url: string }> {
  provider = await startProvider(() => reply);
  return { url: new URL(provider.url).origin };
}

describe("ask", () => {
  it("reads a real gateway", async () => {
    const gateway = await startGateway();
    try {
      for (const api of apis) {
        for (const stream of [true, false]) {
          const answer = await ask(gateway, api, requestFor(api, { model: "demo", prompt: "Hello", stream }));
          expect(answer).toMatchObject({ status: 200, streamed: stream, ended: "completed", faults: [] });
          const unknown = await ask(gateway, api, requestFor(api, { model: "nobody/here", stream }));
          expect(unknown).toMatchObject({ status: 404, error: { code: "model_not_found" }, ended: "failed" });
        }
      }
    } finally {
      await gateway.close();
    }
  });

  it.each(apis)("throws on a %s stream with a fault, unless it is told not to", async (api) => {
    const gateway = await pretend({ say: "Half", finish: null });
    const body = requestFor(api, { model: "m", stream: true });
    await expect(ask(gateway, api, body)).rejects.toThrow(AnswerFaults);
    const kept = await ask(gateway, api, body, {}, { faults: "keep" });
    expect(kept.faults).toContain("no [DONE]");
    expect(kept).toMatchObject({ text: "Half", ended: "none" });
  });

  it("throws on a body with a fault", async () => {
    const gateway = await pretend({ whole: { id: "x" } });
    await expect(ask(gateway, "chat", requestFor("chat", { model: "m" }))).rejects.toThrow("no choice");
    await expect(ask(gateway, "responses", requestFor("responses", { model: "m" }))).rejects.toThrow("lacks output");
  });

  it("throws on an error without its four keys", async () => {
    const gateway = await pretend({ status: 500, body: { error: { message: "oops" } } });
    await expect(ask(gateway, "chat", requestFor("chat", { model: "m" }))).rejects.toThrow("the error lacks param");
  });

  it("throws when the body is broken off, and when the form is not the one that was asked for", async () => {
    const broken = await pretend({ bytes: ['{"id":', "cut"] });
    await expect(ask(broken, "chat", requestFor("chat", { model: "m" }))).rejects.toThrow("the body is broken off");
    await provider?.close();
    const other = await pretend({ whole: {} });
    await expect(ask(other, "chat", requestFor("chat", { model: "m", stream: true }))).rejects.toThrow(
      "stream is true, type is application/json",
    );
  });
});

describe("requestFor", () => {
  const tools = [
    { name: "get_weather", description: "Weather" },
    { name: "apply_patch", kind: "custom" as const },
  ];

  it.each(apis)("says the same on %s", (api) => {
    const body = requestFor(api, {
      model: "m",
      system: "Be brief.",
      prompt: "Hi",
      tools,
      stream: true,
      parallel: false,
    });
    expect(body).toMatchObject({ model: "m", stream: true, parallel_tool_calls: false });
    expect(offeredTools(body)).toEqual(tools.map((tool) => ({ kind: "function", ...tool })));
    expect(conversation(body).map((entry) => (entry.kind === "message" ? entry.text : ""))).toEqual([
      "Be brief.",
      "Hi",
    ]);
  });

  it("writes each API's own forms of tool_choice", () => {
    const choice = (api: Api, wish: Parameters<typeof requestFor>[1]["choice"]) =>
      requestFor(api, { model: "m", ...(wish && { choice: wish }) }).tool_choice;
    expect(choice("chat", "required")).toBe("required");
    expect(choice("chat", { name: "f" })).toEqual({ type: "function", function: { name: "f" } });
    expect(choice("responses", { name: "f" })).toEqual({ type: "function", name: "f" });
    expect(choice("chat", { allowed: ["f"], required: true })).toEqual({
      type: "allowed_tools",
      allowed_tools: { mode: "required", tools: [{ type: "function", function: { name: "f" } }] },
    });
    expect(choice("responses", { allowed: ["f"] })).toEqual({
      type: "allowed_tools",
      mode: "auto",
      tools: [{ type: "function", name: "f" }],
    });
  });

  it.each(apis)("takes a turn and its outputs back on %s", async (api) => {
    const calls = [
      { id: "call_a", name: "get_weather", arguments: "{}" },
      { id: "call_b", name: "apply_patch", arguments: "x", kind: "custom" as const },
    ];
    const gateway = await pretend({ say: "Let me see.", calls });
    const first = await ask(gateway, api, requestFor(api, { model: "m" }));
    const body = requestFor(api, { model: "m", prompt: "Hi", after: followUp(api, first, ["12 C", "done"]) });
    expect(conversation(body)).toEqual([
      { kind: "message", role: "user", text: "Hi", images: [] },
      { kind: "message", role: "assistant", text: "Let me see.", images: [] },
      { kind: "call", id: "call_a", name: "get_weather", arguments: "{}" },
      { kind: "call", id: "call_b", name: "apply_patch", arguments: "x" },
      { kind: "output", id: "call_a", text: "12 C" },
      { kind: "output", id: "call_b", text: "done" },
    ]);
  });
});
