import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { JsonObject } from "../../src/turn/index.ts";
import type { Api } from "../support/api.ts";
import { named } from "../support/events-file.ts";
import { type Answer, ask, followUp, requestFor, type TurnWish } from "../support/gateway.ts";
import { type Provider, type Reply, type Script, startProvider } from "../support/provider.ts";
import { type CodexGateway, startCodexGateway } from "./support/codex.ts";
import { forms, parameters, sentinel, textModel, weatherTrip } from "./support/codex-trip.ts";
import { onlyRequest, toolNames, upstreamItems, upstreamMessages } from "./support/codex-upstream.ts";
import { answer, cities } from "./support/script.ts";

const weather = { name: "get_weather", description: "Weather now", parameters };
const time = { name: "get_time", description: "Time now", parameters };
const inCities = cities.map((city) => ({ name: "get_weather", arguments: JSON.stringify({ city }) }));
const [inKoeln] = inCities;
const koeln = sentinel("Köln");

let script: Script = textModel;
let provider: Provider;
let written: CodexGateway;
let native: CodexGateway;
beforeAll(async () => {
  provider = await startProvider((request) => script(request));
  written = await startCodexGateway(provider, { backend: { tools: "prompted" } });
  native = await startCodexGateway(provider, { backend: { tools: "native" } });
});
afterAll(async () => {
  await written.close();
  await native.close();
  await provider.close();
});
beforeEach(() => {
  provider.requests.length = 0;
});

let requests = 0;

async function play(gateway: CodexGateway, api: Api, reply: Reply, wish: Partial<TurnWish>) {
  script = () => reply;
  const id = `written-${++requests}`;
  const body = requestFor(api, { model: "codex", tools: [weather, time], ...wish });
  // A turn that was cut off has no account.
  return { id, answer: await ask(gateway, api, body, { "x-request-id": id }, { usageUnknown: true }) };
}

const callsOf = ({ calls }: Answer) => calls.map(({ name, arguments: text }) => ({ name, arguments: text }));

/** All that the model is told before the conversation. */
const promptOf = (body: JsonObject) =>
  upstreamMessages(body)
    .filter(([role]) => role === "developer" || role === "system")
    .map(([, text]) => text)
    .join("\n");

/** A model that has made its call and now makes up what the tool says, for half a minute. */
const babble = (head: string): Reply => ({
  say: `${head}\n${"It is 45 degrees in all of them. ".repeat(400)}`,
  chunk: 9,
  pieceDelay: 20,
});

