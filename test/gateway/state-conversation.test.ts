import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { RunningServer } from "../../src/http/server.ts";
import { isObject, type JsonObject } from "../../src/turn/index.ts";
import type { Api } from "../support/api.ts";
import { ask, bothBackends, requestFor, startGateway } from "../support/gateway.ts";
import { conversation, type Provider, startProvider } from "../support/provider.ts";

const tools = [{ name: "get_weather", parameters: { type: "object", properties: { city: { type: "string" } } } }];
const weather = { id: "call_1", name: "get_weather", arguments: '{"city":"Rome"}' };

let provider: Provider;
let gateway: RunningServer;
let count = 0;
let name = "";
let remark = "";
beforeAll(async () => {
  provider = await startProvider(({ body }) => {
    const last = conversation(body).at(-1);
    if (last?.kind === "message" && last.text.includes("weather"))
      return { calls: [weather], ...(remark !== "" && { say: remark }) };
    return { say: `Answer ${++count}` };
  });
  gateway = await startGateway(bothBackends(provider));
});
beforeEach(() => {
  count = 0;
  remark = "";
  name = `talk-${Math.random()}`;
});
afterAll(async () => {
  await gateway.close();
  await provider.close();
});

async function send(backend: Api, messages: JsonObject[], more: JsonObject = {}, headers: Record<string, string> = {}) {
  const body = { ...requestFor("chat", { model: `${backend}/m`, tools }), messages, ...more };
  return ask(gateway, "chat", body, { "x-toolwire-conversation": name, ...headers });
}

const user = (content: string): JsonObject => ({ role: "user", content });
const system = (content: string): JsonObject => ({ role: "system", content });

/** The assistant's message in a completion, as a client adds it to its history. */
function messageIn(json: unknown): JsonObject {
  const [choice] = isObject(json) && Array.isArray(json.choices) ? json.choices : [];
  return isObject(choice) && isObject(choice.message) ? choice.message : {};
}

function given(): string[] {
  return conversation(provider.requests.at(-1)?.body ?? {}).map((entry) => {
    if (entry.kind === "message") return entry.text;
    return entry.kind === "call" ? `call ${entry.name}` : `output ${entry.text}`;
  });
}

