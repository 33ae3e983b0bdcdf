import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { RunningServer } from "../../src/http/server.ts";
import { isObject, type JsonObject, newId, parseJson } from "../../src/turn/index.ts";
import type { Api } from "../support/api.ts";
import { named } from "../support/events-file.ts";
import { type Answer, ask, bothBackends, followUp, requestFor, startGateway } from "../support/gateway.ts";
import { conversation, type Provider, type Script, startProvider } from "../support/provider.ts";

const tools = [{ name: "get_weather" }];
const weather = { name: "get_weather", arguments: '{"city":"Rome-is-secret"}' };
const forms = (["chat", "responses"] as const).flatMap((api) =>
  [true, false].map((stream): [Api, boolean] => [api, stream]),
);

/** Makes a call where the user has only asked, and speaks where more has come. */
const script: Script = ({ body, model }) => {
  const [first, ...more] = conversation(body);
  if (first?.kind === "output" || more.length > 0) return { say: "Sunny." };
  return { calls: [{ id: model === "numbers" ? "call_0" : newId("call"), ...weather }] };
};

let provider: Provider;
let folder: string;
let gateway: RunningServer;
let count = 0;
beforeAll(async () => {
  provider = await startProvider(script);
  folder = mkdtempSync(join(tmpdir(), "toolwire-outstanding-"));
});
afterAll(async () => {
  await provider.close();
  rmSync(folder, { recursive: true, force: true });
});
afterEach(() => gateway.close());

async function start(more: JsonObject = {}, from = provider): Promise<string> {
  const file = join(folder, `${++count}.ndjson`);
  gateway = await startGateway({ ...bothBackends(from), telemetry: { events: file }, ...more });
  return file;
}

/** What was written until the gateway was closed: some of it comes behind the end of its turn. */
async function eventsIn(file: string): Promise<JsonObject[]> {
  await gateway.close();
  const lines = readFileSync(file, "utf8").trim().split("\n");
  return lines.map((line) => parseJson(line)).filter(isObject);
}

async function outstanding(): Promise<number> {
  const text = await (await fetch(`${gateway.url}/metrics`)).text();
  return Number(/^toolwire_outstanding_calls (\d+)$/m.exec(text)?.[1]);
}

const as = (requestId: string) => ({ "x-request-id": requestId });
const idOf = ({ calls: [call] }: Answer) => call?.id ?? "";

