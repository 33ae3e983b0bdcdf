import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Api } from "../support/api.ts";
import {
  type Answer,
  ask,
  bothBackends,
  followUp,
  requestFor,
  startGateway,
  type TurnWish,
} from "../support/gateway.ts";
import { conversation, offeredTools, type Provider, type Script, startProvider } from "../support/provider.ts";
import { scenes, tools } from "../support/scenes.ts";

/** Answers with the outputs once the request ends in some; before that, with the scene that the model is named after. */
const script: Script = ({ model, body }) => {
  const said = conversation(body);
  const outputs = said.slice(said.findLastIndex((entry) => entry.kind !== "output") + 1);
  if (outputs.length > 0 && model !== "again") {
    return { say: `Outputs: ${outputs.map((entry) => (entry.kind === "output" ? entry.text : "")).join(" | ")}` };
  }
  if (model === "again") return { calls: [{ id: "call_same", name: "get_weather", arguments: "{}" }] };
  if (model === "uncounted") return { say: "Hm.", usage: null };
  if (model === "blank") return { calls: [{ name: "refresh", arguments: " \n" }] };
  const scene = scenes.find(({ name }) => name === model);
  if (!scene) throw new Error(`There is no scene ${model}.`);
  return body.stream === true ? scene.reply : (scene.whole ?? scene.reply);
};

let provider: Provider;
let gateway: Awaited<ReturnType<typeof startGateway>>;

beforeAll(async () => {
  provider = await startProvider(script);
  gateway = await startGateway(bothBackends(provider));
});

afterAll(async () => {
  await gateway?.close();
  await provider?.close();
});

const apis: Api[] = ["chat", "responses"];
const pairs = apis.flatMap((client) => apis.map((backend) => ({ client, backend })));
const modes = pairs.flatMap((pair) =>
  [true, false].map((stream) => ({ ...pair, stream, mode: stream ? "stream" : "whole" })),
);

function run(client: Api, wish: TurnWish, headers: Record<string, string> = {}): Promise<Answer> {
  return ask(gateway, client, requestFor(client, { tools, usage: wish.stream === true, ...wish }), headers);
}

function lastRequest(model: string) {
  const request = provider.requestsOf(model).at(-1);
  if (!request) throw new Error(`The provider was never asked for ${model}.`);
  return request;
}

const silent = { text: "", reasoning: "", refusal: "", annotations: [], calls: [], error: null };
const counted = { input: 11, output: 7, total: 18, cached: 0, reasoning: 0 };

describe.each(modes)("$client client, $backend backend, $mode", ({ client, backend, stream }) => {
  const fit = scenes.filter((scene) => (scene.backend ?? backend) === backend);

  it.each(fit)("$name", async ({ name, expects, items }) => {
    const answer = await run(client, { model: `${backend}/${name}`, stream });
    const { ended = "completed", usage = counted } = expects;
    expect(answer.status).toBe(200);
    expect(answer).toMatchObject({ ...silent, ...expects, ended, usage });
    if (client === "responses") expect(answer.items.map((item) => item.type)).toEqual(items);
    expect(lastRequest(name).api).toBe(backend);
  });

  it("offers the tools to the backend in its own shape", async () => {
    await run(client, { model: `${backend}/text`, stream });
    const offered = offeredTools(lastRequest("text").body);
    // A chat backend knows functions only: a tool that takes free text is one with one string.
    const freeText =
      backend === "chat" ? { kind: "function", parameters: { required: ["input"] } } : { kind: "custom" };
    const wanted = tools.map(({ name, kind, description }) => ({
      name,
      ...(kind === "custom" ? freeText : { kind: "function", description }),
    }));
    expect(offered).toMatchObject(wanted);
  });

  it("keeps the backend's ids of calls", async () => {
    const { calls } = await run(client, { model: `${backend}/parallel`, stream });
    expect(calls.map((call) => call.id)).toEqual(["call_0", "call_1", "call_2"]);
  });

  it("brings calls and their outputs back to the backend, paired", async () => {
    const first = await run(client, { model: `${backend}/crumbs`, stream });
    const second = await run(client, {
      model: `${backend}/crumbs`,
      prompt: "Weather?",
      stream,
      after: followUp(client, first, ["12 C", "noon"]),
    });
    expect(second).toMatchObject({ text: "Outputs: 12 C | noon", calls: [], ended: "completed" });
    const [one, two] = first.calls;
    expect(conversation(lastRequest("crumbs").body)).toEqual([
      { kind: "message", role: "user", text: "Weather?", images: [] },
      { kind: "message", role: "assistant", text: first.text, images: [] },
      { kind: "call", id: one?.id, name: one?.name, arguments: one?.arguments },
      { kind: "call", id: two?.id, name: two?.name, arguments: two?.arguments },
      { kind: "output", id: one?.id, text: "12 C" },
      { kind: "output", id: two?.id, text: "noon" },
    ]);
  });

  it("gives a call of a second turn another id, though the backend repeats it", async () => {
    const first = await run(client, { model: `${backend}/again`, stream });
    const after = followUp(client, first, ["12 C"]);
    const second = await run(client, { model: `${backend}/again`, stream, after });
    const third = await run(client, {
      model: `${backend}/again`,
      stream,
      after: [...after, ...followUp(client, second, ["13 C"])],
    });
    const ids = [first, second, third].map(({ calls }) => calls[0]?.id);
    expect(new Set(ids).size).toBe(3);
    const entries = conversation(lastRequest("again").body).filter((entry) => entry.kind !== "message");
    expect(entries.map((entry) => entry.id)).toEqual([ids[0], ids[0], ids[1], ids[1]]);
  });

  it("brings a custom call and its output back", async () => {
    const first = await run(client, { model: `${backend}/custom`, stream });
    const after = followUp(client, first, ["Done", "12 C"]);
    const second = await run(client, { model: `${backend}/custom`, stream, after });
    expect(second.text).toBe("Outputs: Done | 12 C");
    const [patch] = conversation(lastRequest("custom").body).filter((entry) => entry.kind === "call");
    const text = first.calls[0]?.arguments;
    const written = backend === "chat" ? JSON.stringify({ input: text }) : text;
    expect(patch).toMatchObject({ name: "apply_patch", arguments: written });
  });
});

