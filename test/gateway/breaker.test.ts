import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { RunningServer } from "../../src/http/server.ts";
import { isObject, type JsonObject, parseJson } from "../../src/turn/index.ts";
import { type Answer, ask, bothBackends, requestFor, startGateway } from "../support/gateway.ts";
import { type Provider, type Reply, startProvider } from "../support/provider.ts";

let provider: Provider;
let gateway: RunningServer;
let folder: string;
let reply: Reply;
const fine: Reply = { say: "Fine." };

beforeEach(async () => {
  reply = { status: 500 };
  provider = await startProvider(() => reply);
  folder = mkdtempSync(join(tmpdir(), "toolwire-breaker-"));
});
afterEach(async () => {
  await gateway.close();
  await provider.close();
  rmSync(folder, { recursive: true, force: true });
});

async function start(breaker: JsonObject, more: JsonObject = {}): Promise<void> {
  const settings = { breaker: { failures: 3, window: "30s", cooldown: "400ms", ...breaker }, ...more };
  const telemetry = { events: join(folder, "events.ndjson") };
  gateway = await startGateway({ ...bothBackends(provider, settings), telemetry });
}

const send = (more: JsonObject = {}, backend = "chat"): Promise<Answer> =>
  ask(gateway, "chat", requestFor("chat", { model: `${backend}/m`, ...more }), {}, { usageUnknown: true });

async function times(count: number, more: JsonObject = {}): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let at = 0; at < count; at++) answers.push(await send(more));
  return answers;
}

/** The states that the breakers went through, as the events tell. */
async function states(): Promise<unknown[]> {
  await gateway.close();
  const lines = readFileSync(join(folder, "events.ndjson"), "utf8").trim().split("\n");
  const events = lines.map((line) => parseJson(line)).filter(isObject);
  return events.filter(({ event }) => event === "breaker").map(({ backend, state }) => `${backend} ${state}`);
}

const half = { choices: [{ index: 0, delta: { content: "Half" }, finish_reason: null }] };
const failures: [string, Reply, boolean][] = [
  ["answers 500", { status: 500 }, false],
  ["answers 503", { status: 503 }, false],
  ["cuts the connection", { bytes: ["cut"] }, false],
  ["cuts the stream after content", { bytes: [`data: ${JSON.stringify(half)}\n\n`, "cut"] }, true],
  ["reports its own failure in the stream", { chunks: [{ error: { message: "Out of memory." } }] }, true],
  ["is silent for too long", { bytes: ["hang"] }, true],
];

