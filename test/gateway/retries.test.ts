import { afterAll, describe, expect, it } from "vitest";
import type { RunningServer } from "../../src/http/server.ts";
import type { JsonObject } from "../../src/turn/index.ts";
import type { Api } from "../support/api.ts";
import { ask, bothBackends, requestFor, startGateway } from "../support/gateway.ts";
import { type Provider, type Reply, type Script, sseFrames, startProvider } from "../support/provider.ts";

interface Scene {
  provider: Provider;
  gateway: RunningServer;
}

const opened: { close(): Promise<void> }[] = [];
afterAll(() => Promise.all(opened.map((part) => part.close())));

/** Each test has its own, so that their waits can be waited for together. */
async function start(script: Script, more: JsonObject = {}, config: JsonObject = {}): Promise<Scene> {
  const provider = await startProvider(script);
  const gateway = await startGateway({ ...bothBackends(provider, { retries: 2, ...more }), ...config });
  opened.push(gateway, provider);
  return { provider, gateway };
}

const fine: Reply = { say: "Fine.", calls: [{ name: "f", arguments: '{"a":1}' }] };
const beginning: Record<Api, unknown> = {
  chat: { choices: [{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }] },
  responses: { type: "response.created", response: { id: "resp_1", status: "in_progress", output: [] } },
};
const words: Record<Api, unknown[]> = {
  chat: [{ choices: [{ index: 0, delta: { role: "assistant", content: "Half" }, finish_reason: null }] }],
  responses: [
    { type: "response.created", response: { id: "resp_1", status: "in_progress", output: [] } },
    { type: "response.output_item.added", output_index: 0, item: { type: "message", id: "msg_1", content: [] } },
    { type: "response.output_text.delta", output_index: 0, item_id: "msg_1", content_index: 0, delta: "Half" },
  ],
};

const failures: [string, (api: Api) => Reply][] = [
  ["fails with 500", () => ({ status: 500 })],
  ["is overloaded", () => ({ status: 503 })],
  ["allows no more requests for now", () => ({ status: 429 })],
  ["breaks off before it says anything", () => ({ bytes: ["cut"] })],
  ["ends before it says anything", (api) => ({ chunks: [beginning[api]], done: false })],
  ["reports an error before it says anything", () => ({ chunks: [{ type: "error", error: { message: "Oops" } }] })],
  ["sends nonsense", () => ({ bytes: ["data: {{{\n\n"] })],
];

const pairs = (["chat", "responses"] as const).flatMap((client) =>
  (["chat", "responses"] as const).map((backend): [Api, Api] => [client, backend]),
);

describe.concurrent.each(pairs)("for a %s client of a %s backend", (client, backend) => {
  it.each(failures)("a backend that %s is asked again, and the client sees nothing of it", async (_name, failure) => {
    const { provider, gateway } = await start(({ api, count }) => (count % 3 === 0 ? fine : failure(api)));
    for (const stream of [true, false]) {
      const answer = await ask(
        gateway,
        client,
        requestFor(client, { model: `${backend}/m`, tools: [{ name: "f" }], stream }),
      );
      expect(answer).toMatchObject({ status: 200, ended: "completed", text: "Fine." });
      expect(answer.calls).toMatchObject([{ name: "f", arguments: '{"a":1}' }]);
    }
    expect(provider.requests).toHaveLength(6);
  });

  it("nothing is asked again once content was sent", async () => {
    const { provider, gateway } = await start(({ api }) => ({ bytes: [...sseFrames(api, words[api], false), "cut"] }));
    const answer = await ask(gateway, client, requestFor(client, { model: `${backend}/m`, stream: true }));
    expect(answer).toMatchObject({ status: 200, ended: "failed", text: "Half", error: { code: "upstream_cut" } });
    expect(provider.requests).toHaveLength(1);
  });

  it("an answer in one piece is asked for again as long as it has not been sent, however much of it had come", async () => {
    const broken = (api: Api): Reply => ({
      bytes: [...sseFrames(api, words[api], false), "cut"],
      headers: { "content-type": "text/event-stream" },
    });
    const { gateway } = await start(({ api, count }) => (count === 1 ? broken(api) : fine));
    const answer = await ask(gateway, client, requestFor(client, { model: `${backend}/m`, tools: [{ name: "f" }] }));
    expect(answer).toMatchObject({ status: 200, text: "Fine." });
    expect(answer.calls).toHaveLength(1);
  });

  it("a stream that was opened to keep the client waiting goes on when the next attempt works", async () => {
    const later: Reply = { bytes: [{ wait: 150 }, "cut"] };
    const { gateway } = await start(({ count }) => (count === 1 ? later : fine), {}, { turn: { keep_alive: "50ms" } });
    const answer = await ask(
      gateway,
      client,
      requestFor(client, { model: `${backend}/m`, tools: [{ name: "f" }], stream: true }),
    );
    expect(answer).toMatchObject({ status: 200, ended: "completed", text: "Fine." });
    expect(answer.raw).toMatch(client === "chat" ? /: keep-alive/ : /response\.in_progress/);
  });
});

describe.concurrent("a backend is not asked again", () => {
  it.each([
    [400, undefined],
    [401, undefined],
    [404, undefined],
    [422, undefined],
    // Longer than anybody would wait without being told.
    [429, "30"],
    [503, "Fri, 31 Dec 2100 23:59:59 GMT"],
  ])("after %i (retry-after: %s)", async (status, wait) => {
    const { provider, gateway } = await start(() => ({
      status,
      headers: wait === undefined ? {} : { "retry-after": wait },
    }));
    const answer = await ask(gateway, "chat", requestFor("chat", { model: "chat/m" }));
    expect(answer.status).toBe(status);
    expect(answer.headers.get("retry-after")).toBe(wait ?? null);
    expect(provider.requests).toHaveLength(1);
  });

  it("when it was silent for too long", async () => {
    const { provider, gateway } = await start(() => ({ bytes: ["hang"] }), { timeouts: { first_content: "200ms" } });
    const answer = await ask(gateway, "chat", requestFor("chat", { model: "chat/m", stream: true }));
    expect(answer).toMatchObject({ status: 504, error: { code: "upstream_timeout" } });
    expect(provider.requests).toHaveLength(1);
  });

  it("more often than `retries` says, and then its own failure is told", async () => {
    const { provider, gateway } = await start(() => ({
      status: 500,
      body: { error: { message: "The engine is on fire." } },
    }));
    const answer = await ask(gateway, "responses", requestFor("responses", { model: "responses/m" }));
    expect(answer).toMatchObject({ status: 502, error: { code: "upstream_error" } });
    expect(answer.error?.message).toContain("The engine is on fire.");
    expect(provider.requests).toHaveLength(3);
  });

  it("when the client has left meanwhile", async () => {
    const { provider, gateway } = await start(() => ({ status: 503, headers: { "retry-after": "1" } }));
    const leaving = new AbortController();
    setTimeout(() => leaving.abort(), 200);
    const request = requestFor("chat", { model: "chat/m" });
    await expect(ask(gateway, "chat", request, {}, { signal: leaving.signal })).rejects.toThrow();
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(provider.requests).toHaveLength(1);
  });
});

it("a short retry-after is kept to", async () => {
  const times: number[] = [];
  const { gateway } = await start(({ count }) => {
    times.push(performance.now());
    return count === 1 ? { status: 429, headers: { "retry-after": "1" } } : fine;
  });
  const answer = await ask(gateway, "chat", requestFor("chat", { model: "chat/m", tools: [{ name: "f" }] }));
  expect(answer.status).toBe(200);
  expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(1_000);
});