describe.each(pairs)("$client client, $backend backend", ({ client, backend }) => {
  it.each(scenes.filter((scene) => (scene.backend ?? backend) === backend))(
    "$name is the same streamed and whole",
    async ({ name }) => {
      const seen = async (stream: boolean) => {
        const { text, reasoning, refusal, annotations, calls, finish, ended } = await run(client, {
          model: `${backend}/${name}`,
          stream,
        });
        const said = calls.map((call) => [call.name, call.arguments, call.kind]);
        return { text, reasoning, refusal, annotations, said, finish, ended };
      };
      expect(await seen(true)).toEqual(await seen(false));
    },
  );
});

describe.each(apis)("%s backend", (backend) => {
  it.each(apis)("makes no usage up for a %s client", async (client) => {
    const body = requestFor(client, { model: `${backend}/uncounted`, stream: true, usage: true });
    expect((await ask(gateway, client, body, {}, { usageUnknown: true })).usage).toBeNull();
    const whole = requestFor(client, { model: `${backend}/uncounted` });
    expect((await ask(gateway, client, whole)).usage).toBeNull();
  });

  it.each(apis)("makes whole JSON of blank arguments for a %s client", async (client) => {
    for (const stream of [true, false]) {
      const { calls } = await run(client, { model: `${backend}/blank`, stream });
      expect(calls.map((call) => JSON.parse(call.arguments))).toEqual([{}]);
    }
  });

  it("tells a Chat client of usage only when it asks", async () => {
    const answer = await run("chat", { model: `${backend}/usage`, stream: true, usage: false });
    expect(answer.usage).toBeNull();
  });

  it.each([true, false])("answers legacy functions in their own form, stream %s", async (stream) => {
    const [weather] = tools;
    const more = { functions: [{ ...weather }], function_call: { name: "get_weather" } };
    const answer = await run("chat", { model: `${backend}/text-and-call`, stream, tools: [], more });
    expect(answer).toMatchObject({
      text: "Let me look.",
      functionCall: { name: "get_weather", arguments: '{"location":"Rome"}' },
      calls: [],
      finish: "function_call",
    });
    expect(offeredTools(lastRequest("text-and-call").body)).toMatchObject([{ name: "get_weather" }]);
  });

  it.each(["call", "parallel", "interleaved", "text-and-call", "empty-arguments"])(
    "has the events of the extended profile beside the others: %s",
    async (name) => {
      const wish = { model: `${backend}/${name}`, stream: true };
      const plain = await run("responses", wish);
      const extended = await run("responses", wish, { "x-toolwire-profile": "extended" });
      expect(extended.calls.map((call) => call.arguments)).toEqual(plain.calls.map((call) => call.arguments));
      const begun = extended.events.filter((event) => event.type === "response.output_tool_call.begin");
      expect(begun).toHaveLength(plain.calls.length);
    },
  );
});
