import { afterEach, describe, expect, it } from "vitest";
import type { RunningServer } from "../../src/http/server.ts";
import { isObject, type JsonObject } from "../../src/turn/index.ts";
import type { Api } from "../support/api.ts";
import { ask, bothBackends, followUp, requestFor, startGateway } from "../support/gateway.ts";
import {
  conversation,
  itemsReply,
  type Provider,
  type Reply,
  type Script,
  startProvider,
} from "../support/provider.ts";

let provider: Provider;
let gateway: RunningServer;
afterEach(async () => {
  await gateway.close();
  await provider.close();
});

/** The alias `fast` goes to the model `first`; where that fails, to `second` at another service, and then to `third`. */
async function start(script: Script, first: Api = "chat", second: Api = "chat", more: JsonObject = {}): Promise<void> {
  provider = await startProvider(script);
  const models = {
    fast: { backend: first, model: "first", fallback: [`other-${second}/second`, "spare"], ...more },
    spare: { backend: "chat", model: "third" },
  };
  const { backends } = bothBackends(provider) as { backends: { chat: JsonObject; responses: JsonObject } };
  const others = { "other-chat": backends.chat, "other-responses": backends.responses };
  gateway = await startGateway({ backends: { ...backends, ...others }, models });
}

const asked = () => provider.requests.map(({ body }) => body.model);
const pairs = (["chat", "responses"] as const).flatMap((client) =>
  (["chat", "responses"] as const).flatMap((first) =>
    (["chat", "responses"] as const).map((second): [Api, Api, Api] => [client, first, second]),
  ),
);

describe.each(pairs)("a %s client whose %s backend fails is answered by a %s backend", (client, first, second) => {
  it.each([true, false])("in the form that it asked for (stream: %s)", async (stream) => {
    await start(({ model }) => (model === "first" ? { status: 500 } : { say: `I am ${model}.` }), first, second);
    const answer = await ask(gateway, client, requestFor(client, { model: "fast", stream }));
    expect(answer).toMatchObject({ status: 200, ended: "completed", text: "I am second." });
    expect(answer.raw).toContain('"model":"fast"');
    expect(asked()).toEqual(["first", "second"]);
  });
});

describe("a model that stands in for another", () => {
  it.each<[string, Reply]>([
    ["is overloaded", { status: 503, headers: { "retry-after": "60" } }],
    ["allows no more requests", { status: 429, headers: { "retry-after": "60" } }],
    ["does not take the gateway's key", { status: 401 }],
    ["has no such model", { status: 404 }],
    ["breaks off at once", { bytes: ["cut"] }],
    ["sends nonsense", { bytes: ["data: {{{\n\n"] }],
  ])("answers where a backend %s", async (_name, reply) => {
    await start(({ model }) => (model === "first" ? reply : { say: "Here." }));
    const answer = await ask(gateway, "chat", requestFor("chat", { model: "fast", stream: true }));
    expect(answer).toMatchObject({ status: 200, text: "Here." });
  });

  it("answers where a backend is silent for too long", async () => {
    await start(({ model }) => (model === "first" ? { bytes: ["hang"] } : { say: "Here." }), "chat", "responses", {
      timeouts: { first_content: "200ms" },
    });
    const answer = await ask(gateway, "responses", requestFor("responses", { model: "fast", stream: true }));
    expect(answer).toMatchObject({ status: 200, text: "Here." });
    expect(provider.requestsOf("first")[0]?.closedEarly).toBe(true);
  });

  it("answers after the retries of the first", async () => {
    await start(({ model }) => (model === "first" ? { status: 500 } : { say: "Here." }), "chat", "chat", {
      retries: 1,
    });
    await ask(gateway, "chat", requestFor("chat", { model: "fast" }));
    expect(asked()).toEqual(["first", "first", "second"]);
  });

  it("may itself be stood in for by the next of the list", async () => {
    await start(({ model }) => (model === "third" ? { say: "Last." } : { status: 502 }));
    const answer = await ask(gateway, "chat", requestFor("chat", { model: "fast" }));
    expect(answer.text).toBe("Last.");
    expect(asked()).toEqual(["first", "second", "third"]);
  });

  it("is not asked what the first has refused as a bad request", async () => {
    await start(() => ({ status: 400, body: { error: { message: "Bad temperature." } } }));
    const answer = await ask(gateway, "chat", requestFor("chat", { model: "fast" }));
    expect(answer).toMatchObject({ status: 400, error: { message: "Bad temperature." } });
    expect(asked()).toEqual(["first"]);
  });

  it("is not asked after content was sent", async () => {
    const chunk = { choices: [{ index: 0, delta: { content: "Half" }, finish_reason: null }] };
    await start(({ model }) =>
      model === "first" ? { bytes: [`data: ${JSON.stringify(chunk)}\n\n`, "cut"] } : { say: "Here." },
    );
    const answer = await ask(gateway, "chat", requestFor("chat", { model: "fast", stream: true }));
    expect(answer).toMatchObject({ ended: "failed", text: "Half" });
    expect(asked()).toEqual(["first"]);
  });

  it("does not hide what the asked model failed with, where all fail", async () => {
    await start(({ model }) =>
      model === "first"
        ? { status: 429, headers: { "retry-after": "60" }, body: { error: { message: "Slow down." } } }
        : { status: 500 },
    );
    const answer = await ask(gateway, "chat", requestFor("chat", { model: "fast" }));
    expect(answer).toMatchObject({ status: 429, error: { message: "Slow down." } });
    expect(answer.headers.get("retry-after")).toBe("60");
    expect(asked()).toEqual(["first", "second", "third"]);
    const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
    // Each failure once, and at the backend that failed.
    expect(metrics).toContain('toolwire_upstream_errors_total{backend="chat",code="upstream_rate_limited"} 1');
    expect(metrics).toContain('toolwire_upstream_errors_total{backend="other-chat",code="upstream_error"} 1');
    expect(metrics).toContain('toolwire_upstream_errors_total{backend="chat",code="upstream_error"} 1');
    expect(metrics).toContain('toolwire_fallbacks_total{backend="chat"} 1');
    expect(metrics).toContain('toolwire_fallbacks_total{backend="other-chat"} 1');
  });

  it("is not asked to continue what only the first one keeps", async () => {
    await start(() => ({ status: 500 }), "responses", "responses");
    const more = { previous_response_id: "resp_elsewhere" };
    const answer = await ask(gateway, "responses", requestFor("responses", { model: "fast", more }));
    expect(answer.status).toBe(502);
    expect(asked()).toEqual(["first"]);
  });

  it("names the tools that it cannot carry", async () => {
    await start(({ model }) => (model === "first" ? { status: 500 } : { say: "Here." }), "responses", "chat");
    const more = { tools: [{ type: "web_search" }, { type: "function", name: "f", parameters: {} }] };
    for (const stream of [true, false]) {
      const answer = await ask(gateway, "responses", requestFor("responses", { model: "fast", stream, more }));
      expect(answer.headers.get("x-toolwire-dropped-tools")).toBe("web_search");
    }
  });

  it("keeps what the client said about tools", async () => {
    await start(({ model, body }) =>
      model === "first"
        ? { status: 500 }
        : { say: JSON.stringify(body.tools), calls: [{ name: "g", arguments: "{}" }] },
    );
    const choice = { allowed: ["f"] };
    const tools = [{ name: "f" }, { name: "g" }];
    const answer = await ask(gateway, "chat", requestFor("chat", { model: "fast", tools, choice }));
    expect(answer.calls).toEqual([]);
  });
});

