import { afterEach, describe, expect, it } from "vitest";
import type { RunningServer } from "../../src/http/server.ts";
import { isObject, type JsonObject } from "../../src/turn/index.ts";
import { ask, startGateway } from "../support/gateway.ts";
import { type Provider, type Script, startProvider } from "../support/provider.ts";

let provider: Provider;
let gateway: RunningServer;
afterEach(async () => {
  await gateway.close();
  await provider.close();
});

async function start(script: Script, settings: JsonObject = {}): Promise<void> {
  provider = await startProvider(script);
  gateway = await startGateway({ backends: { up: { kind: "chat", base_url: provider.url, retries: 1, ...settings } } });
}

const messagesOf = (body: JsonObject): JsonObject[] =>
  Array.isArray(body.messages) ? body.messages.filter(isObject) : [];
const roles = (body: JsonObject) => messagesOf(body).map(({ role }) => role);

/** As the templates of many open models: one system message, at the beginning, and nobody twice in a row. */
const strict =
  (status: number, message: string, isFine: (roles: JsonObject[string][]) => boolean): Script =>
  ({ body }) =>
    isFine(roles(body)) ? { say: "Fine." } : { status, body: { error: { message, code: status } } };

const isInTurn = (said: JsonObject[string][]) =>
  said.every((role, at) => (role === "system" ? at === 0 : role === "tool" || role !== said[at - 1]));

/** What Codex sends: instructions, rules, surroundings, the question; a tool that was used; and, later, another rule. */
const input = [
  { role: "developer", content: "You are an agent." },
  { role: "developer", content: "You may write." },
  { role: "user", content: "The folder is empty." },
  {
    role: "user",
    content: [
      { type: "input_text", text: "What is this?" },
      { type: "input_image", image_url: "data:image/png;base64,AA==" },
    ],
  },
  { type: "function_call", call_id: "c1", name: "look", arguments: "{}" },
  { type: "function_call", call_id: "c2", name: "look", arguments: "{}" },
  { type: "function_call_output", call_id: "c1", output: "a" },
  { type: "function_call_output", call_id: "c2", output: "b" },
  { role: "assistant", content: "Two." },
  { role: "assistant", content: "Letters." },
  { role: "developer", content: "Be brief." },
  { role: "user", content: "And?" },
];
const question = { model: "up/m", instructions: "Help.", input };

describe("a model whose template wants its messages in turn", () => {
  it.each([
    ["Conversation roles must alternate user/assistant/user/assistant/...", 400],
    ["After the optional system message, conversation roles must alternate user and assistant roles", 400],
    ["Error: Jinja Exception: System message must be at the beginning.", 500],
    ["Unexpected role 'system' after role 'user'", 400],
  ])("has them so once it says: %s", async (message, status) => {
    await start(strict(status, message, isInTurn));
    const answer = await ask(gateway, "responses", question);
    expect(answer).toMatchObject({ status: 200, text: "Fine." });
    const [refused, taken] = provider.requests.map(({ body }) => body);
    expect(roles(refused ?? {})).toHaveLength(10);
    expect(messagesOf(taken ?? {})).toMatchObject([
      { role: "system", content: "Help.\n\nYou are an agent.\n\nYou may write." },
      {
        role: "user",
        content: [{ text: "The folder is empty." }, { text: "What is this?" }, { type: "image_url" }],
      },
      { role: "assistant", tool_calls: [{ id: "c1" }, { id: "c2" }] },
      { role: "tool", tool_call_id: "c1" },
      { role: "tool", tool_call_id: "c2" },
      { role: "assistant", content: "Two.\n\nLetters." },
      { role: "user", content: "Be brief.\n\nAnd?" },
    ]);
  });

  it("has them so from then on, and others have them as they came", async () => {
    await start((request) =>
      request.model === "m" ? strict(400, "roles must alternate", isInTurn)(request) : { say: "Any." },
    );
    for (const _ of [1, 2]) expect((await ask(gateway, "responses", question)).text).toBe("Fine.");
    expect(provider.requests).toHaveLength(3);
    await ask(gateway, "responses", { ...question, model: "up/other" });
    expect(roles(provider.requests.at(-1)?.body ?? {})).toHaveLength(10);
  });

  it("has no system message where it knows none", async () => {
    const isFine = (said: JsonObject[string][]) => isInTurn(said) && !said.includes("system");
    await start(strict(400, "System role not supported", isFine));
    const messages = [
      { role: "system", content: "Be kind." },
      { role: "user", content: "Hi" },
    ];
    const answer = await ask(gateway, "chat", { model: "up/m", messages, stream: true });
    expect(answer.text).toBe("Fine.");
    expect(messagesOf(provider.requests.at(-1)?.body ?? {})).toEqual([{ role: "user", content: "Be kind.\n\nHi" }]);
  });

  it("is asked again so also where nothing else is tried twice", async () => {
    await start(strict(400, "roles must alternate", isInTurn), { retries: 0 });
    expect((await ask(gateway, "responses", question)).text).toBe("Fine.");
  });

  it("is not believed where it only quotes the request, or has begun to answer", async () => {
    const said = "System role not supported";
    const messages = [
      { role: "system", content: "Secret rules." },
      { role: "user", content: "Hi" },
    ];
    const chunk = { choices: [{ index: 0, delta: { content: "Well" } }] };
    await start(({ body, count }) => {
      if (body.service_tier) return { status: 400, body: { error: { message: `Invalid value: '${said}'.` } } };
      return count === 2 ? { chunks: [chunk, { error: { message: said } }] } : { say: "Fine." };
    });
    expect((await ask(gateway, "chat", { model: "up/m", messages, service_tier: said })).status).toBe(400);
    await ask(gateway, "chat", { model: "up/m", messages, stream: true });
    await ask(gateway, "chat", { model: "up/m", messages });
    expect(roles(provider.requests.at(-1)?.body ?? {})).toEqual(["system", "user"]);
  });

  it("has its messages as they came again where the other order did not help", async () => {
    await start(({ count }) =>
      count <= 2 ? { status: 400, body: { error: { message: "roles must alternate" } } } : { say: "Any." },
    );
    expect((await ask(gateway, "responses", question)).status).toBe(400);
    expect((await ask(gateway, "responses", question)).text).toBe("Any.");
    const [first, , third] = provider.requests.map(({ body }) => roles(body));
    expect(third).toEqual(first);
  });

  it("loses nothing of what was said", async () => {
    await start(strict(400, "roles must alternate", isInTurn));
    const messages = [
      { role: "user", name: "bob", content: "Same." },
      { role: "user", name: "amy", content: "Same." },
      { role: "assistant", content: "One", reasoning_content: "r1", refusal: "no1" },
      { role: "assistant", content: "Two", reasoning_content: "r2", refusal: "no2" },
      { role: "user", content: "" },
      { role: "user", content: "" },
    ];
    await ask(gateway, "chat", { model: "up/m", messages });
    expect(messagesOf(provider.requests.at(-1)?.body ?? {})).toEqual([
      { role: "user", content: "Same.\n\nSame." },
      { role: "assistant", content: "One\n\nTwo", reasoning_content: "r1\n\nr2", refusal: "no1\n\nno2" },
      { role: "user", content: "" },
    ]);
  });

  it("that says the same again is not asked for ever", async () => {
    await start(() => ({ status: 400, body: { error: { message: "roles must alternate" } } }), { retries: 5 });
    expect((await ask(gateway, "responses", question)).status).toBe(400);
    expect(provider.requests).toHaveLength(2);
  });
});
