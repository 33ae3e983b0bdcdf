import { connect } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import type { RunningServer } from "../../src/http/server.ts";
import type { JsonObject } from "../../src/turn/index.ts";
import type { Api } from "../support/api.ts";
import { checkChatStream } from "../support/chat-stream.ts";
import { ask, bothBackends, paths, requestFor, startGateway } from "../support/gateway.ts";
import { type Provider, type Reply, startProvider } from "../support/provider.ts";
import { checkResponsesStream } from "../support/responses-stream.ts";

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const part of opened.splice(0).reverse()) await part.close();
});

async function setUp(
  reply: () => Reply,
  config: JsonObject = {},
): Promise<{ gateway: RunningServer; provider: Provider }> {
  const provider = await startProvider(reply);
  opened.push(provider);
  const gateway = await startGateway({ ...bothBackends(provider), ...config });
  opened.push(gateway);
  return { gateway, provider };
}

const pairs = (["chat", "responses"] as const).flatMap((client) =>
  (["chat", "responses"] as const).map((backend): [Api, Api] => [client, backend]),
);

async function eventually(holds: () => boolean, milliseconds = 1000): Promise<void> {
  for (const until = Date.now() + milliseconds; !holds(); await wait(10)) {
    if (Date.now() > until) throw new Error("it did not come to hold in time");
  }
}

