import { describe, expect, it, onTestFinished } from "vitest";
import type { RunningServer } from "../../src/http/server.ts";
import type { JsonObject } from "../../src/turn/index.ts";
import type { Api } from "../support/api.ts";
import { type Answer, ask, bothBackends, requestFor, startGateway } from "../support/gateway.ts";
import { type Provider, type Reply, sseFrames, startProvider } from "../support/provider.ts";

const apis = ["chat", "responses"] as const;
const forms = apis.flatMap((client) =>
  apis.flatMap((backend) => [true, false].map((stream): [Api, Api, boolean] => [client, backend, stream])),
);

interface Scene {
  provider: Provider;
  gateway: RunningServer;
}

async function start(reply: (api: Api) => Reply, more: JsonObject = {}): Promise<Scene> {
  const provider = await startProvider(({ api }) => reply(api));
  const gateway = await startGateway(bothBackends(provider, more));
  onTestFinished(async () => {
    await gateway.close();
    await provider.close();
  });
  return { provider, gateway };
}

function send(gateway: RunningServer, client: Api, backend: Api, stream: boolean): Promise<Answer> {
  return ask(gateway, client, requestFor(client, { model: `${backend}/m`, stream }), {}, { usageUnknown: true });
}

/** What a provider says before it fails. */
const halves: Record<Api, JsonObject[]> = {
  chat: [{ choices: [{ index: 0, delta: { role: "assistant", content: "Half" }, finish_reason: null }] }],
  responses: [
    { type: "response.output_item.added", output_index: 0, item: { type: "message", id: "msg_1", content: [] } },
    { type: "response.output_text.delta", output_index: 0, item_id: "msg_1", content_index: 0, delta: "Half" },
  ],
};

const streamed = { "content-type": "text/event-stream" };
const data = (payload: unknown) => `data: ${JSON.stringify(payload)}\n\n`;
const inStream = (error: JsonObject, before: string[] = []): Reply => ({
  bytes: [...before, data({ error })],
  headers: streamed,
});

describe("a provider's secrets", () => {
  const secret = "provider-secret";
  const message = `It is too hot, ${secret}`;
  const places: [string, JsonObject][] = [
    ["type", { type: secret, code: "too_hot", param: "temperature" }],
    ["code", { type: "heat_error", code: secret, param: "temperature" }],
    ["param", { type: "heat_error", code: "too_hot", param: `headers.${secret}` }],
    ["type, in a sentence", { type: `failed with ${secret}` }],
    ["code, as an address", { code: `http://10.1.2.3/${secret}` }],
    ["param, in a sentence", { param: `the header authorization, ${secret}` }],
  ];

  it.each(places)("reach no client in an error's %s", async (_place, fields) => {
    let reply: Reply = {};
    const { gateway } = await start(() => reply);
    for (const [client, backend, stream] of forms) {
      for (reply of [
        { status: 400, body: { error: { message, ...fields } } },
        { status: 429, body: { error: { message, ...fields } } },
        inStream({ message, ...fields, status: 400 }),
        inStream({ message, ...fields, status: 429 }, sseFrames(backend, halves[backend], false)),
      ]) {
        const answer = await send(gateway, client, backend, stream);
        expect(answer).toMatchObject({ ended: "failed", error: { message: expect.stringContaining("too hot") } });
        expect(answer.raw).not.toContain(secret);
        expect(answer.raw).not.toContain("10.1.2.3");
      }
    }
  });

  it.each([
    "provider-secret",
    "7, provider-secret",
    "7 provider-secret",
    "-1",
    "1e9999",
    "Infinity",
    "99999999999999999999",
    "Fri, 31 Dec 2100 23:59:59 GMT (provider-secret)",
    "provider-secret 1",
  ])("reach no client as the time of retry-after: %s", async (wait) => {
    for (const status of [429, 503]) {
      const { gateway } = await start(() => ({ status, headers: { "retry-after": wait } }));
      const answer = await send(gateway, "chat", "chat", false);
      expect(answer.status).toBe(status);
      expect(answer.headers.get("retry-after")).toBe(null);
    }
  });

  it.each(["0", "7", "0.25", "86400", "Fri, 31 Dec 2100 23:59:59 GMT"])(
    "are none where retry-after is %s",
    async (wait) => {
      const { gateway } = await start(() => ({ status: 429, headers: { "retry-after": wait } }));
      expect((await send(gateway, "chat", "chat", false)).headers.get("retry-after")).toBe(wait);
    },
  );

  it("are none where type, code and param are words and a path", async () => {
    const error = {
      message: "Too long.",
      type: "invalid_request_error",
      param: "messages[0].content[12].image-url",
      code: "string_above_max_length",
    };
    for (const reply of [{ status: 400, body: { error } }, inStream(error)]) {
      const { gateway } = await start(() => reply);
      expect((await send(gateway, "chat", "chat", true)).error).toEqual(error);
    }
  });
});

