import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningServer } from "../../src/http/server.ts";
import { isObject, type JsonObject, type JsonValue, parseJson } from "../../src/turn/index.ts";
import { codecs } from "../../src/wire/index.ts";
import { createScene, type Scene } from "../support/app-server/index.ts";
import { objectsOf } from "../support/folded.ts";
import { ask, bothBackends, requestFor, startGateway } from "../support/gateway.ts";
import { conversation, type Provider, type Script, startProvider } from "../support/provider.ts";
import { talkCodec } from "../support/third-codec.ts";

const parts = { codecs: [...codecs, talkCodec] };
const usage = { input: 11, output: 7 };

/** Wants the weather; says what it was told of it. */
const script: Script = ({ model, body }) => {
  if (model === "broken") return { status: 500 };
  if (model === "half") return { say: "Half", finish: null };
  const told = conversation(body).find((entry) => entry.kind === "output");
  if (told?.kind === "output") return { say: `It is ${told.text}.`, usage };
  return {
    say: "Let me see.",
    calls: [{ id: "call_7", name: "get_weather", arguments: '{"location":"Paris"}' }],
    usage,
  };
};

let provider: Provider;
let scene: Scene;
let gateway: RunningServer;
beforeAll(async () => {
  provider = await startProvider(script);
  scene = await createScene({
    turns: {
      ask: [{ say: "Let me see." }, { calls: [{ name: "get_weather", arguments: { location: "Paris" } }] }],
      told: [{ say: "It is sunny." }, { usage: true }],
    },
  });
  const backends = [bothBackends(provider), scene.config()].map((config) => config.backends).filter(isObject);
  const demo = { kind: "demo", pace: "0ms" };
  gateway = await startGateway({ backends: Object.assign({ demo }, ...backends), limits: { drain: "1s" } }, parts);
});
afterAll(async () => {
  await gateway?.close();
  await provider?.close();
  await scene?.dispose();
});

interface Talk {
  status: number;
  type: string;
  /** The payloads of a stream; of an answer in one piece that alone. */
  frames: JsonObject[];
  /** The last of them. */
  last: JsonObject;
}

interface Sent {
  path?: string;
  headers?: Record<string, string>;
  to?: RunningServer;
}

