import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { RunningServer } from "../../src/http/server.ts";
import type { JsonObject } from "../../src/turn/index.ts";
import type { Api } from "../support/api.ts";
import { ask, requestFor, startGateway } from "../support/gateway.ts";
import { type Provider, startProvider } from "../support/provider.ts";

let provider: Provider;
let gateway: RunningServer;
beforeAll(async () => {
  provider = await startProvider(({ model }) => (model === "down" ? { status: 500 } : { say: "ok" }));
  const base = { base_url: provider.url, retries: 0, breaker: { failures: 1_000_000 } };
  const headers = { Originator: "configured", "X-CODEX-Fixed": "configured" };
  gateway = await startGateway({
    backends: {
      chat: { ...base, kind: "chat", api_key: "provider-secret" },
      responses: { ...base, kind: "responses", api_key: "provider-secret" },
      configured: { ...base, kind: "responses", api_key: "provider-secret", headers },
      own: { ...base, kind: "responses", headers: { AUTHORIZATION: "Bearer of-its-own" } },
      keyless: { ...base, kind: "responses" },
    },
    models: {
      written: { backend: "responses", model: "m", tools: "prompted" },
      either: { backend: "responses", model: "down", fallback: ["chat/m"] },
    },
    tools: { enabled: false },
  });
});
afterAll(async () => {
  await gateway.close();
  await provider.close();
});
beforeEach(() => {
  provider.requests.length = 0;
});

const lite = "x-openai-internal-codex-responses-lite";
const session = {
  [lite]: "true",
  "x-codex-turn-metadata": '{"turn":1}',
  "x-codex-beta-features": "a,b",
  originator: "codex_exec",
  "session-id": "session-1",
  "thread-id": "thread-1",
};
const names = Object.keys(session);
const tools = [{ name: "f" }];

/** The headers of the request that the provider got last. */
async function sent(api: Api, model: string, headers: Record<string, string>, more: JsonObject = {}) {
  await ask(gateway, api, { ...requestFor(api, { model, tools }), ...more }, headers);
  return provider.requests.at(-1)?.headers ?? {};
}

describe("what a client tells its provider beside a Responses request", () => {
  it("reaches a provider of the same API", async () => {
    expect(await sent("responses", "responses/m", session)).toMatchObject(session);
  });

  it.each([
    ["a chat backend", "chat/m"],
    ["a chat backend that stands in for one of the same API", "either"],
  ])("does not reach %s", async (_which, model) => {
    const headers = await sent("responses", model, session);
    expect(provider.requests.at(-1)?.api).toBe("chat");
    for (const name of names) expect(headers).not.toHaveProperty(name);
  });

  it("does not reach a provider whose model writes its calls, for which the request has another form", async () => {
    const inside = [
      { type: "additional_tools", role: "developer", tools: [{ type: "custom", name: "exec" }] },
      { role: "user", content: "hi" },
    ];
    expect(await sent("responses", "written", session)).not.toHaveProperty(lite);
    expect(await sent("responses", "written", session, { input: inside, tools: [] })).not.toHaveProperty(lite);
  });

  it("is nothing that a Chat client could tell", async () => {
    for (const model of ["responses/m", "chat/m"]) {
      const headers = await sent("chat", model, session);
      for (const name of names) expect(headers).not.toHaveProperty(name);
    }
  });
});

describe("a header of the configuration", () => {
  it("goes before that of the client, whatever their letters' case, and is there once", async () => {
    const fromClient = { ...session, "x-codex-fixed": "client" };
    const headers = await sent("responses", "configured/m", fromClient);
    expect(headers).toMatchObject({ originator: "configured", "x-codex-fixed": "configured" });
    expect(headers).toMatchObject({ "session-id": "session-1", [lite]: "true" });
  });

  it("goes before what Toolwire would send, whatever its letters' case", async () => {
    expect((await sent("responses", "own/m", {})).authorization).toBe("Bearer of-its-own");
  });
});

describe("no other header of a client", () => {
  const others = {
    authorization: "Bearer of-the-client",
    "content-type": "application/json; charset=utf-8",
    accept: "text/plain",
    "user-agent": "a-client",
    cookie: "a=b",
    "openai-organization": "org-1",
    "x-api-key": "secret",
  };

  it("reaches a provider, nor stands in for one that it should get", async () => {
    const headers = await sent("responses", "responses/m", { ...session, ...others });
    expect(headers).toMatchObject({ authorization: "Bearer provider-secret", "content-type": "application/json" });
    expect(headers["user-agent"]).toBe("toolwire");
    for (const value of Object.values(others)) expect(Object.values(headers)).not.toContain(value);
  });

  it("is the key of a backend that has none", async () => {
    expect(await sent("responses", "keyless/m", { ...session, ...others })).not.toHaveProperty("authorization");
  });
});