describe.each(forms)("Codex with tools in its prompt (%s, %s)", (api, _form, stream) => {
  it("asks, calls and answers with the openai client", async () => {
    script = textModel;
    const [first, last] = await weatherTrip(written.url, api, "codex", stream);
    expect(first).toMatchObject({ calls: inCities, finish: api === "chat" ? "tool_calls" : "completed" });
    expect(first?.text.trim()).toBe("Let me look.");
    expect(last).toMatchObject({ text: answer, calls: [] });
    const [asked = {}, continued = {}, ...more] = provider.requests.map(({ body }) => body);
    expect(more).toEqual([]);
    for (const body of [asked, continued]) {
      expect(toolNames(body)).toEqual([]);
      expect(promptOf(body)).toContain("Be brief.\n\n# CLIENT TOOL CATALOG");
      expect(promptOf(body)).toContain('- get_weather strict: "Weather now"');
    }
    // Here the results are words, and so are the calls.
    expect(upstreamItems(continued, "function_call_output")).toEqual([]);
    expect(JSON.stringify(continued)).toContain(first?.calls[1]?.id);
  });

  it("reads a call that comes in crumbs, and shows nothing of its form", async () => {
    const { answer } = await play(written, api, { say: `Look: ${koeln}`, chunk: 1 }, { stream });
    expect(callsOf(answer)).toEqual([inKoeln]);
    expect(answer.text.trim()).toBe("Look:");
    expect(answer.raw).not.toContain("<tool_call>");
    await onlyRequest(provider);
  });

  it("is cut off when it goes on after its call", async () => {
    const begun = performance.now();
    const { answer, id } = await play(written, api, babble(`Let me look.\n${koeln}`), { stream });
    expect(performance.now() - begun).toBeLessThan(5_000);
    expect(callsOf(answer)).toEqual([inKoeln]);
    expect(answer.text.trim()).toBe("Let me look.");
    expect(answer.raw).not.toContain("45 degrees");
    await vi.waitFor(() => expect(provider.requests[0]?.closedEarly).toBe(true));
    expect(provider.requests).toHaveLength(1);
    const cutoffs = named(await written.events.of(id), "tool_cutoff");
    expect(cutoffs).toMatchObject([{ backend: "codex", call_ids: answer.calls.map((call) => call.id) }]);
    expect(cutoffs[0]?.bytes_dropped).toBeGreaterThan(32);
  });

  it("is cut off at its first call where the request wants no more at once", async () => {
    const { answer } = await play(written, api, babble(cities.map(sentinel).join("\n")), { stream, parallel: false });
    expect(callsOf(answer)).toEqual([inKoeln]);
    await vi.waitFor(() => expect(provider.requests[0]?.closedEarly).toBe(true));
  });

  it("answers the next request after it was cut off", async () => {
    const first = await play(written, api, babble(koeln), { stream });
    provider.requests.length = 0;
    const after = followUp(api, first.answer, ["Köln: 21"]);
    const { answer } = await play(written, api, { say: "It is 21." }, { stream, after });
    expect(answer).toMatchObject({ text: "It is 21.", calls: [], ended: "completed" });
    const sent = JSON.stringify(await onlyRequest(provider));
    expect(sent).toContain("Köln: 21");
    expect(sent).not.toContain("45 degrees");
    // Codex says this of a turn that was interrupted; no client has asked it to.
    expect(sent).not.toContain("turn_aborted");
  });

  it.each([
    ["any tool", "required" as const, "You must call at least one tool now."],
    ["one tool", { name: "get_weather" }, 'it must be "get_weather", and you must call it now'],
  ])(
    "is told in words that %s must be called, also where its own kind of tools is on",
    async (_what, choice, words) => {
      const { answer } = await play(native, api, { say: koeln, chunk: 3 }, { stream, choice });
      expect(callsOf(answer)).toEqual([inKoeln]);
      const body = await onlyRequest(provider);
      expect(toolNames(body)).toEqual([]);
      expect(promptOf(body)).toContain("# CLIENT TOOL CATALOG");
      expect(promptOf(body)).toContain(words);
    },
  );

  it("fails where it makes no call though it must", async () => {
    const { answer } = await play(native, api, { say: "I would rather not." }, { stream, choice: "required" });
    expect(answer).toMatchObject({ ended: "failed", calls: [], error: { code: "tool_call_invalid" } });
    await onlyRequest(provider);
  });

  it("has a call that was demanded as its own kind of call in the next request", async () => {
    const first = await play(native, api, { say: koeln }, { stream, choice: "required" });
    provider.requests.length = 0;
    const after = followUp(api, first.answer, ["Köln: 21"]);
    const { answer } = await play(native, api, { say: "It is 21." }, { stream, after });
    expect(answer).toMatchObject({ text: "It is 21.", ended: "completed" });
    const body = await onlyRequest(provider);
    expect(toolNames(body)).toEqual(["get_weather", "get_time"]);
    expect(upstreamItems(body, "function_call")).toMatchObject([{ ...inKoeln, call_id: first.answer.calls[0]?.id }]);
    expect(upstreamItems(body, "function_call_output")).toMatchObject([{ output: "Köln: 21" }]);
  });
});

describe("Codex with tools in its prompt", () => {
  it("is a setting of a model too, beside the same home with its own kind of tools", async () => {
    const models = { text: { backend: "codex", model: "fake-model", tools: "prompted" } };
    const gateway = await startCodexGateway(provider, { config: { models } });
    try {
      // Both want to be the first who uses the new home.
      script = ({ body }) => ({ say: toolNames(body).length > 0 ? "native" : "prompted" });
      const said = ["text", "codex"].map(async (model) => {
        const answer = await ask(gateway, "chat", requestFor("chat", { model, tools: [weather] }));
        return answer.text;
      });
      expect(await Promise.all(said)).toEqual(["prompted", "native"]);
    } finally {
      await gateway.close();
    }
  });
});