describe("a conversation that another model takes over", () => {
  const tools = [{ name: "f" }];
  const failing = { on: false };

  /** The first model makes a call under an id that few others would take, with reasoning that only it can read. */
  const script: Script = ({ model, api, body }) => {
    const answered = conversation(body).some(({ kind }) => kind === "output");
    if (model === "second") return { say: "Second." };
    if (failing.on) return { status: 500 };
    if (answered) return { say: "First." };
    const id = "functions.f:0";
    if (api === "chat") return { think: "Hm.", calls: [{ id, name: "f", arguments: '{"a":1}' }] };
    const item = {
      type: "function_call",
      id: "fc_1",
      call_id: id,
      name: "f",
      arguments: '{"a":1}',
      status: "completed",
    };
    const reasoning = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "only-for-me" };
    return itemsReply([reasoning, item]);
  };

  it.each(pairs)("has ids and reasoning that it can take (%s client, from %s to %s)", async (client, first, second) => {
    failing.on = false;
    await start(script, first, second);
    const wish = { model: "fast", tools, stream: true };
    const turn = await ask(gateway, client, requestFor(client, wish), {}, { usageUnknown: true });
    const after = followUp(client, turn, ["sunny"]);

    const same = await ask(gateway, client, requestFor(client, { ...wish, after }));
    expect(same.text).toBe("First.");
    expect(idsIn(provider.requestsOf("first").at(-1)?.body)).toEqual(["functions.f:0", "functions.f:0"]);

    failing.on = true;
    const other = await ask(gateway, client, requestFor(client, { ...wish, after }));
    expect(other.text).toBe("Second.");
    const request = provider.requestsOf("second").at(-1)?.body;
    const ids = idsIn(request);
    expect(ids).toHaveLength(2);
    expect(ids[0]).toBe(ids[1]);
    expect(ids[0]).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    const sent = JSON.stringify(request);
    expect(sent).not.toContain("only-for-me");
    expect(sent).not.toContain("reasoning");
  });
});

function idsIn(body: JsonObject | undefined): unknown[] {
  const entries = [body?.messages, body?.input].flatMap((list) => (Array.isArray(list) ? list : [])).filter(isObject);
  return entries.flatMap((entry) => [
    ...(Array.isArray(entry.tool_calls) ? entry.tool_calls.filter(isObject).map(({ id }) => id) : []),
    ...(entry.tool_call_id === undefined ? [] : [entry.tool_call_id]),
    ...(entry.call_id === undefined ? [] : [entry.call_id]),
  ]);
}
