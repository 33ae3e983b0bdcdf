import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Api } from "../support/api.ts";
import { named } from "../support/events-file.ts";
import { ask, requestFor } from "../support/gateway.ts";
import { type Provider, type Reply, type Script, startProvider } from "../support/provider.ts";
import { type CodexGateway, readiness, startCodexGateway, upstreamKey } from "./support/codex.ts";
import { forms, parameters } from "./support/codex-trip.ts";
import { script as scripted } from "./support/script.ts";

const tools = [{ name: "get_weather", description: "Weather now", parameters }];
const created = { type: "response.created", response: { id: "resp_1", status: "in_progress", output: [] } };

function refused(status: number, message: string, code: string, more: { param?: string; type?: string } = {}): Reply {
  return { status, body: { error: { message, type: "invalid_request_error", param: null, code, ...more } } };
}

function failed(code: string, message: string): Reply {
  const response = { id: "resp_1", status: "failed", output: [], error: { code, message } };
  return { chunks: [created, { type: "response.failed", response }], done: false };
}

interface Failure {
  reply: Reply;
  /** What a client gets. */
  status: number;
  /** What telemetry says; a client may have the provider's own word. */
  code: string;
  message?: RegExp;
  error?: Record<string, unknown>;
}

const address = "http://127.0.0.1:1/secret-place";
const badKey = `Incorrect API key provided: ${upstreamKey}. Find yours at ${address}.`;

/** What goes wrong at the provider before the model has said anything. */
const failures: Record<string, Failure> = {
  "refuses the key": {
    reply: refused(401, badKey, "invalid_api_key"),
    ...{ status: 401, code: "upstream_rejected", message: /Incorrect API key provided/ },
  },
  "is asked too often": {
    reply: refused(429, "Slow down.", "rate_limit_exceeded", { type: "rate_limit_error" }),
    ...{ status: 429, code: "upstream_rate_limited" },
  },
  "has no quota left": {
    reply: refused(429, "You exceeded your quota.", "insufficient_quota", { type: "insufficient_quota" }),
    ...{ status: 429, code: "upstream_rate_limited", message: /quota|usage limit/i },
  },
  "refuses the request": {
    reply: refused(400, "Invalid schema for function.", "invalid_function_parameters", { param: "tools" }),
    ...{ status: 400, code: "upstream_rejected", message: /^Invalid schema for function\.$/ },
    error: { type: "invalid_request_error", code: "invalid_function_parameters", param: "tools" },
  },
  "finds the conversation too long": {
    reply: failed("context_length_exceeded", "Your input exceeds the context window."),
    ...{ status: 400, code: "upstream_rejected", message: /context window/ },
  },
  fails: {
    reply: refused(500, "Boom.", "server_error", { type: "server_error" }),
    ...{ status: 502, code: "upstream_error" },
  },
  "says that it failed": {
    reply: failed("server_error", "The server had an error."),
    ...{ status: 502, code: "upstream_error" },
  },
  "resets the connection": {
    reply: { bytes: ["cut"], headers: { "content-type": "text/event-stream" } },
    ...{ status: 502, code: "upstream_cut" },
  },
  "stops without an end": { reply: { chunks: [created], done: false }, status: 502, code: "upstream_cut" },
};

let script: Script = () => ({ say: "Fine." });
let provider: Provider;
let gateway: CodexGateway;
let patient: CodexGateway;
beforeAll(async () => {
  provider = await startProvider((request) => script(request));
  gateway = await startCodexGateway(provider);
  patient = await startCodexGateway(provider, { backend: { retries: 2 } });
  // Starting Codex takes a while, and is not what is measured here.
  for (const started of [gateway, patient]) expect(await readiness(started)).toMatchObject({ status: 200 });
});
afterAll(async () => {
  await gateway.close();
  await patient.close();
  await provider.close();
});
beforeEach(() => {
  provider.requests.length = 0;
});

let requests = 0;

async function play(to: CodexGateway, api: Api, stream: boolean, play: Script) {
  script = play;
  const id = `failure-${++requests}`;
  const begun = performance.now();
  const body = requestFor(api, { model: "codex", tools, stream });
  const answer = await ask(to, api, body, { "x-request-id": id }, { usageUnknown: true });
  return { answer, id, took: performance.now() - begun };
}

