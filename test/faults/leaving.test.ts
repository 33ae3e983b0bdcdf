import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningServer } from "../../src/http/server.ts";
import { ask, bothBackends, paths, requestFor, startGateway } from "../support/gateway.ts";
import {
  type Provider,
  type ProviderRequest,
  type Reply,
  type ScriptRequest,
  startProvider,
} from "../support/provider.ts";
import { type Exchange, exchanges } from "./cells.ts";
import { runAll } from "./run-all.ts";
import { framesOf, rome, tools, upTo } from "./wire.ts";

const sse = { "content-type": "text/event-stream" };
const never = new Promise<Reply>(() => {});

/** What the provider is doing when the client leaves. */
const scenes: Record<string, (request: ScriptRequest) => Reply | Promise<Reply>> = {
  "has not answered yet": () => never,
  "has sent its headers": () => ({ bytes: ["hang"] }),
  "is in the middle of its text": ({ api }) => ({
    bytes: [...upTo(framesOf(api, { say: "Half a sentence." }), "Half a"), "hang"],
    headers: sse,
  }),
  "is in the middle of a call": ({ api }) => ({
    bytes: [...upTo(framesOf(api, { calls: [rome] }), "loca"), "hang"],
    headers: sse,
  }),
  "drips, a byte every few milliseconds": ({ api }) => ({
    bytes: Array.from(framesOf(api, { say: "word ".repeat(400) }).join(""), (byte) => [byte, { wait: 3 }]).flat(),
    headers: sse,
  }),
  "sends signs of life": () => ({
    bytes: Array.from({ length: 1_000 }, () => [": here\n\n", { wait: 10 }]).flat(),
    headers: sse,
  }),
};

const names = Object.keys(scenes);

let provider: Provider;
let gateway: RunningServer;
let ran = 0;
beforeAll(async () => {
  provider = await startProvider((request) => {
    const [number] = request.model.split(".");
    return scenes[names[Number(number)] ?? ""]?.(request) ?? { say: "Fine." };
  });
  gateway = await startGateway({ ...bothBackends(provider), turn: { keep_alive: "200ms" } });
});
afterAll(async () => {
  console.log(`fault matrix, clients that leave: ${ran} cells`);
  await gateway.close();
  await provider.close();
});

async function eventually<T>(what: () => T | undefined): Promise<T> {
  for (const until = performance.now() + 5_000; ; await sleep(5)) {
    const value = what();
    if (value !== undefined) return value;
    if (performance.now() > until) throw new Error("it did not happen in time");
  }
}

async function leave(name: string, { client, backend, stream, title }: Exchange): Promise<void> {
  const model = `${names.indexOf(name)}.${title.replaceAll(/\W+/g, "-")}`;
  const leaving = new AbortController();
  const answer = fetch(`${gateway.url}${paths[client]}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(requestFor(client, { model: `${backend}/${model}`, tools, stream })),
    signal: leaving.signal,
  }).then((response) => response.text());
  const gone = answer.then(
    () => "answered",
    () => "gone",
  );
  const asked = await eventually((): ProviderRequest | undefined => provider.requestsOf(model)[0]);
  await sleep(100);
  expect(asked.closedEarly).toBe(false);
  const left = performance.now();
  leaving.abort();
  expect(await gone).toBe("gone");
  const closedAt = await eventually(() => asked.closedAt ?? undefined);
  expect(closedAt - left).toBeLessThan(1_000);
  expect(provider.requestsOf(model)).toHaveLength(1);
  const next = await ask(gateway, client, requestFor(client, { model: `${backend}/fine`, stream }));
  expect(next).toMatchObject({ ended: "completed", text: "Fine." });
}

describe("a client that leaves closes the backend's connection at once while the provider", () => {
  it.each(names)("%s", async (name) => {
    ran += exchanges.length;
    await runAll(exchanges, (exchange) => leave(name, exchange));
  });

  it("in every cell, and no turn stays open", async () => {
    expect(ran).toBe(names.length * exchanges.length);
    expect(ran).toBeGreaterThanOrEqual(48);
    const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
    expect(metrics).toMatch(/^toolwire_open_turns 0$/m);
  });
});