/** An error inside an answer that began with 200, and what it would have been before it. */
const reported: [error: JsonObject, status: number][] = [
  [{ code: 400 }, 400],
  [{ code: "400" }, 400],
  [{ code: 422 }, 422],
  [{ status: 404 }, 404],
  [{ status_code: 413 }, 413],
  [{ code: 429 }, 429],
  [{ code: "429" }, 429],
  [{ code: 500 }, 502],
  [{ code: 503 }, 503],
  [{ code: 504 }, 502],
  [{ code: 200 }, 502],
  [{ code: 1302 }, 502],
  [{ code: "rate_limit_exceeded", type: "tokens" }, 429],
  [{ type: "rate_limit_error" }, 429],
  [{ code: "RateLimitReached" }, 429],
  [{ type: "insufficient_quota", code: "insufficient_quota" }, 429],
  [{ type: "too_many_requests" }, 429],
  [{ status: "RESOURCE_EXHAUSTED" }, 429],
  [{ type: "invalid_request_error", code: null }, 400],
  [{ type: "invalid_request_error", code: "context_length_exceeded" }, 400],
  [{ type: "BadRequestError" }, 400],
  [{ code: "invalid_prompt" }, 400],
  [{ code: "context_length_exceeded" }, 400],
  [{ code: "content_policy_violation" }, 400],
  [{ code: "string_above_max_length" }, 400],
  [{ code: "invalid_image_url" }, 400],
  [{ code: "image_file_not_found" }, 400],
  [{ type: "authentication_error" }, 401],
  [{ type: "invalid_request_error", code: "invalid_api_key" }, 401],
  [{ type: "permission_error" }, 403],
  [{ type: "invalid_request_error", code: "model_not_found" }, 404],
  [{ type: "not_found_error" }, 404],
  [{ type: "overloaded_error" }, 503],
  [{ code: "server_error" }, 502],
  [{ type: "api_error" }, 502],
  [{ code: "fire", type: "server_error" }, 502],
  [{}, 502],
];

describe.each(forms)("a %s client of a %s backend (stream: %s)", (client, backend, stream) => {
  it("is told the status of an error that comes in place of the answer", async () => {
    let reply: Reply = {};
    const { gateway } = await start(() => reply);
    for (const [fields, status] of reported) {
      const error = { message: "It is too hot.", ...fields };
      for (reply of [inStream(error), { whole: { error } }, { whole: { object: "error", ...error } }]) {
        const answer = await send(gateway, client, backend, stream);
        expect({ fields, reply, status: answer.status }).toEqual({ fields, reply, status });
        expect(answer.error).toMatchObject(told(error, status));
      }
    }
  });

  it("is told the same of an error that comes after content", async () => {
    let reply: Reply = {};
    const { gateway } = await start(() => reply);
    for (const [fields, status] of reported) {
      const error = { message: "It is too hot.", ...fields };
      reply = inStream(error, sseFrames(backend, halves[backend], false));
      const answer = await send(gateway, client, backend, stream);
      expect(answer).toMatchObject({ status: stream ? 200 : status, ended: "failed", error: told(error, status) });
      expect(answer.text).toBe(stream ? "Half" : "");
    }
  });
});

/** A refusal is told in the provider's own words; what is the provider's failure, in ours. */
function told({ message, type, code }: JsonObject, status: number): JsonObject {
  if (status >= 500) {
    return {
      message: expect.stringMatching(/^The backend "\w+" failed: It is too hot\.$/),
      type: "server_error",
      code: "upstream_error",
    };
  }
  const own = status === 429 ? "rate_limit_error" : "invalid_request_error";
  return { message: `${message}`, type: type ?? own, code: typeof code === "string" ? code : null };
}

