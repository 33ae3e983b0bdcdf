import { describe, expect, it } from "vitest";
import { isObject, type JsonObject } from "../../src/turn/index.ts";
import type { Api } from "../support/api.ts";
import { ask, requestFor, type TurnWish } from "../support/gateway.ts";
import { type ChunksReply, itemsReply } from "../support/provider.ts";
import { codexStage } from "./support/codex-stage.ts";
import { forms, parameters } from "./support/codex-trip.ts";
import { onlyRequest, upstreamMessages, upstreamTools } from "./support/codex-upstream.ts";

const apis = ["chat", "responses"] as const;
const weather = { name: "get_weather", description: "Weather now", parameters };
const inRome = { name: "get_weather", arguments: '{"city":"Rome"}' };

const stage = codexStage();

const play = (api: Api, wish: Partial<TurnWish>, more: JsonObject = {}, headers: Record<string, string> = {}) =>
  ask(stage.gateway, api, { ...requestFor(api, { model: "codex", ...wish }), ...more }, headers, {
    usageUnknown: true,
  });

const created = { type: "response.created", response: { id: "resp_1", status: "in_progress", output: [] } };
const messageOf = (text: string, id = "msg_1") => ({
  ...{ id, type: "message", role: "assistant", status: "completed" },
  content: [{ type: "output_text", text, annotations: [] }],
});

/** A message in pieces. */
function spoken(text: string, output_index: number, id = "msg_1"): JsonObject[] {
  const at = { item_id: id, output_index, content_index: 0 };
  return [
    { type: "response.output_item.added", output_index, item: { ...messageOf("", id), content: [] } },
    ...(text.match(/.{1,4}/gs) ?? []).map((delta) => ({ type: "response.output_text.delta", ...at, delta })),
    { type: "response.output_item.done", output_index, item: messageOf(text, id) },
  ];
}

function completed(events: JsonObject[], more: JsonObject = {}): ChunksReply {
  const response = { id: "resp_1", status: "completed", output: [], ...more };
  return { chunks: [created, ...events, { type: "response.completed", response }] };
}

describe.each(forms)("what the model says (%s, %s)", (api, _form, stream) => {
  it.each([1, 7, 200])("is in its place where Codex takes words of its own out of it (pieces of %s)", async (chunk) => {
    stage.script = () => ({ say: "see <oai-mem-citation> and </oai-mem-citation> tags", chunk });
    const { text } = await play(api, { stream });
    expect(text.replace("<oai-mem-citation> and </oai-mem-citation>", "")).toBe("see  tags");
  });

  it.each<[string, () => ChunksReply]>([
    ["in pieces", () => completed([...spoken("First.", 0), ...spoken("Second.", 1)])],
    ["at once", () => itemsReply([messageOf("First."), messageOf("Second.")])],
  ])("is both of two messages that have one id (%s)", async (_, told) => {
    stage.script = told;
    expect((await play(api, { stream })).text).toMatch(/^First\.\s*Second\.$/);
  });

  it("is both where the model goes on in a second response with the same id", async () => {
    const first = completed(spoken("First.", 0), { end_turn: false });
    stage.script = () => (stage.provider.requests.length === 1 ? first : completed(spoken("Second.", 0)));
    const answer = await play(api, { stream });
    expect(answer).toMatchObject({ ended: "completed", text: expect.stringMatching(/^First\.\s*Second\.$/) });
    expect(stage.provider.requests).toHaveLength(2);
  });

  it.each([
    ["summary", { summary: [{ type: "summary_text", text: "Hm, Rome." }] }],
    ["text", { summary: [], content: [{ type: "reasoning_text", text: "Hm, Rome." }] }],
  ])("has its reasoning before it, also where that comes at once (%s)", async (_, thought) => {
    stage.script = () => itemsReply([{ id: "rs_1", type: "reasoning", ...thought }, messageOf("Mild.")]);
    expect(await play(api, { stream })).toMatchObject({ reasoning: "Hm, Rome.", text: "Mild." });
  });

  it("is a refusal where it refuses, and not an empty answer", async () => {
    stage.script = () => ({ refuse: "I will not." });
    const answer = await play(api, { stream });
    expect(answer).toMatchObject({
      status: 200,
      text: "",
      ended: "completed",
      refusal: expect.stringMatching(/refuse/),
    });
  });

  it("is no refusal where it is nothing", async () => {
    stage.script = () => completed(spoken("", 0));
    expect(await play(api, { stream })).toMatchObject({ status: 200, text: "", refusal: "", ended: "completed" });
  });
});

describe("a limit that comes right behind a call", () => {
  it("ends the turn soon, with the call", async () => {
    const item = { type: "function_call", id: "fc_1", call_id: "call_1", ...inRome };
    const over = {
      id: "resp_1",
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
      output: [],
    };
    stage.script = () => ({
      chunks: [
        created,
        { type: "response.output_item.added", output_index: 0, item: { ...item, arguments: "" } },
        { type: "response.output_item.done", output_index: 0, item },
        { type: "response.incomplete", response: over },
      ],
    });
    const begun = performance.now();
    const answers = await Promise.all(forms.map(([api, , stream]) => play(api, { stream, tools: [weather] })));
    expect(performance.now() - begun).toBeLessThan(8_000);
    for (const answer of answers) expect(answer).toMatchObject({ calls: [inRome], ended: "length" });
    expect(stage.provider.requests).toHaveLength(forms.length);
  });
});