describe("a client that leaves", () => {
  describe.each(pairs)("%s client, %s backend", (client, backend) => {
    it.each([true, false])("closes the backend's connection at once (stream: %s)", async (stream) => {
      const slow: Reply = stream ? { say: "word ".repeat(200), pieceDelay: 30 } : { bytes: ["hang"] };
      const { gateway, provider } = await setUp(() => slow);
      const leaving = new AbortController();
      const body = requestFor(client, { model: `${backend}/slow`, stream });
      const request = fetch(`${gateway.url}${paths[client]}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
        signal: leaving.signal,
      }).then((response) => response.text());
      await eventually(() => provider.requests.length === 1);
      await wait(100);
      leaving.abort();
      await expect(request).rejects.toThrow();
      await eventually(() => provider.requests[0]?.closedEarly === true);
    });
  });
});

describe("a backend that is silent", () => {
  const late = (backend: Api): Reply =>
    backend === "chat"
      ? {
          bytes: [
            { wait: 350 },
            'data: {"choices":[{"delta":{"content":"late"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
          ],
        }
      : { say: "late", pieceDelay: 90 };

  it.each(pairs)("keeps a waiting client of %s before %s alive", async (client, backend) => {
    const { gateway } = await setUp(() => late(backend), { turn: { keep_alive: "60ms" } });
    const answer = await ask(gateway, client, requestFor(client, { model: `${backend}/late`, stream: true }));
    expect(answer.text).toBe("late");
    if (client === "chat") expect(answer.raw.match(/^: keep-alive$/gm)?.length).toBeGreaterThan(1);
    else expect(answer.events.filter(({ type }) => type === "response.in_progress").length).toBeGreaterThan(2);
  });

  it.each(pairs)("is given up in time: %s before %s", async (client, backend) => {
    const { gateway, provider } = await setUp(() => ({ bytes: ["hang"] }));
    await gateway.close();
    const impatient = await startGateway(bothBackends(provider, { timeouts: { first_content: "200ms" } }));
    opened.push(impatient);
    const answer = await ask(impatient, client, requestFor(client, { model: `${backend}/silent`, stream: true }));
    expect(answer.status).toBe(504);
    expect(answer.error?.code).toBe("upstream_timeout");
    await eventually(() => provider.requests[0]?.closedEarly === true);
  });

  it.each(pairs)("after the stream was opened, fails in the stream: %s before %s", async (client, backend) => {
    const { gateway, provider } = await setUp(() => ({ bytes: ["hang"] }));
    await gateway.close();
    const config = {
      ...bothBackends(provider, { timeouts: { first_content: "200ms" } }),
      turn: { keep_alive: "50ms" },
    };
    const impatient = await startGateway(config);
    opened.push(impatient);
    const answer = await ask(impatient, client, requestFor(client, { model: `${backend}/silent`, stream: true }));
    expect(answer.status).toBe(200);
    expect(answer.ended).toBe("failed");
    expect(answer.error?.code).toBe("upstream_timeout");
  });
});

describe("a backend that says why it stopped, but never ends", () => {
  it("does not hold the client", async () => {
    const { gateway } = await setUp(() => ({
      bytes: ['data: {"choices":[{"delta":{"content":"all"},"finish_reason":"stop"}]}\n\n', "hang"],
    }));
    const answer = await ask(gateway, "chat", requestFor("chat", { model: "chat/endless", stream: true }));
    expect(answer).toMatchObject({ text: "all", ended: "completed" });
  });
});

describe("a gateway that is told to stop", () => {
  it("lets running turns finish and takes no new ones", async () => {
    const { gateway, provider } = await setUp(() => ({ say: "word ".repeat(20), pieceDelay: 20 }));
    const running = ask(gateway, "responses", requestFor("responses", { model: "chat/slow", stream: true }));
    await eventually(() => provider.requests.length === 1);
    const closing = gateway.close();
    await wait(30);
    await expect(fetch(`${gateway.url}/health`).then((response) => response.status)).rejects.toThrow();
    expect((await running).text).toBe("word ".repeat(20));
    await closing;
  });

  it("does not wait for connections that say nothing", async () => {
    const { gateway } = await setUp(() => ({ say: "hi" }));
    const { port } = new URL(gateway.url);
    const silent = connect(Number(port), "127.0.0.1");
    const half = connect(Number(port), "127.0.0.1");
    half.write("POST /v1/responses HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{");
    for (const socket of [silent, half]) socket.on("error", () => {});
    await wait(50);
    const began = performance.now();
    await gateway.close();
    expect(performance.now() - began).toBeLessThan(5_000);
  });

  it("ends what takes longer than limits.drain in its proper form", async () => {
    const { gateway, provider } = await setUp(() => ({ say: "word ".repeat(400), pieceDelay: 20 }), {
      limits: { drain: "150ms" },
    });
    const running = ask(gateway, "responses", requestFor("responses", { model: "chat/slow", stream: true }));
    await eventually(() => provider.requests.length === 1);
    await wait(60);
    await gateway.close();
    const answer = await running;
    expect(answer.ended).toBe("failed");
    expect(answer.error?.code).toBe("shutting_down");
  });
});

describe("a provider that sends garbage", () => {
  const garbage: [string, Reply][] = [
    ["an event that is not JSON", { bytes: ["data: {oops\n\n"] }],
    ["an event that is not an object", { bytes: ["data: 7\n\n"] }],
    ["a web page", { bytes: ["<html>hello</html>"], headers: { "content-type": "text/html" } }],
    ["nothing at all", { bytes: [] }],
    ["JSON that is no answer", { whole: { hello: "world" } }],
    ["a connection that breaks off", { bytes: ["data: {", "cut"] }],
    ["binary noise", { bytes: [Buffer.from([0, 255, 254, 10, 10, 0, 1, 2, 3])] }],
  ];

  it.each(garbage)("%s is a clean failure of that request alone", async (_case, reply) => {
    const { gateway } = await setUp(() => reply);
    for (const [client, backend] of pairs) {
      for (const stream of [true, false]) {
        const answer = await ask(gateway, client, requestFor(client, { model: `${backend}/bad`, stream }));
        expect(answer.status).toBe(502);
        expect(answer.error?.code).toMatch(/^upstream_(invalid|cut)$/);
      }
    }
    expect((await fetch(`${gateway.url}/health`)).status).toBe(200);
  });

  it("after content, the stream ends with an error and no success", async () => {
    const { gateway } = await setUp(() => ({
      bytes: ['data: {"choices":[{"delta":{"content":"so far"}}]}\n\n', { wait: 30 }, "data: {oops\n\n"],
    }));
    const chat = await ask(gateway, "chat", requestFor("chat", { model: "chat/bad", stream: true }));
    expect(checkChatStream(chat.raw)).toMatchObject({ text: "so far", finish: null });
    expect(chat.error?.code).toBe("upstream_invalid");
    const responses = await ask(gateway, "responses", requestFor("responses", { model: "chat/bad", stream: true }));
    expect(checkResponsesStream(responses.raw).ended).toBe("failed");
    expect(responses.text).toBe("so far");
  });
});

describe("a provider's own error", () => {
  it("keeps its status and words, but no key and no address", async () => {
    const { gateway } = await setUp(() => ({
      status: 400,
      body: {
        error: {
          message: "bad key provider-secret at http://10.0.0.1/x: too hot",
          type: "invalid_request_error",
          param: "temperature",
          code: "too_hot",
        },
      },
    }));
    const answer = await ask(gateway, "responses", requestFor("responses", { model: "chat/x", stream: true }));
    expect(answer.status).toBe(400);
    expect(answer.error).toMatchObject({ type: "invalid_request_error", param: "temperature", code: "too_hot" });
    expect(answer.error?.message).toContain("too hot");
    expect(answer.raw).not.toContain("provider-secret");
    expect(answer.raw).not.toContain("10.0.0.1");
  });

  it.each([
    [429, 429, "7"],
    [500, 502, null],
    [503, 503, "9"],
  ])("%i is told as %i", async (status, told, retryAfter) => {
    const { gateway } = await setUp(() => ({
      status,
      body: { error: { message: "busy" } },
      headers: retryAfter ? { "retry-after": retryAfter } : {},
    }));
    const answer = await ask(gateway, "chat", requestFor("chat", { model: "chat/x" }));
    expect(answer.status).toBe(told);
    expect(answer.error?.message).toContain("busy");
    expect(answer.headers.get("retry-after")).toBe(retryAfter);
  });

  it("a backend that does not speak https is told so, with what to look at", async () => {
    const { provider } = await setUp(() => ({ say: "hi" }));
    const base_url = provider.url.replace("http:", "https:");
    const gateway = await startGateway({ backends: { chat: { kind: "chat", base_url } } });
    opened.push(gateway);
    const answer = await ask(gateway, "chat", requestFor("chat", { model: "chat/x" }));
    expect(answer.error?.code).toBe("upstream_unreachable");
    expect(answer.error?.message).toContain("base_url");
  });

  it("a backend that is not there is told so", async () => {
    const { gateway, provider } = await setUp(() => ({ say: "hi" }));
    await provider.close();
    const answer = await ask(gateway, "chat", requestFor("chat", { model: "chat/x", stream: true }));
    expect(answer.status).toBe(502);
    expect(answer.error?.code).toBe("upstream_unreachable");
  });
});
