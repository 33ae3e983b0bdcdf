import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningServer } from "../../src/http/server.ts";
import type { JsonObject } from "../../src/turn/index.ts";
import type { Api } from "../support/api.ts";
import { ask, bothBackends, requestFor, startGateway } from "../support/gateway.ts";
import { type Provider, type Reply, sseFrames, startProvider } from "../support/provider.ts";
import { cutAnswers, wholeCall } from "./odd/cut-answers.ts";
import { added, completed, delta, entry, item, piece, rome, tools } from "./odd/forms.ts";

let reply: Reply;
let provider: Provider;
let gateway: RunningServer;
beforeAll(async () => {
  provider = await startProvider(() => reply);
  gateway = await startGateway(bothBackends(provider, { retries: 0, breaker: { failures: 10_000 } }));
});
afterAll(async () => {
  await gateway.close();
  await provider.close();
});

function play(client: Api, backend: Api, stream: boolean, answer: Reply) {
  reply = answer;
  return ask(gateway, client, requestFor(client, { model: `${backend}/broken`, tools, stream }));
}

/** What a provider has said before it breaks: nothing, some text, or half of a call. */
const chatBeginnings: Record<string, JsonObject[]> = {
  "at once": [],
  "after some text": [delta({ role: "assistant", content: "Half" })],
  "in a call": [
    delta({ tool_calls: [entry({ index: 0, id: "c1" }, { name: "get_weather", arguments: '{"city":"Ro' })] }),
  ],
};
const message = { type: "message", id: "msg_1", status: "in_progress", role: "assistant", content: [] };
const text = { type: "response.output_text.delta", output_index: 0, item_id: "msg_1", content_index: 0, delta: "Half" };
const responsesBeginnings: Record<string, JsonObject[]> = {
  "at once": [],
  "after some text": [added(0, message), text],
  "in a call": [added(0, item("c1", rome)), piece(0, "fc_c1", '{"city":"Ro')],
};

/** The last bytes of a stream that fails, and what the client is told. */
type Failure = [name: string, end: (string | { wait: number } | "cut")[], says: string | undefined];
const data = (payload: unknown) => `data: ${JSON.stringify(payload)}\n\n`;

const failures: Failure[] = [
  ["ends", [], undefined],
  ["cuts the connection", ["cut"], undefined],
  ["sends a line that is no JSON", ['data: {"choices":[{"ind\n\n', "data: [DONE]\n\n"], undefined],
  ["sends a line that is no object", ["data: 1\n\n", "data: [DONE]\n\n"], undefined],
  ["reports an error", [data({ error: { message: "Out of tea.", code: 500 } })], "Out of tea."],
  ["reports an error as text", [data({ error: "Out of tea." })], "Out of tea."],
  ["reports an error as vLLM does", [data({ object: "error", message: "Out of tea.", code: 500 })], "Out of tea."],
  ["reports an error as FastAPI does", [data({ detail: "Out of tea." })], "Out of tea."],
  ["reports an error as DashScope does", [data({ code: "Tea", message: "Out of tea." })], "Out of tea."],
  ["reports errors in a list", [data({ success: false, errors: [{ message: "Out of tea." }] })], "Out of tea."],
  ["names its event error", [`event: error\n${data({ reason: 1, message: "Out of tea." })}`], "Out of tea."],
  ["names its event error and sends text", ["event: error\ndata: Out of tea.\n\n"], "Out of tea."],
];

const chatFailures: Failure[] = [
  ...failures,
  ["stops with an error", [data(delta({}, "error"))], 'stopped with "error"'],
  [
    "has an error in its choice",
    [data({ choices: [{ index: 0, delta: {}, error: { message: "Out of tea." } }] })],
    "Out of tea.",
  ],
];

const responsesFailures: Failure[] = [
  ...failures,
  ["says that it is done before it is", ["data: [DONE]\n\n"], undefined],
  ["reports a flat error", [data({ type: "error", message: "Out of tea.", code: null, param: null })], "Out of tea."],
  ["reports a nested error", [data({ type: "error", error: { message: "Out of tea." } })], "Out of tea."],
  ["reports an error event", [data({ type: "response.error", error: { message: "Out of tea." } })], "Out of tea."],
  ["fails", [data({ type: "response.failed", response: { error: { message: "Out of tea." } } })], "Out of tea."],
  ["fails and does not say why", [data({ type: "response.failed", response: {} })], "the response was failed"],
  ["is cancelled", [data({ type: "response.cancelled" })], "the response was cancelled"],
  ["says completed of a response that failed", [data(completed([], { status: "failed" }))], "the response was failed"],
  [
    "says completed of a response with an error",
    [data(completed([], { error: { message: "Out of tea." } }))],
    "Out of tea.",
  ],
];

