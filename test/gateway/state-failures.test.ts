import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { RunningServer } from "../../src/http/server.ts";
import { openStore, type Store, StoreError } from "../../src/store/index.ts";
import { isObject, type JsonObject, type KeptTurn } from "../../src/turn/index.ts";
import { createEventsFile, type EventsFile, named } from "../support/events-file.ts";
import { ask, bothBackends, paths, requestFor, startGateway } from "../support/gateway.ts";
import { type Provider, type Script, startProvider } from "../support/provider.ts";

const silent = { isLevelEnabled: () => false, debug() {}, info() {}, warn() {}, error() {} };

let provider: Provider;
let gateway: RunningServer;
let store: Store;
let events: EventsFile;
beforeEach(async () => {
  events = createEventsFile();
  store = await openStore({ url: "memory:", keep: null, log: silent });
});
afterEach(async () => {
  await gateway.close();
  await provider.close();
  events.remove();
});

async function start(required: boolean, script: Script = () => ({ say: "Yes" })): Promise<void> {
  provider = await startProvider(script);
  const config = { ...bothBackends(provider), store: { url: "memory:", required }, telemetry: { events: events.path } };
  gateway = await startGateway(config, { store });
}

function fail(): void {
  const refuse = () => Promise.reject(new StoreError("full", "The disk of the store is full."));
  vi.spyOn(store, "keep").mockImplementation(refuse);
  vi.spyOn(store, "ready").mockImplementation(refuse);
}

const inConversation = { "x-toolwire-conversation": "talk" };
const wholeOrStream = [false, true];

describe("a store that fails, and is not required,", () => {
  it.each(wholeOrStream)("costs no answer, and the answer says that it is not stored (stream: %s)", async (stream) => {
    await start(false);
    fail();
    const body = requestFor("responses", { model: "chat/m", stream });
    const answer = await ask(gateway, "responses", body, { "x-request-id": "r1" });
    expect(answer.text).toBe("Yes");
    expect(answer.json).toMatchObject({ status: "completed", store: false });
    if (!stream) expect(answer.headers.get("x-toolwire-store")).toBe("failed");
    expect(named(await events.of("r1"), "store_failed")).toMatchObject([{ reason: "full" }]);
    const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
    expect(metrics).toMatch(/toolwire_store_failures_total\{reason="full"\} 1/);
  });

  it("is not asked about a request that says store: false", async () => {
    await start(false);
    fail();
    const answer = await ask(
      gateway,
      "responses",
      requestFor("responses", { model: "chat/m", more: { store: false } }),
    );
    expect(answer.headers.get("x-toolwire-store")).toBeNull();
    expect(store.keep).not.toHaveBeenCalled();
  });

  it("makes a request that continues a response a 503", async () => {
    await start(false);
    const first = await ask(gateway, "responses", requestFor("responses", { model: "chat/m" }));
    const id = isObject(first.json) ? String(first.json.id) : "";
    vi.spyOn(store, "context").mockRejectedValue(new StoreError("lost", "The database is away."));
    vi.spyOn(store, "answer").mockRejectedValue(new StoreError("lost", "The database is away."));
    const body = requestFor("responses", { model: "chat/m", more: { previous_response_id: id } });
    const answer = await ask(gateway, "responses", body);
    expect(answer.status).toBe(503);
    expect(answer.json).toMatchObject({ error: { code: "store_unavailable" } });
    expect((await fetch(`${gateway.url}/v1/responses/${id}`)).status).toBe(503);
  });

  it("does not hold up the end for more than two seconds", async () => {
    await start(false);
    vi.spyOn(store, "keep").mockImplementation(() => new Promise(() => {}));
    const answer = await ask(gateway, "responses", requestFor("responses", { model: "chat/m" }));
    expect(answer.json).toMatchObject({ status: "completed", store: false });
  });
});

describe("a store that is required", () => {
  it("refuses a turn before the model is asked, but not one that says store: false", async () => {
    await start(true);
    fail();
    const body = requestFor("responses", { model: "chat/m" });
    const answer = await ask(gateway, "responses", body, { "x-request-id": "r1" });
    expect(answer.status).toBe(503);
    expect(answer.json).toMatchObject({ error: { code: "store_unavailable" } });
    expect(provider.requests).toEqual([]);
    const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
    expect(metrics).toMatch(/toolwire_store_failures_total\{reason="full"\} 1/);
    const other = requestFor("responses", { model: "chat/m", more: { store: false } });
    expect((await ask(gateway, "responses", other)).status).toBe(200);
    expect((await ask(gateway, "chat", requestFor("chat", { model: "chat/m" }))).status).toBe(200);
  });

  it.each(wholeOrStream)("fails a turn that could not be stored at its end (stream: %s)", async (stream) => {
    await start(true);
    vi.spyOn(store, "keep").mockRejectedValue(new StoreError("full", "The disk of the store is full."));
    const answer = await ask(gateway, "responses", requestFor("responses", { model: "chat/m", stream }));
    if (stream) expect(answer.json).toMatchObject({ status: "failed", store: false });
    else expect(answer.status).toBe(503);
  });
});

describe("a turn that its client left", () => {
  it.each(["chat", "responses"] as const)("is stored as incomplete with what there was (%s)", async (api) => {
    const kept: KeptTurn[] = [];
    await start(false, () => ({ bytes: [partOf("Half an"), "hang"] }));
    const keep = store.keep.bind(store);
    vi.spyOn(store, "keep").mockImplementation((turn) => {
      kept.push(turn);
      return keep(turn);
    });
    const leaving = new AbortController();
    const body: JsonObject = { ...requestFor(api, { model: "chat/m", stream: true }), store: true };
    const response = await fetch(`${gateway.url}${paths[api]}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...inConversation },
      body: JSON.stringify(body),
      signal: leaving.signal,
    });
    await response.body?.getReader().read();
    leaving.abort();
    await vi.waitFor(() => expect(kept).toHaveLength(1));
    expect(kept[0]).toMatchObject({
      status: "incomplete",
      input: [{ type: "message", role: "user" }],
      output: [{ type: "message", content: [{ type: "text", text: "Half an" }] }],
    });
    await vi.waitFor(async () => {
      const stored = await fetch(`${gateway.url}${paths[api]}/${kept[0]?.id}`);
      expect(stored.status).toBe(200);
      expect(await stored.text()).toContain("Half an");
    });
  });
});

function partOf(text: string): string {
  const choices = [{ index: 0, delta: { role: "assistant", content: text }, finish_reason: null }];
  return `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices })}\n\n`;
}

it("a turn that failed before its client got anything is not stored", async () => {
  await start(false, () => ({ status: 500 }));
  const keep = vi.spyOn(store, "keep");
  expect((await ask(gateway, "responses", requestFor("responses", { model: "chat/m" }))).status).toBe(502);
  expect(keep).not.toHaveBeenCalled();
});

it("a store that is away is a note of /ready, not a failure", async () => {
  await start(false);
  vi.spyOn(store, "trouble", "get").mockReturnValue("lost");
  const ready = await fetch(`${gateway.url}/ready`);
  expect(ready.status).toBe(200);
  expect(await ready.json()).toMatchObject({
    status: "ready",
    notes: ["Toolwire's store cannot be used at present: its database cannot be reached."],
  });
});
