import { describe, expect, it } from "vitest";
import { parseJson } from "../../src/turn/index.ts";
import type { Api } from "../support/api.ts";
import { named } from "../support/events-file.ts";
import { type Answer, type AskOptions, ask, followUp, requestFor, type TurnWish } from "../support/gateway.ts";
import type { TurnReply } from "../support/provider.ts";
import { codexStage } from "./support/codex-stage.ts";
import { forms, parameters, weatherIn, weatherModel, weatherTrip } from "./support/codex-trip.ts";
import { again, onlyAnswered, onlyRequest, toolNames, upstreamItems } from "./support/codex-upstream.ts";
import { answer, cities, preamble } from "./support/script.ts";

const weather = { name: "get_weather", description: "Weather now", parameters };
const time = { name: "get_time", description: "Time now", parameters };
const tools = [weather, time];
const inCities = cities.map((city) => ({ name: "get_weather", arguments: JSON.stringify({ city }) }));
const [inKoeln = { name: "", arguments: "" }] = inCities;
const stranger = { name: "nobody_declared", arguments: '{"x":1}' };

const stage = codexStage(weatherModel);

let requests = 0;

/** Asks a model that does this, whatever it is told. */
async function play(api: Api, reply: TurnReply, wish: Partial<TurnWish>, options: AskOptions = {}) {
  stage.script = () => (stage.provider.requests.length === 1 ? reply : again);
  const id = `native-${++requests}`;
  const body = requestFor(api, { model: "codex", tools, usage: wish.stream === true, ...wish });
  return { id, answer: await ask(stage.gateway, api, body, { "x-request-id": id }, options) };
}

const callsOf = ({ calls }: Answer) => calls.map(({ name, arguments: text }) => ({ name, arguments: text }));

describe.each(forms)("the openai client before Codex (%s, %s)", (api, _form, stream) => {
  it("asks, runs the tools that the model calls, and has the answer", async () => {
    stage.script = weatherModel;
    const [first, last, ...more] = await weatherTrip(stage.gateway.url, api, "codex", stream);
    expect(more).toEqual([]);
    expect(first).toMatchObject({
      text: preamble,
      calls: inCities,
      finish: api === "chat" ? "tool_calls" : "completed",
      usage: { input: 40, output: 12 },
    });
    expect(last).toMatchObject({
      text: answer,
      calls: [],
      finish: api === "chat" ? "stop" : "completed",
      usage: { input: 60, output: 8 },
    });
    expect(stage.provider.requests).toHaveLength(2);
    const [asked, continued] = stage.provider.requests.map(({ body }) => body);
    expect(asked && upstreamItems(asked, "function_call")).toEqual([]);
    // The model has its own calls again, and real results of them, not a text about them.
    const ids = first?.calls.map(({ id }) => id) ?? [];
    expect(new Set(ids).size).toBe(2);
    expect(upstreamItems(continued, "function_call")).toMatchObject(
      inCities.map((call, index) => ({ ...call, call_id: ids[index] })),
    );
    expect(upstreamItems(continued, "function_call_output")).toMatchObject(
      inCities.map((call, index) => ({ call_id: ids[index], output: weatherIn(call.arguments) })),
    );
    expect(JSON.stringify(continued)).toContain(preamble);
  });
});