async function talk(
  body: JsonObject | string,
  { path = "/talk", headers = {}, to = gateway }: Sent = {},
): Promise<Talk> {
  const response = await fetch(`${to.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  const type = response.headers.get("content-type") ?? "";
  const text = await response.text();
  const payloads = type.startsWith("text/event-stream") ? dataOf(text) : [parseJson(text)];
  const frames = payloads.filter(isObject);
  return { status: response.status, type, frames, last: frames.at(-1) ?? {} };
}

function dataOf(text: string): (JsonValue | undefined)[] {
  return [...text.matchAll(/^data: (.+)$/gm)].map(([, data = ""]) => parseJson(data));
}

const takes = { type: "object", properties: { location: { type: "string" } }, required: ["location"] };
const abilities = [{ name: "get_weather", takes }];
const backends = [
  { backend: "chat", model: "chat/m", said: "Let me see.", answer: "It is sunny." },
  { backend: "responses", model: "responses/m", said: "Let me see.", answer: "It is sunny." },
  { backend: "demo", model: "demo", said: "", answer: "get_weather answered: sunny." },
  { backend: "codex", model: "codex/fake-model", said: "Let me see.", answer: "It is sunny." },
].flatMap((row) => [true, false].map((stream) => ({ ...row, stream })));

describe.each(backends)("a third client API on a $backend backend, stream: $stream", (row) => {
  const { backend, model, stream, said, answer } = row;
  // The stand-in for Codex goes by words in the conversation.
  const mark = (name: string) => (backend === "codex" ? ` [[${name}]]` : "");
  const question = { by: "human", text: `What is the weather in Paris?${mark("ask")}` };
  const ask = (more: JsonObject[] = []) => talk({ model, stream, said: [question, ...more], abilities });

  it("offers a tool, gets the call, brings its output and gets the answer", async () => {
    const first = await ask();
    expect(first.status).toBe(200);
    expect(first.last).toMatchObject({
      ended: "waits",
      wants: [{ ability: "get_weather", input: { location: "Paris" } }],
    });
    expect(first.last.said).toBe(said);
    const [want] = objectsOf(first.last.wants);
    const second = await ask([
      { by: "model", want },
      { by: "tool", ref: want?.ref, text: `sunny${mark("told")}` },
    ]);
    expect(second).toMatchObject({ status: 200, last: { said: answer, wants: [], ended: "done" } });
  });

  it("gets its answer in the form that it asked for", async () => {
    const { type, frames, last } = await ask();
    expect(type).toMatch(stream ? /^text\/event-stream/ : /^application\/json/);
    expect(last.talk).toMatch(/^talk-[0-9a-f]{32}$/);
    const pieces = frames.slice(0, -1);
    expect(pieces.flatMap(({ say }) => say ?? []).join("")).toBe(stream ? said : "");
    expect(pieces.flatMap(({ want }) => want ?? [])).toEqual(stream ? last.wants : []);
  });
});

describe.each(["chat", "responses"])("the provider behind a %s backend", (backend) => {
  it("gets the call and its output in its own API, paired, and says what they cost", async () => {
    const said = [
      { by: "human", text: "Weather?" },
      { by: "model", text: "Let me see." },
      { by: "model", want: { ref: "call_7", ability: "get_weather", input: { location: "Paris" } } },
      { by: "tool", ref: "call_7", text: "sunny" },
    ];
    const { last } = await talk({ model: `${backend}/m`, said, abilities });
    expect(last.tokens).toBe(18);
    const request = provider.requests.at(-1);
    expect(request?.api).toBe(backend);
    expect(conversation(request?.body ?? {})).toMatchObject([
      { role: "user", text: "Weather?" },
      { role: "assistant", text: "Let me see." },
      { kind: "call", id: "call_7", name: "get_weather", arguments: '{"location":"Paris"}' },
      { kind: "output", id: "call_7", text: "sunny" },
    ]);
  });
});

describe("errors on the paths of a third client API", () => {
  const said = [{ by: "human", text: "Hi." }];

  it.each<[string, JsonObject | string, number, JsonObject]>([
    ["has nothing said in it", { model: "chat/m" }, 400, { why: "missing_required_parameter", where: "said" }],
    ["has a field of the wrong type", { said: [{ by: 1 }] }, 400, { why: "invalid_request", where: "said[0].by" }],
    ["is not JSON", "{", 400, { why: "invalid_json", where: null }],
    ["is no object", "[]", 400, { why: "invalid_request", where: null }],
    ["asks for a model that nobody knows", { model: "nobody", said }, 404, { why: "model_not_found", where: "model" }],
    ["goes to a backend that fails", { model: "chat/broken", said }, 502, { why: "upstream_error" }],
    [
      "goes to a backend that fails, streamed",
      { model: "chat/broken", said, stream: true },
      502,
      { why: "upstream_error" },
    ],
  ])("have its own form, where a request %s", async (_name, body, status, trouble) => {
    const answer = await talk(body);
    expect(answer).toMatchObject({ status, last: { trouble } });
    expect(Object.keys(answer.last)).toEqual(["trouble"]);
  });

  it.each(["/talk", "/v1/talk", "/openai/v1/talk"])(
    "have its own form at %s, and where there is nothing below it",
    async (path) => {
      const method = await fetch(`${gateway.url}${path}`);
      expect(method.status).toBe(405);
      expect(await method.json()).toMatchObject({ trouble: { why: "method_not_allowed" } });
      expect(await talk({}, { path: `${path}/nothing` })).toMatchObject({
        status: 404,
        last: { trouble: { why: "not_found" } },
      });
      expect((await talk({ model: "demo", said }, { path })).status).toBe(200);
    },
  );

  it("have its own form in a stream", async () => {
    const { status, frames } = await talk({ model: "chat/half", said, stream: true });
    expect(status).toBe(200);
    expect(frames).toMatchObject([{ say: "Half" }, { trouble: { why: "upstream_cut" } }]);
  });

  it("leave the other APIs theirs", async () => {
    const answer = await ask(gateway, "chat", requestFor("chat", { model: "nobody" }));
    expect(answer.error).toMatchObject({ code: "model_not_found", param: "model" });
  });
});

describe("a gateway with keys", () => {
  let keyed: RunningServer;
  beforeAll(async () => {
    const config = { backends: { demo: { kind: "demo", pace: "0ms" } }, keys: [{ name: "ann", key: "tw-key-of-ann" }] };
    keyed = await startGateway(config, parts);
  });
  afterAll(() => keyed?.close());
  const body = { model: "demo", said: [{ by: "human", text: "Hi." }] };
  const bearer = { authorization: "Bearer tw-key-of-ann" };

  it.each<[string, Record<string, string>]>([
    ["without a key", {}],
    ["with an unknown key", { "x-talk-key": "tw-key-of-bob" }],
    ["with an unknown key of the usual form", { authorization: "Bearer tw-key-of-bob" }],
    ["with the key in a header of no API", { "x-other-key": "tw-key-of-ann" }],
  ])("refuses a request %s in the API's own form", async (_name, headers) => {
    const answer = await talk(body, { to: keyed, headers });
    expect(answer).toMatchObject({ status: 401, last: { trouble: { why: "invalid_api_key", where: null } } });
  });

  it.each<[string, Record<string, string>]>([
    ["its own header", { "x-talk-key": "tw-key-of-ann" }],
    ["the usual one", bearer],
  ])("takes the key of a third client API in %s", async (_name, headers) => {
    expect(await talk(body, { to: keyed, headers })).toMatchObject({ status: 200, last: { ended: "done" } });
  });

  it("does not take that header where another API is spoken", async () => {
    const answer = await ask(keyed, "chat", requestFor("chat", { model: "demo" }), { "x-talk-key": "tw-key-of-ann" });
    expect(answer).toMatchObject({ status: 401, error: { code: "invalid_api_key" } });
  });

  it("counts its requests and turns under its name", async () => {
    const metrics = async () => (await fetch(`${keyed.url}/metrics`, { headers: bearer })).text();
    const count = (text: string, series: string) => Number(text.split(`${series} `)[1]?.split("\n")[0] ?? 0);
    const [fine, refused] = [200, 401].map((status) => `toolwire_requests_total{api="talk",status="${status}"}`);
    const turns = 'toolwire_turns_total{api="talk",backend="demo",status="completed"}';
    const before = await metrics();
    await talk(body, { to: keyed, headers: bearer });
    await talk({ ...body, stream: true }, { to: keyed, headers: bearer });
    await talk(body, { to: keyed });
    const since = async () => {
      const after = await metrics();
      return [fine, refused, turns].map((series = "") => count(after, series) - count(before, series));
    };
    await expect.poll(since).toEqual([2, 1, 2]);
  });
});