const forms = (["chat", "responses"] as const).flatMap((client) =>
  [true, false].map((stream): [Api, string, boolean] => [client, stream ? "stream" : "whole answer", stream]),
);

describe.each(forms)("a %s client is told, in a %s, when", (client, _form, stream) => {
  const scenes = (api: Api, beginnings: Record<string, JsonObject[]>, list: Failure[]) =>
    Object.entries(beginnings).flatMap(([when, payloads]) =>
      list.map(([what, end, says]): [string, Api, Reply, string | undefined] => {
        const bytes = [...sseFrames(api, payloads, false), ...end];
        return [
          `a ${api} provider ${what} ${when}`,
          api,
          { bytes, headers: { "content-type": "text/event-stream" } },
          says,
        ];
      }),
    );

  it.each([
    ...scenes("chat", chatBeginnings, chatFailures),
    ...scenes("responses", responsesBeginnings, responsesFailures),
  ])("%s", async (_name, backend, broken, says) => {
    const answer = await play(client, backend, stream, broken);
    expect(answer).toMatchObject({ ended: "failed", calls: [] });
    if (says !== undefined) expect(answer.error?.message).toContain(says);
  });
});

describe.each(forms)("a %s client gets the whole call only, in a %s, when", (client, _form, stream) => {
  it.each(cutAnswers.map(([what, api, odd]): [string, Api, Reply] => [`a ${api} provider ${what}`, api, odd]))(
    "%s",
    async (_name, backend, odd) => {
      const answer = await play(client, backend, stream, odd);
      expect(answer).toMatchObject({ ended: "length", calls: [{ id: "c1", ...rome }] });
      expect(answer.calls).toHaveLength(1);
    },
  );
});

describe.each(forms)("a %s client gets no success, in a %s, of", (client, _form, stream) => {
  it.each<[string, Api, Reply]>([
    ["a stream that says nothing", "chat", { chunks: [] }],
    ["a stream without a choice", "chat", { chunks: [{ choices: [], usage: null }] }],
    ["a stream that ends before it has begun", "chat", { chunks: [delta({ role: "assistant", content: "" })] }],
    ["a whole answer without a choice", "chat", { whole: { id: "x", choices: [] } }],
    [
      "a whole answer without anything in it",
      "chat",
      { whole: { choices: [{ message: { role: "assistant", content: null } }] } },
    ],
    [
      "a whole answer that breaks off",
      "chat",
      { bytes: ['{"choices":[{"message":{"content":"Hi"}'], headers: { "content-type": "application/json" } },
    ],
    ["a whole answer that is a list", "chat", { whole: [] }],
    ["a whole answer that is an error", "chat", { whole: { object: "error", message: "Out of tea." } }],
    [
      "arguments that nobody could write down again",
      "chat",
      {
        bytes: [
          `data: ${JSON.stringify(delta({ tool_calls: [wholeCall] })).replace('"{\\"city\\":\\"Rome\\"}"', `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`)}\n\n`,
        ],
        headers: { "content-type": "text/event-stream" },
      },
    ],
    ["a stream that says nothing", "responses", { chunks: [] }],
    [
      "a whole answer that failed",
      "responses",
      { whole: { status: "failed", error: { message: "Out of tea." }, output: [] } },
    ],
    ["a whole answer that is still in progress", "responses", { whole: { status: "in_progress", output: [] } }],
    ["a whole answer without output", "responses", { whole: { status: "completed" } }],
    ["a whole answer with a detail only", "responses", { whole: { detail: "Out of tea." } }],
  ])("%s (%s)", async (_name, backend, odd) => {
    const answer = await play(client, backend, stream, odd);
    expect(answer).toMatchObject({ ended: "failed", calls: [] });
    expect(answer.error?.code).not.toBe("internal_error");
  });
});

describe("signs of life", () => {
  const signs = [
    ": PROCESSING\n\n",
    data({ type: "ping" }),
    data({}),
    "data:\n\n",
    data({ usage: null }),
    "data:  [DONE] \n\n",
  ];

  it("are no part of a chat answer", async () => {
    const bytes = [...signs.slice(0, -1), data(delta({ content: "Hello." }, "stop")), ...signs];
    for (const [client, , stream] of forms) {
      const answer = await play(client, "chat", stream, { bytes, headers: { "content-type": "text/event-stream" } });
      expect(answer).toMatchObject({ text: "Hello.", ended: "completed" });
    }
  });

  it("are no part of a Responses answer", async () => {
    const bytes = [...signs.slice(0, -1), data(added(0, message)), data(text), data({ type: "response.completed" })];
    for (const [client, , stream] of forms) {
      const answer = await play(client, "responses", stream, {
        bytes,
        headers: { "content-type": "text/event-stream" },
      });
      expect(answer).toMatchObject({ text: "Half", ended: "completed" });
    }
  });
});