const closed = { ...parameters, required: ["city"], additionalProperties: false };
const loose = {
  type: "object",
  properties: { city: { type: "string" }, unit: { type: "string" } },
  required: ["city"],
};

describe.each(apis)("the form of an answer that a %s client wants", (api) => {
  const formOf = (format: JsonObject): JsonObject => {
    const { type, ...named } = format;
    if (api === "responses") return { text: { format } };
    return { response_format: type === "json_schema" ? { type, json_schema: named } : format };
  };

  it.each<[string, JsonObject, boolean]>([
    ["a schema, strictly", { schema: loose, strict: true }, true],
    ["a schema, not strictly", { schema: closed, strict: false }, false],
    ["a schema that is strict by itself", { schema: closed }, true],
    ["a schema that is not", { schema: loose }, false],
  ])("is %s", async (_, wish, isHeld) => {
    await play(api, { prompt: "Hello." }, formOf({ type: "json_schema", name: "report", ...wish }));
    const { text, ...body } = await onlyRequest(stage.provider);
    const told = upstreamMessages(body).filter(([role]) => role === "developer");
    if (isHeld) {
      expect(text).toMatchObject({ format: { type: "json_schema", strict: true, schema: wish.schema } });
      expect(told).toEqual([]);
    } else {
      expect(isObject(text) && text.format).toBeFalsy();
      expect(told).toMatchObject([["developer", expect.stringContaining(JSON.stringify(wish.schema))]]);
    }
  });

  it("is JSON of any kind, in words", async () => {
    await play(api, { prompt: "Hello." }, formOf({ type: "json_object" }));
    const { text, ...body } = await onlyRequest(stage.provider);
    expect(isObject(text) && text.format).toBeFalsy();
    expect(upstreamMessages(body)[0]).toMatchObject(["developer", expect.stringContaining("JSON object")]);
  });
});

describe.each(apis)("what a %s request sets that changes nothing", (api) => {
  const shared = { temperature: 1, top_p: 1, metadata: {}, user: "", top_logprobs: 0 };
  const usual: Record<Api, JsonObject> = {
    chat: { ...shared, n: 1, presence_penalty: 0, frequency_penalty: 0, logit_bias: {}, stop: null, logprobs: false },
    responses: { ...shared, truncation: "disabled" },
  };
  const others: Record<Api, JsonObject> = {
    chat: { temperature: 0, top_p: 0.5, presence_penalty: 1, logit_bias: { 50256: -100 }, stop: "END", user: "ada" },
    responses: { temperature: 0, top_p: 0.5, metadata: { a: "b" }, truncation: "auto", user: "ada" },
  };
  const ignored = "x-toolwire-ignored-parameters";

  it("is not named where it is at its default", async () => {
    const { status, headers } = await play(api, {}, usual[api]);
    expect([status, headers.get(ignored)]).toEqual([200, null]);
  });

  it("is named where it is not, also to a browser", async () => {
    const { headers } = await play(api, {}, others[api], { origin: "app://obsidian.md" });
    expect(headers.get(ignored)?.split(", ").toSorted()).toEqual(Object.keys(others[api]).toSorted());
    expect(headers.get("access-control-expose-headers")).toContain(ignored);
  });
});

describe.each(apis)("the tools of a %s client", (api) => {
  it("cannot be demanded where they are the provider's own", async () => {
    const answer = await play(api, { tools: [weather] }, { tool_choice: { type: "web_search" } });
    expect(answer).toMatchObject({ status: 400, error: { param: expect.stringMatching(/^tool_choice/) } });
    expect(stage.provider.requests).toEqual([]);
  });

  it("may have one name twice: the first counts", async () => {
    stage.script = () => ({ calls: [inRome] });
    const twice = [weather, { ...weather, description: "Another" }];
    expect(await play(api, { tools: twice })).toMatchObject({ status: 200, calls: [inRome] });
    expect(upstreamTools(await onlyRequest(stage.provider))).toMatchObject([{ description: "Weather now" }]);
  });

  it.each<[string, JsonObject, boolean]>([
    ["a pattern", { type: "string", pattern: "^[A-Z]" }, true],
    ["nothing but words", { description: "Where to look" }, true],
    ["nothing that is lost", { type: "string", description: "Where to look" }, false],
  ])("are told whole in their descriptions where Codex would leave something out: %s", async (_, city, isTold) => {
    const schema = { type: "object", properties: { city }, required: ["city"], additionalProperties: false };
    await play(api, { tools: [{ ...weather, parameters: schema, strict: true }] });
    const [{ description } = { description: "" }] = upstreamTools(await onlyRequest(stage.provider));
    if (isTold) expect(description).toMatch(/^Weather now\n\n/);
    else expect(description).toBe("Weather now");
    expect(String(description).includes(JSON.stringify(schema))).toBe(isTold);
  });
});