describe.each(forms)("Codex with tools of its own kind (%s, %s)", (api, _form, stream) => {
  it("ends its turn at the calls, which the events tell, and asks the model no further", async () => {
    const reply = { say: preamble, calls: inCities, usage: { input: 40, output: 12, cached: 30, reasoning: 5 } };
    const { answer, id } = await play(api, reply, { stream });
    expect(answer).toMatchObject({
      text: preamble,
      ended: "completed",
      usage: { input: 40, output: 12, cached: 30, reasoning: 5, total: 52 },
    });
    expect(callsOf(answer)).toEqual(inCities);
    await onlyRequest(stage.provider);
    const events = await stage.gateway.events.of(id);
    const ids = answer.calls.map((call) => call.id);
    expect(named(events, "tool_cutoff")).toMatchObject([
      { backend: "codex", call_ids: ids, bytes_dropped: expect.any(Number) },
    ]);
    expect(named(events, "tool_call")).toMatchObject(
      ids.map((id) => ({ id, name: "get_weather", owner: "client", dialect: null })),
    );
    expect(named(events, "turn_finished")).toMatchObject([
      { status: "completed", calls: 2, attempts: 1, usage: { input_tokens: 40, output_tokens: 12 } },
    ]);
  });

  it("answers in words, and then nothing is cut off", async () => {
    const { answer, id } = await play(api, { say: "No tool is needed.", chunk: 2 }, { stream });
    expect(answer).toMatchObject({ text: "No tool is needed.", calls: [], ended: "completed" });
    expect(answer.usage).toMatchObject({ input: 11, output: 7 });
    expect(named(await stage.gateway.events.of(id), "tool_cutoff")).toEqual([]);
    await onlyRequest(stage.provider);
  });

  it.each([
    ["alone", [stranger]],
    ["before a known one", [stranger, inKoeln]],
    ["after a known one", [inKoeln, stranger]],
  ])("passes on a tool that nobody declared, %s, and does not answer it itself", async (_place, calls) => {
    const { answer, id } = await play(api, { calls }, { stream });
    expect(callsOf(answer)).toEqual(calls);
    expect(answer.ended).toBe("completed");
    await onlyAnswered(stage.provider);
    expect(named(await stage.gateway.events.of(id), "unknown_tool")).toMatchObject([{ name: stranger.name }]);
  });

  it("passes on arguments that are not JSON, and does not answer them itself", async () => {
    const call = { name: "get_weather", arguments: "city is Köln" };
    const { answer } = await play(api, { calls: [call] }, { stream }, { rawArguments: true });
    expect(callsOf(answer)).toEqual([call]);
    await onlyAnswered(stage.provider);
  });

  it("offers no tools where the choice is none", async () => {
    const { answer } = await play(api, { say: "Then in words." }, { stream, choice: "none" });
    expect(answer).toMatchObject({ text: "Then in words.", calls: [], ended: "completed" });
    expect(toolNames(await onlyRequest(stage.provider))).toEqual([]);
  });

  it("offers only the tools that are allowed", async () => {
    const { answer } = await play(api, { calls: inCities }, { stream, choice: { allowed: ["get_weather"] } });
    expect(callsOf(answer)).toEqual(inCities);
    expect(toolNames(await onlyRequest(stage.provider))).toEqual(["get_weather"]);
  });

  it("gives one call where the request wants no more at once", async () => {
    const { answer } = await play(api, { calls: inCities }, { stream, parallel: false });
    expect(callsOf(answer)).toEqual([inKoeln]);
    await onlyRequest(stage.provider);
  });

  it("fails where a strict tool is called with arguments that break its schema", async () => {
    const call = { name: "get_weather", arguments: '{"city":7}' };
    const { answer, id } = await play(api, { calls: [call] }, { stream, tools: [{ ...weather, strict: true }] });
    expect(answer).toMatchObject({ status: 502, calls: [], error: { code: "tool_call_invalid" } });
    await onlyRequest(stage.provider);
    const failures = named(await stage.gateway.events.of(id), "strict_failure");
    expect(failures).toMatchObject([{ name: "get_weather", path: "/city" }]);
  });

  it("gives no call whose arguments stop in the middle", async () => {
    const { answer } = await play(api, { calls: [{ name: "get_weather", arguments: '{"city":"Kö' }] }, { stream });
    expect(answer).toMatchObject({ calls: [], ended: "length" });
    await onlyAnswered(stage.provider);
  });

  it("goes on after a call of a tool that nobody declared", async () => {
    const first = await play(api, { calls: [stranger] }, { stream });
    await onlyAnswered(stage.provider);
    stage.provider.requests.length = 0;
    const after = followUp(api, first.answer, ["There is no such tool."]);
    const { answer } = await play(api, { say: "Then not." }, { stream, after });
    expect(answer).toMatchObject({ text: "Then not.", ended: "completed" });
    const body = await onlyRequest(stage.provider);
    const [call] = upstreamItems(body, "function_call");
    expect(call).toMatchObject({ ...stranger, call_id: first.answer.calls[0]?.id });
    expect(parseJson(String(call?.arguments))).toEqual({ x: 1 });
    expect(upstreamItems(body, "function_call_output")).toMatchObject([{ output: "There is no such tool." }]);
  });
});