describe.each(forms)("for a %s client (stream: %s)", (api, stream) => {
  const wish = { model: `${api}/m`, tools, stream };

  it("a result is told with the name and the turn of its call, once", async () => {
    const file = await start();
    const first = await ask(gateway, api, requestFor(api, wish), as("one"));
    expect(await outstanding()).toBe(1);
    const after = followUp(api, first, ["Rome: 31 degrees"]);
    const second = await ask(gateway, api, requestFor(api, { ...wish, after }), as("two"));
    expect(await outstanding()).toBe(0);
    // Sent again, and then repeated by the next request.
    await ask(gateway, api, requestFor(api, { ...wish, after }), as("again"));
    const next = [...after, ...followUp(api, second, []), { role: "user", content: "Sure?" }];
    await ask(gateway, api, requestFor(api, { ...wish, after: next }), as("three"));
    const events = await eventsIn(file);
    expect(named(events, "tool_result")).toEqual([
      {
        ts: expect.any(String),
        event: "tool_result",
        request_id: "two",
        call_id: idOf(first),
        bytes: 16,
        name: "get_weather",
        waited_ms: expect.any(Number),
        turn: "one",
      },
    ]);
    expect(named(events, "tool_result_missing")).toEqual([]);
    expect(JSON.stringify(events)).not.toMatch(/Rome-is-secret|31 degrees/);
  });

  it("a result of a call from before a restart is taken from the client's history", async () => {
    await start();
    const first = await ask(gateway, api, requestFor(api, wish), as("one"));
    await gateway.close();
    const file = await start();
    const after = followUp(api, first, ["31 degrees"]);
    const second = await ask(gateway, api, requestFor(api, { ...wish, after }), as("two"));
    expect(second.text).toBe("Sunny.");
    const events = await eventsIn(file);
    expect(named(events, "tool_result")).toMatchObject([
      { request_id: "two", call_id: idOf(first), bytes: 10, name: "get_weather", waited_ms: null, turn: null },
    ]);
    expect(named(events, "tool_result_missing")).toEqual([]);
  });

  it("a result that the client goes on without is told missing, once, and told when it comes after all", async () => {
    const file = await start();
    const first = await ask(gateway, api, requestFor(api, wish), as("one"));
    const [withheld, brought] = [followUp(api, first, []), followUp(api, first, ["late"])];
    const silent = withheld.filter(({ role, type }) => role !== "tool" && type !== "function_call_output");
    const after = [...silent, { role: "user", content: "Never mind." }];
    for (const id of ["two", "again"]) {
      const answer = await ask(gateway, api, requestFor(api, { ...wish, after }), as(id));
      expect(answer.text).toBe("Sunny.");
    }
    expect(await outstanding()).toBe(0);
    await ask(gateway, api, requestFor(api, { ...wish, after: brought }), as("three"));
    const events = await eventsIn(file);
    expect(named(events, "tool_result_missing")).toEqual([
      {
        ts: expect.any(String),
        event: "tool_result_missing",
        request_id: "one",
        call_id: idOf(first),
        name: "get_weather",
        waited_ms: expect.any(Number),
      },
    ]);
    expect(named(events, "tool_result")).toMatchObject([{ request_id: "three", turn: "one" }]);
  });

  it("two keys have calls of their own, though the ids are the same", async () => {
    const keys = [
      { name: "ann", key: "key-of-ann" },
      { name: "bob", key: "key-of-bob" },
    ];
    const file = await start({ keys });
    const bearing = (key: string, id: string) => ({ authorization: `Bearer ${key}`, ...as(id) });
    const request = { ...wish, model: `${api}/numbers` };
    const ann = await ask(gateway, api, requestFor(api, request), bearing("key-of-ann", "ann"));
    const bob = await ask(gateway, api, requestFor(api, request), bearing("key-of-bob", "bob"));
    expect(idOf(ann)).toBe(idOf(bob));
    const after = followUp(api, ann, ["31 degrees"]);
    await ask(gateway, api, requestFor(api, { ...request, after }), bearing("key-of-ann", "ann-2"));
    const more = [...followUp(api, bob, []).slice(0, -1), { role: "user", content: "Never mind." }];
    await ask(gateway, api, requestFor(api, { ...request, after: more }), bearing("key-of-bob", "bob-2"));
    const events = await eventsIn(file);
    expect(named(events, "tool_result")).toMatchObject([{ request_id: "ann-2", turn: "ann" }]);
    expect(named(events, "tool_result_missing")).toMatchObject([{ request_id: "bob" }]);
  });
});

describe("a call is outstanding only where the client has it", () => {
  const line = (event: unknown) => `data: ${JSON.stringify(event)}\n\n`;
  const called = (id: string) => {
    const { name, arguments: text } = weather;
    const entry = { index: 0, id, type: "function", function: { name, arguments: text } };
    return line({ choices: [{ index: 0, delta: { tool_calls: [entry] } }] });
  };
  const word = line({ choices: [{ index: 0, delta: { content: "." } }] });
  const end = line({ choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] });
  const headers = { "content-type": "text/event-stream" };
  const wish = { model: "chat/m", tools };

  it.each(["chat", "responses"] as const)("not where the attempt was followed by another (%s)", async (api) => {
    const flaky = await startProvider(({ count }) =>
      count === 1
        ? { bytes: [called("call_dead"), word, "cut"], headers }
        : { bytes: [called("call_good"), end], headers },
    );
    await start(bothBackends(flaky, { retries: 1 }));
    const answer = await ask(gateway, api, requestFor(api, wish), {}, { usageUnknown: true });
    expect(answer.calls).toMatchObject([{ id: "call_good" }]);
    expect(await outstanding()).toBe(1);
    await flaky.close();
  });

  it("not where the turn failed before anything was sent, but where the stream had it already", async () => {
    const broken = await startProvider(() => ({ bytes: [called("call_half"), word, "cut"], headers }));
    const file = await start({}, broken);
    expect((await ask(gateway, "chat", requestFor("chat", wish))).status).toBe(502);
    expect(await outstanding()).toBe(0);
    const streamed = await ask(gateway, "chat", requestFor("chat", { ...wish, stream: true }));
    expect(streamed).toMatchObject({ ended: "failed", calls: [{ id: "call_half" }] });
    expect(await outstanding()).toBe(1);
    // What the gateway was still waiting for when it stopped is not missing.
    expect(named(await eventsIn(file), "tool_result_missing")).toEqual([]);
    await broken.close();
  });

  it("as soon as it has the call, though the turn goes on", async () => {
    const slow = await startProvider(() => ({ bytes: [called("call_soon"), word, "hang"], headers }));
    await start({}, slow);
    const leaving = new AbortController();
    const body = requestFor("chat", { ...wish, stream: true });
    const asked = ask(gateway, "chat", body, {}, { signal: leaving.signal, faults: "keep" });
    await vi.waitFor(async () => expect(await outstanding()).toBe(1));
    leaving.abort();
    await asked;
    await slow.close();
  });

  it("not where the answer has no ids, as legacy ones", async () => {
    const file = await start();
    const functions = [{ name: "get_weather" }];
    const body = { ...requestFor("chat", { model: "chat/m" }), functions };
    const first = await ask(gateway, "chat", body, as("one"));
    expect(first.functionCall).toMatchObject({ name: "get_weather" });
    expect(await outstanding()).toBe(0);
    const after = [
      { role: "assistant", content: null, function_call: weather },
      { role: "function", name: "get_weather", content: "31 degrees" },
    ];
    await ask(gateway, "chat", { ...requestFor("chat", { model: "chat/m", after }), functions }, as("two"));
    expect(named(await eventsIn(file), "tool_result")).toMatchObject([{ name: "get_weather", turn: null }]);
  });
});

