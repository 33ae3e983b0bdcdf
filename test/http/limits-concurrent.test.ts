import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import type { RunningServer } from "../../src/http/server.ts";
import type { Api } from "../support/api.ts";
import { paths, requestFor, startGateway } from "../support/gateway.ts";
import { type Provider, type Reply, startProvider } from "../support/provider.ts";
import { connectTo, postText, readAll } from "../support/raw-client.ts";

const places = 3;

interface Scene {
  gateway: RunningServer;
  provider: Provider;
}

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const part of opened.splice(0).reverse()) await part.close();
});

const replies: Record<string, Reply> = {
  hold: { bytes: ["hang"] },
  // By a name of its own, so that no visit that comes late is taken for one of those that hold the places.
  keep: { bytes: ["hang"] },
  good: { say: "a short answer" },
  slow: { say: "word ".repeat(200), pieceDelay: 5 },
  broken: { status: 500 },
  cut: { bytes: ["data: {", "cut"] },
};

async function setUp(): Promise<Scene> {
  const provider = await startProvider(({ model }) => replies[model] ?? { say: "hi" });
  const good = (kind: Api) => ({ kind, base_url: provider.url });
  // By themselves, so that a breaker leaves the good ones alone.
  const failing = (kind: Api) => ({ kind, base_url: provider.url, retries: 0 });
  const gateway = await startGateway({
    backends: {
      chat: good("chat"),
      responses: good("responses"),
      "chat-failing": failing("chat"),
      "responses-failing": failing("responses"),
    },
    limits: { concurrent: places, body: "64kb" },
  });
  opened.push(provider, gateway);
  return { gateway, provider };
}

function post({ gateway }: Scene, api: Api, model: string, stream: boolean, signal?: AbortSignal): Promise<Response> {
  const backend = model === "broken" || model === "cut" ? `${api}-failing` : api;
  return postBody(gateway, api, JSON.stringify(requestFor(api, { model: `${backend}/${model}`, stream })), signal);
}