it("a status that stands beside an error is the error's", async () => {
  let reply: Reply = {};
  const { gateway } = await start(() => reply);
  for (const body of [
    { type: "error", status: 400, error: { message: "It is too hot." } },
    { error: "It is too hot.", status_code: 400 },
    { type: "error", code: "invalid_prompt", message: "It is too hot.", param: null },
  ]) {
    reply = { bytes: [data(body)], headers: streamed };
    for (const [client, backend, stream] of forms) {
      const answer = await send(gateway, client, backend, stream);
      expect(answer.status).toBe(400);
      expect(answer.error).toMatchObject({ message: "It is too hot.", type: "invalid_request_error" });
    }
  }
});

it("a response that failed is told as its error says", async () => {
  const failed = (code: string): Reply => ({
    chunks: [{ type: "response.failed", response: { status: "failed", error: { code, message: "No." } } }],
  });
  for (const [code, status] of [
    ["invalid_prompt", 400],
    ["rate_limit_exceeded", 429],
    ["server_error", 502],
  ] as const) {
    const { gateway } = await start(() => failed(code));
    expect((await send(gateway, "responses", "responses", true)).status).toBe(status);
  }
});

describe("a backend that refuses a request inside its answer", () => {
  it.each(apis)("is not asked again, nor left alone (%s)", async (backend) => {
    const error = { message: "Too long.", type: "invalid_request_error", code: "context_length_exceeded" };
    for (const before of [[], sseFrames(backend, halves[backend], false)]) {
      const { provider, gateway } = await start(() => inStream(error, before), {
        retries: 2,
        breaker: { failures: 1 },
      });
      for (const stream of [true, false, true]) {
        const answer = await send(gateway, "chat", backend, stream);
        expect(answer.error).toMatchObject({ message: "Too long.", code: "context_length_exceeded" });
      }
      expect(provider.requests).toHaveLength(3);
    }
  });

  it("because of its limit is asked again, and not left alone", async () => {
    const error = { message: "Slow down.", code: "rate_limit_exceeded" };
    const { provider, gateway } = await start(() => inStream(error), { retries: 1, breaker: { failures: 1 } });
    for (let at = 0; at < 2; at++) expect((await send(gateway, "chat", "chat", true)).status).toBe(429);
    expect(provider.requests).toHaveLength(4);
  });
});

describe("a backend that leads elsewhere", () => {
  it.each([300, 301, 302, 303, 304, 307, 308])("with %i is not asked again, nor left alone", async (status) => {
    const { provider, gateway } = await start(
      () => ({ status, body: "", headers: { location: "http://10.1.2.3/v1" } }),
      { retries: 2, breaker: { failures: 1 } },
    );
    for (let at = 0; at < 2; at++) {
      const answer = await send(gateway, "chat", "chat", at === 0);
      expect(answer).toMatchObject({ status: 502, error: { code: "upstream_invalid", type: "server_error" } });
      expect(answer.error?.message).toBe(
        `The backend "chat" sent a redirect (${status}) instead of an answer. Is its base_url right?`,
      );
      expect(answer.raw).not.toContain("10.1.2.3");
    }
    expect(provider.requests).toHaveLength(2);
  });
});

describe("a byte order mark", () => {
  const whole: Record<Api, JsonObject> = {
    chat: { choices: [{ index: 0, message: { role: "assistant", content: "Hello." }, finish_reason: "stop" }] },
    responses: {
      status: "completed",
      output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "Hello." }] }],
    },
  };

  it.each(forms)("before an answer is no part of it (%s client, %s backend, stream: %s)", async (...form) => {
    const { gateway } = await start((api) => ({
      bytes: [`\ufeff${JSON.stringify(whole[api])}`],
      headers: { "content-type": "application/json" },
    }));
    expect(await send(gateway, ...form)).toMatchObject({ ended: "completed", text: "Hello." });
  });

  it("before an error is no part of it", async () => {
    const error = { message: "It is too hot.", type: "heat_error", param: "temperature", code: "too_hot" };
    const { gateway } = await start(() => ({ status: 400, body: `\ufeff${JSON.stringify({ error })}` }));
    expect((await send(gateway, "chat", "chat", false)).error).toEqual(error);
  });
});