describe("results and their calls find each other", () => {
  it("where the provider keeps the conversation and knows the call by another id", async () => {
    const file = await start(bothBackends(provider, { ids: "sequential" }));
    const request = requestFor("responses", { model: "responses/m", tools });
    const first = await ask(gateway, "responses", request, as("one"));
    const input = [{ type: "function_call_output", call_id: "fc_001", output: "31 degrees" }];
    const id = isObject(first.json) ? first.json.id : undefined;
    await ask(gateway, "responses", { ...request, input, previous_response_id: id }, as("two"));
    expect(named(await eventsIn(file), "tool_result")).toMatchObject([{ call_id: "fc_001", turn: "one" }]);
  });

  it("through another API and another backend than the call came by", async () => {
    const file = await start();
    const first = await ask(gateway, "chat", requestFor("chat", { model: "responses/m", tools }), as("one"));
    const [call] = first.calls;
    const after = [
      { type: "function_call", call_id: call?.id, name: call?.name, arguments: call?.arguments },
      { type: "function_call_output", call_id: call?.id, output: "31 degrees" },
    ];
    await ask(gateway, "responses", requestFor("responses", { model: "chat/m", tools, after }), as("two"));
    expect(named(await eventsIn(file), "tool_result")).toMatchObject([{ request_id: "two", turn: "one" }]);
  });

  it("where the model has written them as text, and its turn was cut off behind them", async () => {
    const text = `<tool_call>${JSON.stringify(weather)}</tool_call>`;
    const writer = await startProvider(({ count }) => ({ say: count === 1 ? `${text} It is sunny.` : "Sunny." }));
    const file = await start(bothBackends(writer, { tools: "prompted" }));
    const wish = { model: "chat/m", tools, stream: true };
    const first = await ask(gateway, "chat", requestFor("chat", wish), as("one"), { usageUnknown: true });
    const after = [...followUp("chat", first, []).slice(0, -1), { role: "user", content: "Never mind." }];
    await ask(gateway, "chat", requestFor("chat", { ...wish, after }), as("two"), { usageUnknown: true });
    const events = await eventsIn(file);
    expect(named(events, "tool_cutoff")).toMatchObject([{ request_id: "one", call_ids: [idOf(first)] }]);
    expect(named(events, "tool_result_missing")).toMatchObject([{ request_id: "one", call_id: idOf(first) }]);
    await writer.close();
  });

  it("where nobody reads the events", async () => {
    await start({ telemetry: { events: "none" } });
    const wish = { model: "chat/m", tools };
    const first = await ask(gateway, "chat", requestFor("chat", wish));
    expect(await outstanding()).toBe(1);
    await ask(gateway, "chat", requestFor("chat", { ...wish, after: followUp("chat", first, ["31 degrees"]) }));
    expect(await outstanding()).toBe(0);
  });
});