describe.each(["chat", "responses"] as const)("a conversation by name on a %s backend", (backend) => {
  it("keeps the history of a client that sends only its newest message", async () => {
    await send(backend, [user("One")]);
    await send(backend, [user("Two")], { stream: true });
    await send(backend, [user("Three")]);
    expect(given()).toEqual(["One", "Answer 1", "Two", "Answer 2", "Three"]);
  });

  it("keeps turns with tools: the call, its result, then the answer", async () => {
    const first = await send(backend, [user("The weather?")]);
    await send(backend, [{ role: "tool", tool_call_id: first.calls[0]?.id, content: "21 degrees" }]);
    await send(backend, [user("Thanks")]);
    expect(given()).toEqual(["The weather?", "call get_weather", "output 21 degrees", "Answer 1", "Thanks"]);
  });

  it("takes the newest instructions only", async () => {
    await send(backend, [system("Be brief."), user("One")]);
    await send(backend, [system("Be brief."), user("Two")]);
    expect(given()).toEqual(["Be brief.", "One", "Answer 1", "Two"]);
    await send(backend, [system("Be long."), user("Three")]);
    expect(given()).toEqual(["Be long.", "One", "Answer 1", "Two", "Answer 2", "Three"]);
    await send(backend, [user("Four")]);
    expect(given()).toEqual(["Be long.", "One", "Answer 1", "Two", "Answer 2", "Three", "Answer 3", "Four"]);
    await send(backend, [system("Be brief."), user("Five")]);
    await send(backend, [user("Six")]);
    expect(given().slice(0, 2)).toEqual(["Be brief.", "One"]);
    expect(given()).toHaveLength(12);
  });

  it("is not doubled by a client that sends the whole history", async () => {
    const history = [user("One")];
    for (const next of ["Two", "Three"]) {
      const { text } = await send(backend, history);
      history.push({ role: "assistant", content: text }, user(next));
    }
    await send(backend, history);
    expect(given()).toEqual(["One", "Answer 1", "Two", "Answer 2", "Three"]);
  });

  it.each([
    ["the call and its result", 1],
    ["the whole turn", 0],
  ])("is not doubled by a client that sends %s", async (_, from) => {
    const question = user("The weather?");
    const { json } = await send(backend, [question]);
    const turn = [question, messageIn(json)].slice(from);
    await send(backend, [...turn, { role: "tool", tool_call_id: "call_1", content: "21 degrees" }]);
    expect(given()).toEqual(["The weather?", "call get_weather", "output 21 degrees"]);
    await send(backend, [user("Thanks")]);
    expect(given()).toEqual(["The weather?", "call get_weather", "output 21 degrees", "Answer 1", "Thanks"]);
  });

  it("is not doubled by a client that sends its last messages, or trims them", async () => {
    for (const next of ["One", "Two", "Three"]) await send(backend, [user(next)]);
    await send(backend, [user("Three"), { role: "assistant", content: "Answer 3\n" }, user("Four")]);
    await send(backend, [user("Five")]);
    const all = ["One", "Answer 1", "Two", "Answer 2", "Three", "Answer 3", "Four", "Answer 4", "Five"];
    expect(given()).toEqual(all);
  });

  it("is not doubled by a client that sends an image again", async () => {
    const image = { url: `data:image/png;base64,${"QUJD".repeat(1_000)}`, detail: "low" };
    const shown = {
      role: "user",
      content: [
        { type: "text", text: "Look" },
        { type: "image_url", image_url: image },
      ],
    };
    const { text } = await send(backend, [shown]);
    await send(backend, [shown, { role: "assistant", content: text }, user("Two")]);
    expect(JSON.stringify(provider.requests.at(-1)?.body).split(image.url)).toHaveLength(2);
    await send(backend, [user("Three")]);
    expect(JSON.stringify(provider.requests.at(-1)?.body).split(image.url)).toHaveLength(2);
  });

  it("is not doubled by a client that drops the text before a call", async () => {
    remark = "Let me see.";
    const question = user("The weather?");
    const { json } = await send(backend, [question]);
    await send(backend, [
      question,
      { ...messageIn(json), content: null },
      { role: "tool", tool_call_id: "call_1", content: "21 degrees" },
    ]);
    expect(given()).toEqual(["The weather?", "Let me see.", "call get_weather", "output 21 degrees"]);
  });

  const answered = (content: string): JsonObject => ({ role: "assistant", content });
  it.each([
    ["the first message", [user("One, changed"), answered("Answer 1"), user("Two")]],
    ["an answer", [user("One"), answered("Changed"), user("Two")]],
    ["everything", [user("Uno"), answered("Changed"), user("Two")]],
    ["that there was an answer", [user("One"), user("Two")]],
  ])("goes on from what a client sends that has changed %s", async (_, changed) => {
    await send(backend, [user("One")]);
    await send(backend, changed);
    const sent = changed.map(({ content }) => String(content));
    expect(given()).toEqual(sent);
    await send(backend, [user("Three")]);
    expect(given()).toEqual([...sent, "Answer 2", "Three"]);
    await send(backend, [...changed, answered("Answer 2"), user("Three"), answered("Answer 3"), user("Four")]);
    expect(given()).toEqual([...sent, "Answer 2", "Three", "Answer 3", "Four"]);
  });

  it("goes on from other outputs of calls, if a client changes them", async () => {
    const question = user("The weather?");
    const { json } = await send(backend, [question]);
    const output = (content: string): JsonObject => ({ role: "tool", tool_call_id: "call_1", content });
    await send(backend, [output("a very long text")]);
    await send(backend, [question, messageIn(json), output("[shortened]"), answered("Answer 1"), user("Thanks")]);
    expect(given()).toEqual(["The weather?", "call get_weather", "output [shortened]", "Answer 1", "Thanks"]);
  });

  it("gives the model the history as a client has changed it", async () => {
    await send(backend, [user("One")]);
    await send(backend, [user("Two")]);
    const start = [user("One"), { role: "assistant", content: "Answer 1" }];
    await send(backend, [...start, user("Two, changed")]);
    expect(given()).toEqual(["One", "Answer 1", "Two, changed"]);
    await send(backend, [...start, user("Two, changed"), { role: "assistant", content: "Answer 3" }, user("Three")]);
    expect(given()).toEqual(["One", "Answer 1", "Two, changed", "Answer 3", "Three"]);
  });

  it("takes the results of legacy calls, with the call or alone", async () => {
    const legacy = { tools: undefined, functions: tools };
    const result = { role: "function", name: "get_weather", content: "21 degrees" };
    const first = await send(backend, [user("The weather?")], legacy);
    await send(backend, [result], legacy);
    expect(given()).toEqual(["The weather?", "call get_weather", "output 21 degrees"]);
    await send(backend, [user("And the weather now?")], legacy);
    await send(backend, [messageIn(first.json), result], legacy);
    expect(given().slice(-3)).toEqual(["And the weather now?", "call get_weather", "output 21 degrees"]);
    await send(backend, [user("The weather?")], legacy);
    const unknown = await send(backend, [{ ...result, name: "get_time" }], legacy);
    expect(unknown.status).toBe(400);
    expect(unknown.json).toMatchObject({ error: { param: "messages[0].name" } });
  });

  it("keeps the metadata of a turn", async () => {
    const { json } = await send(backend, [user("One")], { metadata: { topic: "greeting" } });
    const kept = await fetch(`${gateway.url}/v1/chat/completions/${isObject(json) ? json.id : ""}`);
    expect(await kept.json()).toMatchObject({ metadata: { topic: "greeting" } });
    expect((await send(backend, [user("One")], { metadata: { topic: 1 } })).status).toBe(400);
  });

  it("keeps a repeated message once", async () => {
    await send(backend, [user("One")]);
    await send(backend, [user("Two")]);
    await send(backend, [user("Two")]);
    await send(backend, [user("Three")]);
    expect(given()).toEqual(["One", "Answer 1", "Two", "Answer 3", "Three"]);
  });

  it("keeps a request once that is repeated with its idempotency key", async () => {
    const key = { "idempotency-key": "k1" };
    await send(backend, [user("One")], {}, key);
    await send(backend, [user("One, in other words")], {}, key);
    await send(backend, [user("Two")]);
    expect(given()).toEqual(["One, in other words", "Answer 2", "Two"]);
  });

  it("keeps nothing of a request that says store: false", async () => {
    await send(backend, [user("One")]);
    await send(backend, [user("Aside")], { store: false });
    expect(given()).toEqual(["One", "Answer 1", "Aside"]);
    await send(backend, [user("Two")]);
    expect(given()).toEqual(["One", "Answer 1", "Two"]);
  });
});