function postBody(gateway: RunningServer, api: Api, body: string, signal?: AbortSignal): Promise<Response> {
  return fetch(`${gateway.url}${paths[api]}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
    ...(signal && { signal }),
  });
}

/** Takes every place with a turn that does not end, waiting for places that are still being given back. */
async function takeAllPlaces(scene: Scene): Promise<{ leave(): Promise<void> }> {
  const leaving = new AbortController();
  const held: Promise<unknown>[] = [];
  const deadline = Date.now() + 10_000;
  while (held.length < places) {
    if (Date.now() > deadline) throw new Error(`only ${held.length} of ${places} places are free`);
    const asked = scene.provider.requestsOf("keep").length;
    const turn = post(scene, "chat", "keep", true, leaving.signal).then(
      (response) => response.status,
      () => "left",
    );
    const arrived = async () => {
      while (scene.provider.requestsOf("keep").length === asked) await wait(2);
      return "held";
    };
    if ((await Promise.race([turn, arrived()])) === "held") held.push(turn);
    else await wait(10);
  }
  return {
    async leave() {
      leaving.abort();
      await Promise.all(held);
    },
  };
}

async function expectAllPlacesFree(scene: Scene): Promise<void> {
  const all = await takeAllPlaces(scene);
  try {
    const refused = await post(scene, "chat", "good", false);
    expect(refused.status).toBe(503);
    await refused.text();
  } finally {
    await all.leave();
  }
}

describe("turns beyond limits.concurrent", () => {
  it.each<[Api, boolean]>([
    ["chat", false],
    ["chat", true],
    ["responses", false],
    ["responses", true],
  ])("are refused with 503 and when to come back (%s, stream: %s)", async (api, stream) => {
    const scene = await setUp();
    const all = await takeAllPlaces(scene);
    const refused = await post(scene, api, "good", stream);
    expect(refused.status).toBe(503);
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(refused.headers.get("x-request-id")).toBeTruthy();
    expect(await refused.json()).toEqual({
      error: {
        message: expect.stringContaining("All 3 turns that this gateway runs at once (limits.concurrent)"),
        type: "server_error",
        param: null,
        code: "overloaded",
      },
    });
    expect(scene.provider.requestsOf("good")).toHaveLength(0);
    await all.leave();
    await expectAllPlacesFree(scene);
  });

  it("are refused before their body is read", async () => {
    const scene = await setUp();
    const all = await takeAllPlaces(scene);
    expect((await postBody(scene.gateway, "responses", "{ not JSON")).status).toBe(503);
    await all.leave();
  });

  it("do not keep the rest of the gateway from answering", async () => {
    const scene = await setUp();
    const all = await takeAllPlaces(scene);
    for (const path of ["/health", "/ready", "/v1/models", "/metrics", "/"]) {
      expect((await fetch(`${scene.gateway.url}${path}`)).status).toBe(200);
    }
    expect((await fetch(`${scene.gateway.url}/v1/responses`)).status).toBe(405);
    await all.leave();
  });
});

/** Ways in which a request can come and go. */
const visits: Record<string, (scene: Scene, api: Api) => Promise<unknown>> = {
  "a whole answer": async (scene, api) => (await post(scene, api, "good", false)).text(),
  "a stream": async (scene, api) => (await post(scene, api, "good", true)).text(),
  "a client that leaves in the middle of a stream": async (scene, api) => {
    const leaving = new AbortController();
    const response = await post(scene, api, "slow", true, leaving.signal);
    await response.body?.getReader().read();
    leaving.abort();
  },
  "a client that leaves before the answer": async (scene, api) => {
    await post(scene, api, "hold", false, AbortSignal.timeout(15)).catch(() => {});
  },
  "a client that leaves as soon as it has asked": async ({ gateway }, api) => {
    const socket = connectTo(gateway);
    await once(socket, "connect");
    socket.write(postText(paths[api], requestFor(api, { model: `${api}/hold`, stream: true })), () => socket.destroy());
    await once(socket, "close");
  },
  "a client that leaves in the middle of its body": async ({ gateway }, api) => {
    const socket = connectTo(gateway);
    const whole = postText(paths[api], requestFor(api, { model: `${api}/good` }));
    socket.write(whole.slice(0, -20));
    await wait(10);
    socket.destroy();
  },
  "requests one behind the other on a connection that is closed": async ({ gateway }, api) => {
    const socket = connectTo(gateway);
    const one = postText(paths[api], requestFor(api, { model: `${api}/hold`, stream: true }));
    socket.write(one + one + one);
    await wait(20);
    socket.destroy();
  },
  "requests one behind the other that are all answered": async ({ gateway }, api) => {
    const socket = connectTo(gateway);
    const body = requestFor(api, { model: `${api}/good` });
    socket.write(postText(paths[api], body) + postText(paths[api], body, ["connection: close"]));
    await readAll(socket);
  },
  "a body that is not JSON": async ({ gateway }, api) => (await postBody(gateway, api, "{")).text(),
  "no body": async ({ gateway }, api) => (await postBody(gateway, api, "")).text(),
  "a body over the limit": async ({ gateway }, api) =>
    postBody(gateway, api, `"${"x".repeat(100_000)}"`).then(
      (response) => response.text(),
      () => {},
    ),
  "a body that breaks HTTP": async ({ gateway }, api) => {
    const socket = connectTo(gateway);
    socket.write(postText(paths[api], "").replace("content-length: 0", "transfer-encoding: chunked"));
    socket.write("zz\r\n");
    await readAll(socket);
  },
  "a field of a wrong kind": async ({ gateway }, api) => (await postBody(gateway, api, '{"model":7}')).text(),
  "a model that is not there": async ({ gateway }, api) =>
    (await postBody(gateway, api, JSON.stringify(requestFor(api, { model: "nothing" })))).text(),
  "a backend that fails": async (scene, api) => (await post(scene, api, "broken", true)).text(),
  "a backend that breaks off": async (scene, api) => (await post(scene, api, "cut", true)).text(),
};

describe("a place is given back, once", () => {
  it.each(Object.entries(visits))("after %s", async (_name, visit) => {
    const scene = await setUp();
    for (const api of ["chat", "responses"] as const) {
      for (let time = 0; time <= places; time += 1) await visit(scene, api);
    }
    await expectAllPlacesFree(scene);
  });

  it("after any mixture of them at the same time", async () => {
    const scene = await setUp();
    const visit = fc.tuple(fc.constantFrom(...Object.values(visits)), fc.constantFrom<Api>("chat", "responses"));
    await fc.assert(
      fc.asyncProperty(fc.array(visit, { minLength: 1, maxLength: 8 }), async (crowd) => {
        await Promise.all(crowd.map(([come, api]) => come(scene, api)));
        await expectAllPlacesFree(scene);
      }),
      { numRuns: 40 },
    );
  });
});

describe("a connection with requests one behind the other", () => {
  it("closes the backends' connections of all of them when it is closed", async () => {
    const { gateway, provider } = await setUp();
    const socket = connectTo(gateway);
    const one = postText(paths.chat, requestFor("chat", { model: "chat/hold", stream: true }));
    socket.write(one + one);
    while (provider.requests.length < 2) await wait(5);
    socket.destroy();
    while (!provider.requests.every(({ closedEarly }) => closedEarly)) await wait(5);
  });
});
