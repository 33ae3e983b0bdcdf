import { createHash } from "node:crypto";
import { request as httpRequest } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningServer } from "../../src/http/server.ts";
import { startGateway } from "../support/gateway.ts";
import { startProvider } from "../support/provider.ts";

const hash = (key: string) => `sha256:${createHash("sha256").update(key).digest("hex")}`;
const backends = { demo: { kind: "demo", pace: "0ms" } };
const hello = { model: "demo", messages: [{ role: "user", content: "hello" }] };

let open: RunningServer;
let keyed: RunningServer;
beforeAll(async () => {
  open = await startGateway({ backends, hosts: ["gateway.lan"] });
  keyed = await startGateway({
    backends,
    keys: [
      "plain-key-1",
      { name: "hashed", hash: hash("hashed-key-2") },
      { name: "narrow", key: "narrow-key-3", models: ["other"] },
      { name: "old", key: "expired-key-4", expires: "2020-01-01" },
    ],
  });
});
afterAll(() => Promise.all([open.close(), keyed.close()]));

function chat(gateway: RunningServer, headers: Record<string, string> = {}) {
  return fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(hello),
  });
}

/** `fetch` does not let a Host be chosen. */
function getWithHost(gateway: RunningServer, host: string, method = "GET"): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(`${gateway.url}/v1/models`, { method, headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.on("error", reject);
    request.end();
  });
}

describe("keys", () => {
  it("are not needed where none are configured, and any Authorization header is ignored", async () => {
    expect((await chat(open)).status).toBe(200);
    expect((await chat(open, { authorization: "Bearer whatever" })).status).toBe(200);
  });

  it.each([
    ["no key", {}, 401],
    ["a wrong key", { authorization: "Bearer wrong" }, 401],
    ["another scheme", { authorization: "Basic cGxhaW4=" }, 401],
    ["an expired key", { authorization: "Bearer expired-key-4" }, 401],
    ["a key for another model", { authorization: "Bearer narrow-key-3" }, 403],
    ["a key", { authorization: "Bearer plain-key-1" }, 200],
    ["a key of which only the hash is configured", { authorization: "bearer hashed-key-2" }, 200],
  ] as [string, Record<string, string>, number][])("%s", async (_case, headers, status) => {
    const response = await chat(keyed, headers);
    expect(response.status).toBe(status);
    if (status !== 200) expect(await response.json()).toHaveProperty("error.code");
  });

  it("are asked for before a body is read", async () => {
    const response = await fetch(`${keyed.url}/v1/responses`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{",
    });
    expect(response.status).toBe(401);
  });

  it("hide the names of models that they may not use", async () => {
    const response = await fetch(`${keyed.url}/v1/responses`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: "Bearer narrow-key-3" },
      body: JSON.stringify({ model: "zzz", input: "hi" }),
    });
    expect(response.status).toBe(404);
    expect(await response.text()).not.toContain("demo");
  });

  it("guard the list of models and the metrics, but not health, readiness and the page", async () => {
    const status = async (path: string) => (await fetch(`${keyed.url}${path}`)).status;
    expect(await status("/v1/models")).toBe(401);
    expect(await status("/metrics")).toBe(401);
    for (const path of ["/health", "/livez", "/ready", "/readyz", "/"]) expect(await status(path)).toBe(200);
  });

  it("are never shown on the page, nor are the models behind them", async () => {
    const page = await (await fetch(`${keyed.url}/`)).text();
    expect(page).not.toContain("plain-key-1");
    expect(page).not.toContain("demo/native");
  });

  it("limit the list of models to what they may use", async () => {
    const response = await fetch(`${keyed.url}/v1/models`, { headers: { authorization: "Bearer narrow-key-3" } });
    expect(await response.json()).toMatchObject({ object: "list", data: [] });
  });
});

describe("the Host header", () => {
  it.each([
    ["localhost:1", 200],
    ["127.0.0.1", 200],
    ["gateway.lan", 200],
    ["evil.example", 421],
    ["127.0.0.1.evil.example", 421],
  ])("%s is answered with %i", async (host, status) => {
    expect(await getWithHost(open, host)).toBe(status);
  });
});