describe("what is nested so deeply that nobody could write it down again", () => {
  const depth = 20_000;
  const deep = `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
  /** The values cannot be written by JSON.stringify either. */
  const text = (value: unknown) => JSON.stringify(value).replace('"DEEP"', deep);

  const call = (more: JsonObject, inside: JsonObject = {}) => ({
    tool_calls: [
      { index: 0, id: "c1", type: "function", function: { name: "f", arguments: "{}", ...inside }, ...more },
    ],
  });
  const chat: Record<string, JsonObject> = {
    "the arguments of a call": call({}, { arguments: "DEEP" }),
    "what a call has beside": call({ extra_content: "DEEP" }),
    "details of the reasoning": { content: "Hi", reasoning_details: [{ data: "DEEP" }] },
    "an annotation": { content: "Hi", annotations: [{ type: "note", note: "DEEP" }] },
    "an image": { content: "Hi", images: ["DEEP"] },
  };
  const item = { type: "function_call", id: "fc_1", call_id: "c1", name: "f", arguments: "{}", status: "completed" };
  const words = (more: JsonObject) => ({
    ...{ type: "message", id: "msg_1", role: "assistant" },
    content: [{ type: "output_text", text: "Hi", ...more }],
  });
  const responses: Record<string, JsonObject> = {
    "the arguments of a call": { ...item, arguments: "DEEP" },
    "what a call has beside": { ...item, extra_content: "DEEP" },
    "an annotation": words({ annotations: ["DEEP"] }),
    "token probabilities": words({ logprobs: ["DEEP"] }),
    "an item of another kind": { type: "web_search_call", id: "ws_1", action: "DEEP" },
  };

  const answers: [string, Api, JsonObject, JsonObject[]][] = [
    ...Object.entries(chat).map(([where, fields]): [string, Api, JsonObject, JsonObject[]] => [
      where,
      "chat",
      { choices: [{ index: 0, message: fields, finish_reason: "stop" }] },
      [{ choices: [{ index: 0, delta: fields, finish_reason: "stop" }] }],
    ]),
    ...Object.entries(responses).map(([where, output]): [string, Api, JsonObject, JsonObject[]] => [
      where,
      "responses",
      { status: "completed", output: [output] },
      [{ type: "response.output_item.done", output_index: 0, item: output }, { type: "response.completed" }],
    ]),
  ];

  it.each(answers)("is an answer that cannot be read: %s (%s)", async (_where, backend, whole, payloads) => {
    const replies: Reply[] = [
      { bytes: [text(whole)], headers: { "content-type": "application/json" } },
      { bytes: payloads.map((payload) => `data: ${text(payload)}\n\n`), headers: streamed },
    ];
    for (const reply of replies) {
      const { gateway } = await start(() => reply);
      for (const client of apis) {
        for (const stream of [true, false]) {
          const answer = await send(gateway, client, backend, stream);
          expect(answer).toMatchObject({ status: 502, error: { code: "upstream_invalid" } });
          expect(answer.error?.message).toContain("nested too deeply");
        }
      }
    }
  });

  it("leaves an error what it is", async () => {
    for (const body of [text({ detail: "DEEP" }), `${"[".repeat(depth)}${"]".repeat(depth)}`]) {
      const { gateway } = await start(() => ({ status: 422, body }));
      expect((await send(gateway, "chat", "chat", false)).status).toBe(422);
    }
  });

  it("is not what a client needs: a hundred levels are passed on", async () => {
    const nested = `${'{"a":'.repeat(100)}${JSON.stringify("x".repeat(2_000))}${"}".repeat(100)}`;
    const message = call({}, { arguments: JSON.parse(nested) });
    const { gateway } = await start(() => ({
      whole: { choices: [{ index: 0, message, finish_reason: "tool_calls" }] },
    }));
    const request = requestFor("chat", { model: "chat/m", tools: [{ name: "f" }] });
    expect((await ask(gateway, "chat", request, {}, { usageUnknown: true })).calls).toMatchObject([
      { arguments: nested },
    ]);
  });
});
