import { setTimeout as wait } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { resetTime } from "../../src/http/rate-limits.ts";
import type { RunningServer } from "../../src/http/server.ts";
import type { JsonObject } from "../../src/turn/index.ts";
import { startGateway } from "../support/gateway.ts";

const backends = { demo: { kind: "demo", pace: "0ms" } };
const hello = { model: "demo", messages: [{ role: "user", content: "hello" }] };
const names = ["x-ratelimit-limit-requests", "x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"] as const;

const opened: RunningServer[] = [];
afterEach(async () => {
  for (const gateway of opened.splice(0)) await gateway.close();
});

async function start(config: JsonObject): Promise<RunningServer> {
  const gateway = await startGateway({ backends, ...config });
  opened.push(gateway);
  return gateway;
}

function get(gateway: RunningServer, path: string, key?: string, headers: Record<string, string> = {}) {
  return fetch(`${gateway.url}${path}`, { headers: { ...(key && { authorization: `Bearer ${key}` }), ...headers } });
}

function post(gateway: RunningServer, path: string, body: JsonObject | string, key?: string) {
  return fetch(`${gateway.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...(key && { authorization: `Bearer ${key}` }) },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

function rateOf({ headers }: Response): (string | null)[] {
  return names.map((name) => headers.get(name));
}

const twice = { keys: ["k-one", { name: "ci", key: "k-two" }], limits: { per_key: { requests: 2, per: "1m" } } };

describe("requests of a key", () => {
  it("beyond the limit are answered with 429, when to come back, and everything that a client reads", async () => {
    const gateway = await start(twice);
    for (const left of ["1", "0"]) {
      const response = await post(gateway, "/v1/chat/completions", hello, "k-two");
      expect(response.status).toBe(200);
      expect(rateOf(response)).toEqual(["2", left, expect.stringMatching(/^(?:1m0s|5\d(?:\.\d+)?s)$/)]);
    }
    const refused = await post(gateway, "/v1/chat/completions", hello, "k-two");
    expect(refused.status).toBe(429);
    expect(rateOf(refused).slice(0, 2)).toEqual(["2", "0"]);
    const seconds = Number(refused.headers.get("retry-after"));
    expect(seconds).toBeGreaterThan(50);
    expect(seconds).toBeLessThanOrEqual(60);
    expect(await refused.json()).toEqual({
      error: {
        message: `The key "ci" is limited to 2 requests in 1m. Please try again in ${seconds}s.`,
        type: "rate_limit_error",
        param: null,
        code: "rate_limit_exceeded",
      },
    });
  });

  it("are counted by key", async () => {
    const gateway = await start(twice);
    for (const status of [200, 200, 429]) expect((await get(gateway, "/v1/models", "k-one")).status).toBe(status);
    expect((await get(gateway, "/v1/models", "k-two")).status).toBe(200);
  });

  it.each([
    ["/v1/models", () => undefined],
    ["/models", () => undefined],
    ["/openai/v1/models/demo", () => undefined],
    ["/metrics", () => undefined],
    ["/v1/nothing", () => undefined],
    ["/v1/chat/completions", () => hello],
    ["/chat/completions", () => hello],
    ["/openai/v1/responses", () => ({ model: "demo", input: "hello" })],
    ["/v1/responses", () => "{ not JSON"],
    ["/v1/responses", () => ({ model: "unheard of", input: "hello" })],
  ])("are counted on %s, whatever the answer is", async (path, body) => {
    const gateway = await start({ keys: ["k-one"], limits: { per_key: { requests: 1, per: "1m" } } });
    const ask = () => {
      const content = body();
      return content === undefined ? get(gateway, path, "k-one") : post(gateway, path, content, "k-one");
    };
    const first = await ask();
    expect(first.status).not.toBe(429);
    expect(rateOf(first).slice(0, 2)).toEqual(["1", "0"]);
    const second = await ask();
    expect(second.status).toBe(429);
    expect(await second.json()).toMatchObject({ error: { code: "rate_limit_exceeded" } });
  });

  it.each(["chat", "responses"])("show on a stream of %s as well", async (api) => {
    const gateway = await start(twice);
    const [path, body] =
      api === "chat" ? ["/v1/chat/completions", hello] : ["/v1/responses", { model: "demo", input: "hello" }];
    const response = await post(gateway, path, { ...body, stream: true }, "k-one");
    await response.text();
    expect(response.headers.get("content-type")).toMatch(/^text\/event-stream/);
    expect(rateOf(response).slice(0, 2)).toEqual(["2", "1"]);
  });

  it("are not counted where no key is needed, nor for a preflight", async () => {
    const gateway = await start({ keys: ["k-one"], limits: { per_key: { requests: 1, per: "1m" } } });
    for (const path of ["/", "/health", "/healthz", "/livez", "/ready", "/readyz"]) {
      const response = await get(gateway, path, "k-one");
      expect(response.status).toBe(200);
      expect(rateOf(response)).toEqual([null, null, null]);
    }
    const origin = { origin: "app://obsidian.md", "access-control-request-method": "GET" };
    for (let time = 0; time < 3; time += 1) {
      const response = await fetch(`${gateway.url}/v1/models`, { method: "OPTIONS", headers: origin });
      expect(response.status).toBe(204);
    }
    expect((await get(gateway, "/v1/models", "k-one")).status).toBe(200);
  });

  it("with a key that is not known stay 401 and count for nobody", async () => {
    const gateway = await start({ keys: ["k-one"], limits: { per_key: { requests: 1, per: "1m" } } });
    for (const key of ["wrong", undefined, "wrong"]) {
      const response = await get(gateway, "/v1/models", key);
      expect(response.status).toBe(401);
      expect(rateOf(response)).toEqual([null, null, null]);
    }
    expect((await get(gateway, "/v1/models", "k-one")).status).toBe(200);
  });

  it("beyond the limit are refused before their body is read", async () => {
    const gateway = await start({ keys: ["k-one"], limits: { per_key: { requests: 1, per: "1m" } } });
    await get(gateway, "/v1/models", "k-one");
    expect((await post(gateway, "/v1/responses", "{ not JSON", "k-one")).status).toBe(429);
  });

  it("are let through again when the window is over, also where it is shorter than a second", async () => {
    const gateway = await start({ keys: ["k-one"], limits: { per_key: { requests: 1, per: "900ms" } } });
    expect((await get(gateway, "/v1/models", "k-one")).status).toBe(200);
    const refused = await get(gateway, "/v1/models", "k-one");
    expect(refused.status).toBe(429);
    expect(refused.headers.get("x-ratelimit-reset-requests")).toMatch(/^\d{1,3}ms$/);
    expect(refused.headers.get("retry-after")).toBe("1");
    await wait(950);
    expect((await get(gateway, "/v1/models", "k-one")).status).toBe(200);
  });

  it("let a web page see how it stands", async () => {
    const gateway = await start(twice);
    const response = await get(gateway, "/v1/models", "k-one", { origin: "http://localhost:5173" });
    const exposed = response.headers.get("access-control-expose-headers")?.split(", ");
    expect(exposed).toEqual(expect.arrayContaining([...names, "retry-after"]));
  });
});

describe("the rate", () => {
  const limitOf = async (gateway: RunningServer, key?: string) =>
    (await get(gateway, "/v1/models", key)).headers.get("x-ratelimit-limit-requests");

  it("is 600 requests in a minute once there are keys", async () => {
    expect(await limitOf(await start({ keys: ["k-one"] }), "k-one")).toBe("600");
  });

  it("is none without keys, and none where it is null", async () => {
    expect(await limitOf(await start({}))).toBeNull();
    expect(await limitOf(await start({ keys: ["k-one"], limits: { per_key: null } }), "k-one")).toBeNull();
  });

  it("of a key wins over the gateway's, and null is none", async () => {
    const gateway = await start({
      keys: [
        { name: "own", key: "k-own", per_key: { requests: 7, per: "1s" } },
        { name: "free", key: "k-free", per_key: null },
        { name: "usual", key: "k-usual" },
      ],
      limits: { per_key: { requests: 5, per: "1m" } },
    });
    expect(await limitOf(gateway, "k-own")).toBe("7");
    expect(await limitOf(gateway, "k-free")).toBeNull();
    expect(await limitOf(gateway, "k-usual")).toBe("5");
  });

  it("counts everybody as one where there are no keys", async () => {
    const gateway = await start({ limits: { per_key: { requests: 2, per: "1m" } } });
    expect((await get(gateway, "/v1/models", "anything")).status).toBe(200);
    expect((await get(gateway, "/v1/models")).status).toBe(200);
    const refused = await get(gateway, "/v1/models", "something else");
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({
      error: { message: expect.stringMatching(/^This gateway is limited/) },
    });
  });

  it("holds for requests that come at the same moment", async () => {
    const gateway = await start({ limits: { per_key: { requests: 5, per: "1m" } } });
    const statuses = await Promise.all([...Array(20)].map(async () => (await get(gateway, "/v1/models")).status));
    expect(statuses.filter((status) => status === 200)).toHaveLength(5);
    expect(statuses.filter((status) => status === 429)).toHaveLength(15);
  });
});

describe("the time until a reset", () => {
  it.each([
    [0, "0ms"],
    [120, "120ms"],
    [999, "999ms"],
    [1_000, "1s"],
    [1_500, "1.5s"],
    [59_999, "59.999s"],
    [60_000, "1m0s"],
    [360_000, "6m0s"],
    [3_600_000, "1h0m0s"],
    [90_061_000, "25h1m1s"],
  ])("%i ms is %s", (milliseconds, text) => {
    expect(resetTime(milliseconds)).toBe(text);
  });
});