describe("browsers", () => {
  it.each(["app://obsidian.md", "capacitor://localhost", "http://localhost", "http://localhost:5173"])(
    "a page of %s may read answers and errors",
    async (origin) => {
      const good = await chat(open, { origin });
      expect(good.headers.get("access-control-allow-origin")).toBe(origin);
      const bad = await fetch(`${open.url}/v1/nothing`, { headers: { origin } });
      expect(bad.status).toBe(404);
      expect(bad.headers.get("access-control-allow-origin")).toBe(origin);
      expect(bad.headers.get("vary")).toContain("Origin");
    },
  );

  it("a page of another origin may not", async () => {
    const response = await chat(open, { origin: "https://evil.example" });
    expect(response.headers.get("access-control-allow-origin")).toBeNull();
  });

  it("get their preflight answered without a key, on every path, with the headers that they asked for", async () => {
    for (const path of ["/v1/chat/completions", "/v1/nothing", "/"]) {
      const response = await fetch(`${keyed.url}${path}`, {
        method: "OPTIONS",
        headers: {
          origin: "app://obsidian.md",
          "access-control-request-method": "POST",
          "access-control-request-headers": "authorization,x-stainless-os",
          "access-control-request-private-network": "true",
        },
      });
      expect(response.status).toBe(204);
      expect(response.headers.get("access-control-allow-origin")).toBe("app://obsidian.md");
      expect(response.headers.get("access-control-allow-headers")).toBe("authorization,x-stainless-os");
      expect(response.headers.get("access-control-allow-methods")).toBe("GET, POST, DELETE, OPTIONS");
      expect(response.headers.get("access-control-allow-private-network")).toBe("true");
    }
  });

  it("read the headers of a stream as well", async () => {
    const response = await fetch(`${open.url}/v1/responses`, {
      method: "POST",
      headers: { "content-type": "application/json", origin: "app://obsidian.md", "x-request-id": "mine-7" },
      body: JSON.stringify({ model: "demo", input: "hello", stream: true }),
    });
    await response.text();
    expect(response.headers.get("access-control-allow-origin")).toBe("app://obsidian.md");
    expect(response.headers.get("x-request-id")).toBe("mine-7");
    expect(response.headers.get("x-accel-buffering")).toBe("no");
    const exposed = response.headers.get("access-control-expose-headers")?.split(", ");
    expect(exposed).toEqual(
      expect.arrayContaining([
        "x-request-id",
        "x-toolwire-store",
        "x-toolwire-dropped-tools",
        "x-toolwire-dropped-input",
      ]),
    );
  });
});

describe("paths", () => {
  it.each(["/v1/models", "/models", "/openai/v1/models"])("%s lists the models in both shapes", async (path) => {
    const list = (await (await fetch(`${open.url}${path}`)).json()) as {
      data: { id: string }[];
      models: { slug: string }[];
    };
    const names = list.data.map(({ id }) => id);
    expect(names.slice(0, 2)).toEqual(["demo", "demo/native"]);
    expect(names).toContain("demo/hermes-json");
    expect(list.models.map(({ slug }) => slug)).toEqual(names);
  });

  it("the list has what services say of themselves, and does without one that is gone", async () => {
    const provider = await startProvider(() => ({ say: "hi" }));
    const gone = await startProvider(() => ({ say: "hi" }));
    await gone.close();
    const gateway = await startGateway({
      backends: {
        up: { kind: "chat", base_url: provider.url },
        gone: { kind: "responses", base_url: gone.url },
      },
      models: { fast: { backend: "up", model: "scripted" } },
    });
    const list = (await (await fetch(`${gateway.url}/v1/models`)).json()) as {
      data: { id: string; owned_by: string }[];
    };
    expect(list.data[0]).toMatchObject({ id: "fast", owned_by: "up" });
    expect(list.data.slice(1).every(({ id }) => id.startsWith("up/"))).toBe(true);
    expect(list.data.length).toBeGreaterThan(1);
    await gateway.close();
    await provider.close();
  });

  it.each(["demo%2Fnative", "demo/native"])("a single model is found as %s", async (id) => {
    expect(await (await fetch(`${open.url}/v1/models/${id}`)).json()).toMatchObject({
      id: "demo/native",
      object: "model",
    });
  });

  it("an unfit x-request-id is replaced", async () => {
    const response = await fetch(`${open.url}/health`, { headers: { "x-request-id": "a b\u00e9".slice(0, 3) } });
    expect(response.headers.get("x-request-id")).toMatch(/^req_/);
  });

  it("metrics are Prometheus text and count what happened", async () => {
    await (await chat(open)).text();
    const response = await fetch(`${open.url}/metrics`);
    expect(response.headers.get("content-type")).toMatch(/^text\/plain/);
    expect(await response.text()).toMatch(/toolwire_turns_total\{api="chat",backend="demo",status="completed"\} \d+/);
  });
});