it("the messages of a completion are read page by page", async () => {
  await send("chat", [system("Be brief."), user("The weather?")]);
  await send("chat", [{ role: "tool", tool_call_id: "call_1", content: "21 degrees" }]);
  const { json } = await send("chat", [user("Thanks")]);
  const path = `${gateway.url}/v1/chat/completions/${isObject(json) ? json.id : ""}/messages`;
  const roles: string[] = [];
  for (let after = "", isLast = false; !isLast; ) {
    const list = await fetch(`${path}?limit=1&after=${after}`);
    const page = (await list.json()) as { data: { role: string }[]; has_more: boolean; last_id: string };
    for (const { role } of page.data) roles.push(role);
    after = page.last_id;
    isLast = !page.has_more;
  }
  expect(roles).toEqual(["system", "user", "assistant", "tool", "assistant", "user"]);
});

it("a request of the Responses API is kept once if it is repeated with its idempotency key", async () => {
  const headers = { "x-toolwire-conversation": name, "idempotency-key": "k1" };
  const body = requestFor("responses", { model: "chat/m", prompt: "One" });
  await ask(gateway, "responses", body, headers);
  await ask(gateway, "responses", body, headers);
  await send("chat", [user("Two")]);
  expect(given()).toEqual(["One", "Answer 2", "Two"]);
});

it("an answer says that it is not stored if an earlier request had its idempotency key", async () => {
  const talk = { "x-toolwire-conversation": name };
  const say = (prompt: string, headers: Record<string, string>) =>
    ask(gateway, "responses", requestFor("responses", { model: "chat/m", prompt }), { ...talk, ...headers });
  await say("One", { "idempotency-key": "k1" });
  await say("Two", { "idempotency-key": "k2" });
  const late = await say("One", { "idempotency-key": "k1" });
  expect(late).toMatchObject({ status: 200, json: { store: false } });
  expect(late.headers.get("x-toolwire-store")).toBeNull();
  await say("Three", {});
  expect(given()).toEqual(["One", "Answer 1", "Two", "Answer 2", "Three"]);
});

it("a request without the header is kept in no conversation", async () => {
  await send("chat", [user("One")]);
  await ask(gateway, "chat", requestFor("chat", { model: "chat/m", prompt: "Alone" }));
  expect(given()).toEqual(["Alone"]);
});
