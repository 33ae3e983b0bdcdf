import { afterEach, describe, expect, it } from "vitest";
import type { RunningServer } from "../../src/http/server.ts";
import type { JsonObject } from "../../src/turn/index.ts";
import { ask, startGateway } from "../support/gateway.ts";
import { type Provider, type Script, startProvider } from "../support/provider.ts";

let provider: Provider;
let gateway: RunningServer;
afterEach(async () => {
  await gateway.close();
  await provider.close();
});

async function start(script: Script, settings: JsonObject = {}): Promise<void> {
  provider = await startProvider(script);
  const shared = { base_url: provider.url, retries: 0, ...settings };
  gateway = await startGateway({
    backends: {
      chat: { kind: "chat", ...shared },
      responses: { kind: "responses", ...shared },
      codex: { kind: "codex", command: ["no-such-program", "app-server"] },
    },
  });
}

const ofCodex = { originator: "codex_exec" };
const tools = [{ type: "function", name: "look" }];

describe("a conversation that is too long for its model", () => {
  const refusals = [
    ["by its code", { message: "Too much.", code: "context_length_exceeded" }],
    ["as vLLM does", { message: "This model's maximum context length is 4096 tokens.", code: 400 }],
    [
      "as DeepSeek does",
      { message: "This model's maximum context length is 4096 tokens.", code: "invalid_request_error" },
    ],
    ["as llama.cpp does", { message: "the request exceeds the available context size", code: 400 }],
  ] as const;

  it.each(refusals)("is told to Codex where it sums it up, if the provider says so %s", async (_way, error) => {
    await start(() => ({ status: 400, body: { error } }));
    const question = { model: "chat/m", input: "hi", stream: true };
    const answer = await ask(gateway, "responses", question, ofCodex);
    expect(answer).toMatchObject({ status: 200, ended: "failed" });
    expect(answer.error).toMatchObject({ code: "context_length_exceeded", message: error.message });
    expect(answer.raw).toContain('"status":"failed"');
  });

  it.each(refusals)(
    "is an HTTP error to all others, with the code, if the provider says so %s",
    async (_way, error) => {
      await start(() => ({ status: 400, body: { error } }));
      const wanted = { status: 400, error: { code: "context_length_exceeded" } };
      expect(await ask(gateway, "responses", { model: "chat/m", input: "hi", stream: true })).toMatchObject(wanted);
      expect(await ask(gateway, "responses", { model: "chat/m", input: "hi" }, ofCodex)).toMatchObject(wanted);
    },
  );

  it("is the only failure that Codex hears so", async () => {
    await start(() => ({ status: 400, body: { error: { message: "No." } } }));
    const answer = await ask(gateway, "responses", { model: "chat/m", input: "hi", stream: true }, ofCodex);
    expect(answer).toMatchObject({ status: 400, streamed: false });
  });
});

describe("a Codex whose own provider is this gateway", () => {
  it("is not asked by itself, again and again", async () => {
    await start(() => ({ say: "hi" }));
    const question = { model: "codex", input: "hi", stream: true };
    const answer = await ask(gateway, "responses", question, { originator: "toolwire" });
    expect(answer).toMatchObject({ status: 400, error: { param: "model" } });
    expect(answer.error?.message).toContain("leads back here");
    // Another model is a good one to ask.
    const other = await ask(gateway, "responses", { ...question, model: "chat/m" }, { originator: "toolwire" });
    expect(other.text).toBe("hi");
  });
});

describe("what a model says before it calls a tool", () => {
  it("is no answer yet, where the provider does not say itself what it is", async () => {
    await start(() => ({ say: "I shall look.", calls: [{ name: "look", arguments: "{}" }] }));
    for (const stream of [true, false]) {
      const answer = await ask(gateway, "responses", { model: "chat/m", input: "hi", tools, stream });
      expect(answer.items).toMatchObject([{ type: "message", phase: "commentary" }, { type: "function_call" }]);
    }
  });

  it("is nothing special where no call follows", async () => {
    await start(() => ({ say: "It is there." }));
    const answer = await ask(gateway, "responses", { model: "chat/m", input: "hi", tools, stream: true });
    expect(answer.items[0]).not.toHaveProperty("phase");
  });
});

describe("an effort of none", () => {
  const sent = () => provider.requests.at(-1)?.body;

  it("is not told to a chat provider by a client that may not know of it, but by one that does", async () => {
    await start(() => ({ say: "hi" }));
    await ask(gateway, "responses", { model: "chat/m", input: "hi", reasoning: { effort: "none" } });
    expect(sent()).not.toHaveProperty("reasoning_effort");
    await ask(gateway, "responses", { model: "responses/m", input: "hi", reasoning: { effort: "none" } });
    expect(sent()?.reasoning).toEqual({ effort: "none" });
    const messages = [{ role: "user", content: "hi" }];
    await ask(gateway, "chat", { model: "chat/m", messages, reasoning_effort: "none" });
    expect(sent()?.reasoning_effort).toBe("none");
  });
});

describe("a provider whose quota is used up", () => {
  it("is asked once", async () => {
    const error = { message: "You exceeded your quota.", type: "insufficient_quota", code: "insufficient_quota" };
    await start(() => ({ status: 429, body: { error } }), { retries: 3 });
    const answer = await ask(gateway, "responses", { model: "chat/m", input: "hi", stream: true }, ofCodex);
    expect(answer).toMatchObject({ status: 429, error: { code: "insufficient_quota" } });
    expect(provider.requests).toHaveLength(1);
  });
});

describe("a backend that is left alone", () => {
  it("is told of with its last failure, unless that may quote somebody", async () => {
    const once = { breaker: { failures: 1 } };
    await start(() => ({ bytes: ["cut"] }), once);
    const question = { model: "chat/m", input: "hi" };
    await ask(gateway, "responses", question);
    const left = await ask(gateway, "responses", question);
    expect(left.error?.message).toMatch(/left alone.* The last failure: .*"chat" (?:broke off|.*middle)/);
    await gateway.close();
    await provider.close();

    await start(() => ({ status: 500, body: { error: { message: "Cannot read: my secret plan" } } }), once);
    await ask(gateway, "responses", question);
    const quiet = await ask(gateway, "responses", question);
    expect(quiet.error?.message).toContain("left alone");
    expect(quiet.error?.message).not.toContain("secret");
  });
});
