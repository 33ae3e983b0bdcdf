import { afterEach, describe, expect, it } from "vitest";
import { followUp } from "../../support/gateway.ts";
import { type CodexGateway, forms, startCodex } from "./codex-gateway.ts";

const tools = [{ name: "get_weather", parameters: { type: "object", properties: { city: { type: "string" } } } }];
const turns = {
  call: { play: "b-toolcall-text-split" },
  native: { play: "e11-rawevents-pending-usage" },
  after: { play: "a-plain" },
} as const;

let codex: CodexGateway;
afterEach(() => codex.close());

describe("a Codex that is too old for the tools of a client", () => {
  it("has them in its prompt, on both APIs, and GET /ready says so", async () => {
    codex = await startCodex({ version: "0.100.0", turns });
    for (const [api, stream] of forms) {
      const asked = { prompt: "[[call]] weather", tools, stream };
      const first = await codex.turn(api, asked);
      expect(first).toMatchObject({
        status: 200,
        ended: "completed",
        calls: [{ name: "get_weather", arguments: '{"city":"Paris"}' }],
      });
      const after = followUp(api, first, ["21 degrees [[after]]"]);
      expect(await codex.turn(api, { ...asked, after })).toMatchObject({ text: "Hello world.", calls: [] });
    }
    for (const { params } of await codex.scene.requests("thread/start")) expect(params?.dynamicTools ?? []).toEqual([]);
    const { status, text } = await codex.ready();
    expect(status).toBe(200);
    expect(text).toContain("0.100.0");
    expect(text).toMatch(/prompt/);
  });

  it("is given the conversation in the words of its turn, as it takes no other", async () => {
    codex = await startCodex({ version: "0.100.0", turns });
    const before = [
      { role: "user", content: "One?" },
      { role: "assistant", content: "One." },
    ];
    const answer = await codex.turn("chat", { system: "Be brief.", before, prompt: "[[after]] Two?" });
    expect(answer).toMatchObject({ status: 200, text: "Hello world." });
    expect(await codex.scene.requests("thread/inject_items")).toEqual([]);
    const started = await codex.scene.last("thread/start");
    const turn = await codex.scene.last("turn/start");
    const told = JSON.stringify([started.params, turn.params]);
    for (const words of ["Be brief.", "One?", "One.", "[[after]] Two?"]) expect(told).toContain(words);
  });
});

describe("a Codex that refuses what is experimental", () => {
  it("has the tools in its prompt", async () => {
    const message = "thread/start.dynamicTools requires experimentalApi capability";
    codex = await startCodex({ turns, replies: { "thread/start": [{ error: { code: -32600, message } }, "usual"] } });
    const answer = await codex.turn("chat", { prompt: "[[call]] weather", tools });
    expect(answer).toMatchObject({ status: 200, calls: [{ name: "get_weather" }] });
  });
});

describe("a Codex that is new enough", () => {
  it.each(["0.166.0", "1.2.3"])("is ready without a note: %s", async (version) => {
    codex = await startCodex({ version, turns });
    expect(await codex.turn("chat", { prompt: "[[native]]", tools })).toMatchObject({ calls: [{}, {}] });
    const { status, text } = await codex.ready();
    expect(status).toBe(200);
    expect(text).not.toMatch(/prompt/);
  });
});

describe("a home that is not logged in", () => {
  it("is not ready, and says with every turn how to log in", async () => {
    codex = await startCodex({
      account: { account: null, requiresOpenaiAuth: true },
      config: { model: "gpt-6.1-sol", model_provider: "openai" },
      turns: [{ play: "l-noauth-401" }],
    });
    for (const [api, stream] of forms) {
      const answer = await codex.turn(api, { stream });
      expect(answer).toMatchObject({ streamed: false, ended: "failed" });
      expect([401, 502, 503]).toContain(answer.status);
      expect(answer.error?.message).toMatch(/codex\S* login/);
    }
    const { status, text } = await codex.ready();
    expect(status).toBe(503);
    expect(text).toMatch(/codex\S* login/);
  });
});

describe("the models that Codex lists", () => {
  it("are in GET /v1/models", async () => {
    codex = await startCodex({ turns });
    const response = await fetch(`${codex.url}/v1/models`);
    const text = await response.text();
    for (const name of ["codex/gpt-6.1-sol", "codex/gpt-6-astra"]) expect(text).toContain(`"${name}"`);
  });
});
