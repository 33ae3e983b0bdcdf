import { beforeEach, describe, expect, it } from "vitest";
import { isObject, type JsonObject, parseJson } from "../../src/turn/index.ts";
import type { Api } from "../support/api.ts";
import { objectsOf } from "../support/folded.ts";
import { ask, followUp, requestFor, type TurnWish } from "../support/gateway.ts";
import { conversation, itemsReply, type Reply } from "../support/provider.ts";
import { codexStage } from "./support/codex-stage.ts";
import { forms, parameters } from "./support/codex-trip.ts";
import { onlyRequest, upstreamItems, upstreamMessages } from "./support/codex-upstream.ts";

const png =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const apis = ["chat", "responses"] as const;
const weather = { name: "get_weather", description: "Weather now", parameters };

let reply: Reply = { say: "Fine." };
const stage = codexStage(() => reply);
beforeEach(() => {
  reply = { say: "Fine." };
});

/** Asks, and gives what came back and what Codex asked. */
async function play(api: Api, wish: Partial<TurnWish>, more: JsonObject = {}) {
  const answer = await ask(stage.gateway, api, { ...requestFor(api, { model: "codex", ...wish }), ...more });
  return { answer, body: stage.provider.requests[0]?.body ?? {} };
}

/** A person's message with an image, as each API writes it. */
function pictured(api: Api, url: string, detail?: string): JsonObject {
  const more = detail === undefined ? {} : { detail };
  const parts =
    api === "chat"
      ? [
          { type: "text", text: "What is this?" },
          { type: "image_url", image_url: { url, ...more } },
        ]
      : [
          { type: "input_text", text: "What is this?" },
          { type: "input_image", image_url: url, ...more },
        ];
  return { [api === "chat" ? "messages" : "input"]: [{ role: "user", content: parts }] };
}

describe.each(apis)("an image of a %s client before Codex", (api) => {
  it.each([undefined, "auto", "low", "high"])("reaches the model (detail: %s)", async (detail) => {
    const { answer, body } = await play(api, {}, pictured(api, png, detail));
    expect(answer.text).toBe("Fine.");
    const images = conversation(body).flatMap((entry) => (entry.kind === "message" ? entry.images : []));
    expect(images).toEqual([png]);
    expect(upstreamMessages(body)).toEqual([["user", "What is this?"]]);
  });

  it("cannot be an address, which the error says, with what to send instead", async () => {
    const { answer } = await play(api, {}, pictured(api, "https://example.com/picture.png"));
    expect(answer).toMatchObject({ status: 400, error: { type: "invalid_request_error" } });
    expect(answer.error?.message).toMatch(/data:/);
    expect(answer.error?.param).toBe(api === "chat" ? "messages" : "input");
    expect(stage.provider.requests).toEqual([]);
  });
});

describe("an image in a tool's output", () => {
  it("reaches the model", async () => {
    const call = { type: "function_call", call_id: "call_1", name: "get_weather", arguments: '{"city":"Rome"}' };
    const output = [
      { type: "input_text", text: "The map:" },
      { type: "input_image", image_url: png },
    ];
    const after = [call, { type: "function_call_output", call_id: "call_1", output }];
    const { answer, body } = await play("responses", { tools: [weather], after });
    expect(answer.text).toBe("Fine.");
    expect(JSON.stringify(body)).toContain(png);
    expect(JSON.stringify(body)).toContain("The map:");
  });
});

describe.each(forms)("reasoning (%s, %s)", (api, _form, stream) => {
  it("is told as the API tells it", async () => {
    reply = { think: "Two cities, two calls.", say: "Let me look.", chunk: 4 };
    const { answer } = await play(api, { stream, model: "codex/gpt-5.5" });
    expect(answer).toMatchObject({ reasoning: "Two cities, two calls.", text: "Let me look.", ended: "completed" });
    if (api === "chat") expect(answer.raw).toContain('"reasoning_content"');
    else expect(answer.items.map(({ type }) => type)).toEqual(["reasoning", "message"]);
  });
});