describe("a backend that fails too often", () => {
  it.each(failures)("because it %s is left alone for a while", async (_name, failure, stream) => {
    await start({}, { timeouts: { first_content: "100ms" } });
    reply = failure;
    for (const answer of await times(3, { stream })) expect(answer.error?.code).not.toBe("upstream_unavailable");
    reply = fine;
    const refused = await send({ stream });
    expect(refused).toMatchObject({ status: 503, error: { code: "upstream_unavailable" } });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    expect(provider.requests).toHaveLength(3);
  });

  it("leaves the other backends alone", async () => {
    await start({});
    await times(3);
    reply = fine;
    expect((await send()).status).toBe(503);
    expect((await send({}, "responses")).status).toBe(200);
  });

  it("is tried once after its rest, and works again for all when that goes well", async () => {
    await start({});
    await times(3);
    reply = fine;
    await sleep(450);
    expect((await send()).status).toBe(200);
    expect((await Promise.all([send(), send(), send()])).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await states()).toEqual(["chat open", "chat half_open", "chat closed"]);
  });

  it("rests again when the one try fails, and the others do not wait for it", async () => {
    await start({});
    await times(3);
    await sleep(450);
    reply = { bytes: [{ wait: 300 }, "cut"] };
    const [tried, ...others] = await Promise.all([
      send(),
      sleep(100).then(() => send()),
      sleep(100).then(() => send()),
    ]);
    expect(tried?.status).toBe(502);
    expect(others.map(({ status }) => status)).toEqual([503, 503]);
    expect((await send()).status).toBe(503);
    expect(provider.requests).toHaveLength(4);
    expect(await states()).toEqual(["chat open", "chat half_open", "chat open"]);
  });

  it("rests again when the client of the one try has left", async () => {
    await start({});
    await times(3);
    await sleep(450);
    reply = { bytes: ["hang"] };
    const leaving = AbortSignal.timeout(50);
    const request = requestFor("chat", { model: "chat/m" });
    await expect(ask(gateway, "chat", request, {}, { signal: leaving })).rejects.toThrow();
    await sleep(100);
    reply = fine;
    expect((await send()).status).toBe(503);
    await sleep(450);
    expect((await send()).status).toBe(200);
    expect(await states()).toEqual(["chat open", "chat half_open", "chat open", "chat half_open", "chat closed"]);
  });

  it("is the same backend for a model that only has other settings", async () => {
    await start({});
    await gateway.close();
    const models = { patient: { backend: "chat", model: "m", timeouts: { idle: "1m" } } };
    gateway = await startGateway({ ...bothBackends(provider, { breaker: { failures: 1 } }), models });
    await send();
    const answer = await ask(gateway, "chat", requestFor("chat", { model: "patient" }));
    expect(answer).toMatchObject({ status: 503, error: { code: "upstream_unavailable" } });
  });

  it("is one that failed often enough within the window", async () => {
    await start({ window: "300ms" });
    for (let at = 0; at < 4; at++) {
      expect((await send()).status).toBe(502);
      await sleep(180);
    }
    expect(provider.requests).toHaveLength(4);
  });

  it("counts a turn once, however often it was asked again", async () => {
    await start({}, { retries: 1 });
    expect((await times(3)).map(({ status }) => status)).toEqual([502, 502, 502]);
    expect((await send()).status).toBe(503);
    expect(provider.requests).toHaveLength(6);
  });

  it("is stood in for at once where there is a fallback", async () => {
    await start({});
    await gateway.close();
    const models = { fast: { backend: "chat", model: "m", fallback: ["responses/n"] } };
    provider.requests.length = 0;
    gateway = await startGateway({ ...bothBackends(provider, { breaker: { failures: 1 } }), models });
    await send();
    reply = fine;
    const answer = await ask(gateway, "chat", requestFor("chat", { model: "fast" }));
    expect(answer.text).toBe("Fine.");
    expect(provider.requests.map(({ api }) => api)).toEqual(["chat", "responses"]);
  });

  it("shows in the metrics", async () => {
    await start({});
    await times(3);
    const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
    expect(metrics).toContain('toolwire_breaker_open{backend="chat"} 1');
  });
});

describe("what does not speak against a backend:", () => {
  const call = (text: string): Reply => ({ calls: [{ name: "f", arguments: text }] });
  it.each<[string, Reply]>([
    ["a request that it refuses", { status: 400 }],
    ["a key that it refuses", { status: 401 }],
    ["a rate limit", { status: 429, headers: { "retry-after": "60" } }],
    ["a call whose arguments are not JSON", call("nonsense")],
    ["a call that stops in the middle", call('{"a":')],
    ["a call of a tool that nobody defined", { calls: [{ name: "g", arguments: "{}" }] }],
    ["a demanded call that does not come", { say: "No." }],
  ])("%s", async (_name, odd) => {
    await start({ failures: 1 });
    reply = odd;
    const tools = [{ name: "f" }];
    const request = requestFor("chat", { model: "chat/m", tools, choice: "required" });
    for (let at = 0; at < 3; at++) await ask(gateway, "chat", request, {}, { rawArguments: true });
    reply = fine;
    expect((await send()).status).toBe(200);
  });

  it("a client that reads so slowly that the turn's time is over", async () => {
    await start({ failures: 1 }, { timeouts: { total: "2s" } });
    const text = "x".repeat(16_000);
    reply = { chunks: Array.from({ length: 2_000 }, () => ({ choices: [{ index: 0, delta: { content: text } }] })) };
    const body = JSON.stringify(requestFor("chat", { model: "chat/m", stream: true }));
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${gateway.url}/v1/chat/completions`, { method: "POST", headers, body });
    await sleep(2_300);
    expect(await response.text()).toContain('"code":"request_timeout"');
    reply = fine;
    expect((await send()).status).toBe(200);
  });

  it("a client that leaves", async () => {
    await start({ failures: 1 });
    reply = { bytes: ["hang"] };
    for (let at = 0; at < 3; at++) {
      const leaving = AbortSignal.timeout(50);
      await expect(
        ask(gateway, "chat", requestFor("chat", { model: "chat/m" }), {}, { signal: leaving }),
      ).rejects.toThrow();
    }
    reply = fine;
    expect((await send()).status).toBe(200);
  });
});