describe.each(forms)("Codex whose provider (%s, %s)", (api, _form, stream) => {
  it.each(Object.keys(failures))("%s: a plain error, soon, and no secrets in it", async (name) => {
    const { reply, status, code, message, error } = failures[name] as Failure;
    const { answer, id, took } = await play(gateway, api, stream, () => reply);
    expect(answer).toMatchObject({ status, streamed: false, text: "", calls: [] });
    if (message) expect(answer.error?.message).toMatch(message);
    if (error) expect(answer.error).toMatchObject(error);
    expect(took).toBeLessThan(3_000);
    expect(answer.raw).not.toMatch(/https?:|127\.0\.0\.1|secret-place/);
    expect(answer.raw).not.toContain(upstreamKey);
    // Whether it is tried again is for the gateway to say, not for Codex.
    expect(provider.requests).toHaveLength(1);
    expect(named(await gateway.events.of(id), "turn_finished")).toMatchObject([{ status: "failed", code }]);
  });

  it("breaks off in the middle of the text: the client has the text once, and then an error", async () => {
    const { answer, took } = await play(patient, api, stream, (request) => {
      return scripted({ ...request, model: "cut-in-text" });
    });
    expect(answer).toMatchObject({ status: stream ? 200 : 502, ended: "failed", error: { code: "upstream_cut" } });
    // What was sent is not taken back, and so nothing can be tried again.
    expect(answer.text).toBe(stream ? "It is ra" : "");
    expect(provider.requests).toHaveLength(stream ? 1 : 3);
    expect(took).toBeLessThan(5_000);
  });

  it("breaks off in the middle of a call: no call comes", async () => {
    const { answer } = await play(gateway, api, stream, (request) => scripted({ ...request, model: "cut-in-call" }));
    expect(answer).toMatchObject({ status: 502, calls: [], ended: "failed", error: { code: "upstream_cut" } });
  });

  it.each([
    ["fails once", refused(500, "Boom.", "server_error")],
    ["is asked too often, once", refused(429, "Slow down.", "rate_limit_exceeded")],
    ["resets the connection once", { bytes: ["cut" as const], headers: { "content-type": "text/event-stream" } }],
  ])("%s is asked again, and the client does not notice", async (_what, reply) => {
    const { answer, id } = await play(patient, api, stream, () =>
      provider.requests.length === 1 ? reply : { say: "It is fine.", chunk: 3 },
    );
    expect(answer).toMatchObject({ status: 200, text: "It is fine.", ended: "completed" });
    expect(provider.requests).toHaveLength(2);
    expect(named(await patient.events.of(id), "turn_finished")).toMatchObject([{ attempts: 2 }]);
  });

  it.each(["length", "content_filter"] as const)("cuts the answer short: %s", async (finish) => {
    const { answer } = await play(gateway, api, stream, () => ({ say: "Half an ans", finish }));
    expect(answer).toMatchObject({ status: 200, text: "Half an ans", ended: finish, error: null });
    expect(provider.requests).toHaveLength(1);
  });

  it("cuts a call short: no call comes, and the end says why", async () => {
    const calls = [{ name: "get_weather", arguments: '{"city":"Kö' }];
    const { answer } = await play(gateway, api, stream, () => ({ say: "Look.", calls, finish: "length" }));
    expect(answer).toMatchObject({ status: 200, text: "Look.", calls: [], ended: "length" });
  });

  it("cannot be reached: an error, soon, that does not say where it is", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const lost = await startCodexGateway({ url: `http://127.0.0.1:${port}/v1` });
    try {
      expect(await readiness(lost)).toMatchObject({ status: 200 });
      const { answer, took } = await play(lost, api, stream, () => ({}));
      expect(answer).toMatchObject({ status: 502, error: { code: "upstream_unreachable" } });
      expect(took).toBeLessThan(3_000);
      expect(answer.raw).not.toContain(String(port));
    } finally {
      await lost.close();
    }
  });

  it("works again right after", async () => {
    const { answer } = await play(gateway, api, stream, () => ({ say: "Fine." }));
    expect(answer).toMatchObject({ status: 200, text: "Fine.", ended: "completed" });
  });
});