describe("reasoning that only its maker can read", () => {
  it("comes to the client and goes back to the model", async () => {
    const thought = {
      ...{ id: "rs_1", type: "reasoning", encrypted_content: "U0VDUkVU" },
      summary: [{ type: "summary_text", text: "Look it up." }],
    };
    const call = { id: "fc_1", type: "function_call", call_id: "call_1", name: "get_weather", arguments: "{}" };
    reply = itemsReply([thought, call]);
    const wish = { model: "codex/gpt-5.5", tools: [weather], stream: true };
    const more = { include: ["reasoning.encrypted_content"], store: false };
    const first = await play("responses", wish, more);
    expect(first.answer.items).toMatchObject([
      { type: "reasoning", encrypted_content: "U0VDUkVU" },
      { type: "function_call", call_id: "call_1" },
    ]);
    stage.provider.requests.length = 0;
    reply = { say: "Fine." };
    const { body } = await play("responses", { ...wish, after: followUp("responses", first.answer, ["21"]) }, more);
    expect(upstreamItems(body, "reasoning")).toMatchObject([{ encrypted_content: "U0VDUkVU" }]);
    expect(upstreamItems(body, "function_call_output")).toMatchObject([{ call_id: "call_1", output: "21" }]);
  });
});

describe.each(apis)("what a %s request sets", (api) => {
  it("is the form of the answer", async () => {
    const schema = {
      type: "object",
      properties: { answer: { type: "string" } },
      required: ["answer"],
      additionalProperties: false,
    };
    const named = { name: "report", schema, strict: true };
    const more =
      api === "chat"
        ? { response_format: { type: "json_schema", json_schema: named } }
        : { text: { format: { type: "json_schema", ...named } } };
    reply = { say: '{"answer":"yes"}' };
    const { answer, body } = await play(api, {}, more);
    expect(parseJson(answer.text)).toEqual({ answer: "yes" });
    expect(isObject(body.text) && body.text.format).toMatchObject({ type: "json_schema", strict: true, schema });
  });

  it.each(["low", "high"])("is how hard the model thinks: %s", async (effort) => {
    const more = api === "chat" ? { reasoning_effort: effort } : { reasoning: { effort, summary: "detailed" } };
    const { body } = await play(api, { model: "codex/gpt-5.5" }, more);
    expect(body.reasoning).toMatchObject({ effort, ...(api === "responses" && { summary: "detailed" }) });
  });

  it("is not all that Codex can pass on; the rest is accepted and named in a header", async () => {
    const more: JsonObject =
      api === "chat"
        ? { temperature: 0.2, top_p: 0.9, max_completion_tokens: 500, stop: ["END"], seed: 7 }
        : { temperature: 0.2, top_p: 0.9, max_output_tokens: 500 };
    const { answer, body } = await play(api, {}, more);
    expect(answer).toMatchObject({ status: 200, text: "Fine.", ended: "completed" });
    const told = answer.headers.get("x-toolwire-ignored-parameters")?.split(/,\s*/).sort();
    expect(told).toEqual(Object.keys(more).sort());
    for (const name of Object.keys(more)) expect(body).not.toHaveProperty(name);
  });

  it("is named in the header of a stream too, and only where it was sent", async () => {
    const { answer } = await play(api, { stream: true }, { temperature: 1.5 });
    expect(answer.headers.get("x-toolwire-ignored-parameters")).toBe("temperature");
    const plain = await play(api, { stream: true });
    expect(plain.answer.headers.get("x-toolwire-ignored-parameters")).toBeNull();
  });
});

describe("what a conversation says", () => {
  it("reaches the model from everybody, in order; the system's words are the developer's", async () => {
    const messages = [
      { role: "system", content: "You are a pirate." },
      { role: "user", content: "Hello." },
      { role: "assistant", content: "Ahoy." },
      { role: "developer", content: "Be brief." },
      { role: "system", content: "Be kind." },
      { role: "user", content: "Bye." },
    ];
    const spoken = messages.map(({ role, content }) => [role === "system" ? "developer" : role, content]);
    for (const api of apis) {
      stage.provider.requests.length = 0;
      await play(api, {}, { [api === "chat" ? "messages" : "input"]: messages });
      expect(upstreamMessages(await onlyRequest(stage.provider))).toEqual(spoken);
    }
  });

  it("is led by the instructions", async () => {
    const { body } = await play("responses", { prompt: "Hello." }, { instructions: "You are a pirate." });
    expect(upstreamMessages(body)).toEqual([
      ["developer", "You are a pirate."],
      ["user", "Hello."],
    ]);
  });
});

describe("the list of models", () => {
  it("has the home's own and those that Codex knows", async () => {
    const list = parseJson(await (await fetch(`${stage.gateway.url}/v1/models`)).text());
    const ids = objectsOf(isObject(list) ? list.data : undefined).map(({ id }) => id);
    expect(ids).toContain("codex");
    expect(ids).toContain("codex/gpt-5.5");
    expect(ids).toContain("codex/gpt-6.1-sol");
    const slugs = objectsOf(isObject(list) ? list.models : undefined).map(({ slug }) => slug);
    expect(slugs).toEqual(ids);
  });
});
