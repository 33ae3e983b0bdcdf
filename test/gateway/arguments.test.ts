import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningServer } from "../../src/http/server.ts";
import { parseJson } from "../../src/turn/index.ts";
import type { Api } from "../support/api.ts";
import { createEventsFile, named } from "../support/events-file.ts";
import { ask, bothBackends, requestFor, startGateway, type TurnWish } from "../support/gateway.ts";
import { itemsReply, type Provider, startProvider, type TurnReply } from "../support/provider.ts";

const place = {
  type: "object",
  properties: { city: { type: "string" }, days: { type: "integer" } },
  required: ["city"],
};
const loose = [{ name: "get_weather", parameters: place }];
const strict = [{ name: "get_weather", parameters: place, strict: true }];

const file = createEventsFile();
let replies: TurnReply[];
let provider: Provider;
let gateway: RunningServer;
beforeAll(async () => {
  provider = await startProvider(({ count }) => replies[count - 1] ?? replies.at(-1) ?? {});
  const config = bothBackends(provider);
  const models = Object.fromEntries(
    (["chat", "responses"] as const).flatMap((backend) => [
      [`${backend}-reask`, { backend, model: "m", reask: 1 }],
      [`${backend}-says`, { backend, model: "m", strict_failure: "message" }],
      [`${backend}-exact`, { backend, model: "m", repair: false }],
    ]),
  );
  gateway = await startGateway({ ...config, models, telemetry: { events: file.path } });
});
afterAll(async () => {
  await gateway.close();
  await provider.close();
  file.remove();
});

let requests = 0;

const callWith = (text: string): TurnReply => ({
  calls: [{ id: "call_up", name: "get_weather", arguments: text }],
  chunk: 4,
});

const apis = ["chat", "responses"] as const;
const places = apis.flatMap((client) =>
  apis.flatMap((backend) =>
    [true, false].map((stream): [Api, Api, string, boolean] => [client, backend, stream ? "stream" : "whole", stream]),
  ),
);

describe.each(places)("arguments that a %s client gets from a %s backend (%s)", (client, backend, _form, stream) => {
  const hear = async (given: TurnReply[], wish: Partial<TurnWish> = {}, model = `${backend}/m`) => {
    replies = given;
    provider.requests.length = 0;
    const id = `arguments-${++requests}`;
    const body = requestFor(client, { model, stream, tools: loose, ...wish });
    const answer = await ask(gateway, client, body, { "x-request-id": id }, { rawArguments: true });
    return { answer, id, asked: provider.requests.map((request) => request.body) };
  };

  it("that are JSON are as the provider wrote them", async () => {
    const text = '{ "city" : "Rome",\n  "days": 3 }';
    expect((await hear([callWith(text)])).answer.calls).toMatchObject([{ arguments: text }]);
  });

  it.each([
    ["a comma too many", '{"city": "Rome", "days": 3,}', "trailing_comma"],
    ["single quotes", "{'city': 'Rome', 'days': 3}", "single_quotes"],
    ["a line break", '{"city": "Rome", "days": 3, "note": "a\nb"}', "raw_newline"],
    ["an object in a string", JSON.stringify('{"city": "Rome", "days": 3}'), "double_encoded"],
  ])("with %s are mended, and that is told", async (_, text, what) => {
    const { answer, id } = await hear([callWith(text)]);
    expect(parseJson(answer.calls[0]?.arguments ?? "")).toMatchObject({ city: "Rome", days: 3 });
    expect(answer.ended).toBe("completed");
    expect(named(await file.of(id), "arguments_repaired")).toMatchObject([{ what, id: answer.calls[0]?.id }]);
    const exact = await hear([callWith(text)], {}, `${backend}-exact`);
    expect(exact.answer.calls).toMatchObject([{ arguments: text }]);
  });

  it("that nothing can mend are passed on, and that is told", async () => {
    const { answer, id } = await hear([callWith('{"city": Rome City}')]);
    expect(answer.calls).toMatchObject([{ arguments: '{"city": Rome City}' }]);
    expect(named(await file.of(id), "parse_failure")).toHaveLength(1);
  });

  it("that do not fit are given with a warning where the tool is not strict", async () => {
    const { answer, id } = await hear([callWith('{"city": "Rome", "days": "three"}')]);
    expect(answer.calls).toMatchObject([{ name: "get_weather" }]);
    expect(named(await file.of(id), "schema_mismatch")).toMatchObject([{ name: "get_weather", path: "/days" }]);
  });

  it.each([
    ["do not fit", '{"city": "Rome", "days": "three"}', "/days"],
    ["lack something", "{}", "/city"],
    ["are not JSON", "{'city': 'Rome'}", ""],
  ])("that %s give no call where the tool is strict", async (_, text, path) => {
    const { answer, id } = await hear([callWith(text)], { tools: strict });
    expect(answer).toMatchObject({ calls: [], error: { code: "tool_call_invalid" }, ended: "failed" });
    expect(answer.raw).not.toContain("call_up");
    expect(named(await file.of(id), "strict_failure")).toMatchObject([{ name: "get_weather", path }]);
    const said = await hear([callWith(text)], { tools: strict }, `${backend}-says`);
    expect(said.answer).toMatchObject({ calls: [], ended: "completed" });
    expect(said.answer.text).toContain('"get_weather"');
  });

  it("that fit are given as they are where the tool is strict", async () => {
    const text = '{"city": "Rome" }';
    const { answer } = await hear([{ say: "Look.", ...callWith(text) }], { tools: strict });
    expect(answer).toMatchObject({
      text: "Look.",
      calls: [{ name: "get_weather", arguments: text }],
      ended: "completed",
    });
  });

  it("that stop in the middle are a cut call, strict or not", async () => {
    for (const tools of [loose, strict]) {
      for (const text of ['{"city": "Ro', "{'city': 'Ro"]) {
        if (tools === strict && text.startsWith("{'")) continue;
        const { answer } = await hear([callWith(text)], { tools });
        expect(answer).toMatchObject({ calls: [], ended: "length" });
      }
    }
  });

  it("that stop in the middle let no other call pass for them", async () => {
    const calls = ["{'city': 'Ro", '{"city":"Oslo"}'].map((text, at) => ({
      id: `call_${at}`,
      name: "get_weather",
      arguments: text,
    }));
    const { answer } = await hear([{ calls, chunk: 4 }]);
    expect(answer).toMatchObject({ calls: [], ended: "length" });
  });

  it("are not told as calls where the client got none", async () => {
    const calls = ['{"city":"Oslo"}', '{"city":5}'].map((text, at) => ({
      id: `call_${at}`,
      name: "get_weather",
      arguments: text,
    }));
    const { answer, id } = await hear([{ calls, chunk: 4 }], { tools: strict });
    const events = await file.of(id);
    expect(answer.error?.code).toBe("tool_call_invalid");
    expect(named(events, "strict_failure")).toHaveLength(1);
    expect(named(events, "tool_call")).toHaveLength(stream ? 1 : 0);
    expect(events.at(-1)).toMatchObject({ event: "turn_finished", status: "failed", calls: stream ? 1 : 0 });
  });

  it("are told as often as the client got them, where one of them is not as it must be", async () => {
    const mixed = [...loose, { name: "get_time", parameters: place, strict: true }];
    const calls = [
      { id: "call_0", name: "get_weather", arguments: '{"city":"Oslo"}' },
      { id: "call_1", name: "get_time", arguments: '{"city":5}' },
      { id: "call_2", name: "get_weather", arguments: '{"city":"Rome"}' },
    ];
    const { answer, id } = await hear([{ calls, chunk: 1000 }], { tools: mixed }, `${backend}-says`);
    expect(answer.calls.map((call) => call.id)).toEqual(["call_0"]);
    const events = await file.of(id);
    expect(named(events, "tool_call")).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({ calls: 1, status: "completed" });
  });

  it("are asked for again where they did not fit, with what was wrong about them", async () => {
    const given = [callWith('{"city": 5}'), callWith('{"city": "Rome"}')];
    const { answer, asked } = await hear(given, { tools: strict }, `${backend}-reask`);
    expect(answer).toMatchObject({ calls: [{ arguments: '{"city": "Rome"}' }], ended: "completed" });
    expect(asked).toHaveLength(2);
    // A stream that was broken off has not told what it cost.
    if (!stream) expect(answer.usage).toMatchObject({ input: 22, output: 14 });
    expect(JSON.stringify(asked[1])).toContain("/city must be a string");
    const never = await hear([callWith('{"city": 5}')], { tools: strict }, `${backend}-reask`);
    expect(never.answer).toMatchObject({ calls: [], error: { code: "tool_call_invalid" } });
    expect(never.asked).toHaveLength(2);
  });
});

describe("an item with nothing in it", () => {
  it.each(apis)("is no content yet for a %s client: the model can still be asked again", async (api) => {
    const call = (text: string) => ({
      id: "fc_1",
      type: "function_call",
      call_id: "call_1",
      name: "get_weather",
      arguments: text,
    });
    const shell = { id: "rs_1", type: "reasoning", summary: [] };
    const answers = [itemsReply([shell, call('{"city":5}')]), itemsReply([shell, call('{"city":"Rome"}')])];
    const shy = await startProvider(({ count }) => answers[count - 1] ?? answers[1] ?? { say: "" });
    const other = await startGateway(bothBackends(shy, { reask: 1 }));
    const body = requestFor(api, { model: "responses/m", stream: true, tools: strict });
    const answer = await ask(other, api, body, {}, { usageUnknown: true });
    expect(answer).toMatchObject({ calls: [{ arguments: '{"city":"Rome"}' }], ended: "completed" });
    expect(shy.requests).toHaveLength(2);
    await other.close();
    await shy.close();
  });
});
