import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningServer } from "../../src/http/server.ts";
import { isObject, type JsonObject, newId } from "../../src/turn/index.ts";
import type { Api } from "../support/api.ts";
import { type Answer, ask, bothBackends, requestFor, startGateway } from "../support/gateway.ts";
import { conversation, type Provider, startProvider } from "../support/provider.ts";

const backends: Api[] = ["chat", "responses"];
const tools = [{ name: "get_weather", parameters: { type: "object", properties: { city: { type: "string" } } } }];
const weather = { id: "call_1", name: "get_weather", arguments: '{"city":"Rome"}' };

let provider: Provider;
let gateway: RunningServer;
beforeAll(async () => {
  provider = await startProvider(({ body }) => {
    const said = JSON.stringify(body);
    if (said.includes("21 degrees")) return { say: "It is warm." };
    if (said.includes("weather")) return { think: "I need the weather.", say: "Let me look.", calls: [weather] };
    return { say: `Answer ${provider.requests.length}` };
  });
  gateway = await startGateway({ ...bothBackends(provider), keys: ["ann-key", "bob-key"] });
});
afterAll(async () => {
  await gateway.close();
  await provider.close();
});

const ann = { authorization: "Bearer ann-key" };
const bob = { authorization: "Bearer bob-key" };

function idOf({ json }: Answer): string {
  return isObject(json) ? String(json.id) : "";
}

/** What the model was given last. */
function given(): string[] {
  return conversation(provider.requests.at(-1)?.body ?? {}).map((entry) => {
    if (entry.kind === "message") return entry.text;
    return entry.kind === "call" ? `call ${entry.name}` : `output ${entry.text}`;
  });
}

async function say(
  backend: Api,
  prompt: string,
  more: JsonObject = {},
  headers: Record<string, string> = ann,
): Promise<Answer> {
  return ask(gateway, "responses", requestFor("responses", { model: `${backend}/m`, prompt, more }), headers);
}

describe.each(backends)("previous_response_id on a %s backend", (backend) => {
  it("gives the model the earlier input and output, then the new input", async () => {
    const first = await say(backend, "One");
    const second = await say(backend, "Two", { previous_response_id: idOf(first) });
    expect(given()).toEqual(["One", first.text, "Two"]);
    await say(backend, "Three", { previous_response_id: idOf(second) });
    expect(given()).toEqual(["One", first.text, "Two", second.text, "Three"]);
    expect(provider.requests.at(-1)?.body.previous_response_id).toBeUndefined();
  });

  it("can be continued twice from the same response", async () => {
    const first = await say(backend, "Root");
    const [left, right] = await Promise.all([
      say(backend, "Left", { previous_response_id: idOf(first) }),
      say(backend, "Right", { previous_response_id: idOf(first) }),
    ]);
    await say(backend, "On", { previous_response_id: idOf(left) });
    expect(given()).toEqual(["Root", first.text, "Left", left.text, "On"]);
    await say(backend, "On", { previous_response_id: idOf(right) });
    expect(given()).toEqual(["Root", first.text, "Right", right.text, "On"]);
  });

  it("does not inherit instructions", async () => {
    const first = await say(backend, "One", { instructions: "Be brief." });
    await say(backend, "Two", { previous_response_id: idOf(first) });
    expect(JSON.stringify(provider.requests.at(-1)?.body)).not.toContain("Be brief.");
  });

  it.each([true, false])("takes the result of a call alone (stream: %s)", async (stream) => {
    const body = requestFor("responses", { model: `${backend}/m`, prompt: "The weather?", tools, stream });
    const first = await ask(gateway, "responses", body, ann);
    const [call] = first.calls;
    const input = [{ type: "function_call_output", call_id: call?.id, output: "21 degrees" }];
    const second = await ask(gateway, "responses", { ...body, input, previous_response_id: idOf(first) }, ann);
    expect(second.text).toBe("It is warm.");
    expect(given()).toEqual(["The weather?", "Let me look.", "call get_weather", "output 21 degrees"]);
  });

  it("needs a response of the same key", async () => {
    const first = await say(backend, "Secret");
    const others = await say(backend, "Tell", { previous_response_id: idOf(first) }, bob);
    const unknown = await say(backend, "Tell", { previous_response_id: newId("resp") }, bob);
    for (const answer of [others, unknown]) {
      expect(answer.status).toBe(400);
      expect(answer.json).toMatchObject({
        error: { code: "previous_response_not_found", param: "previous_response_id" },
      });
    }
  });

  it("does not find a response that was not to be stored", async () => {
    const first = await say(backend, "One", { store: false });
    expect(first.json).toMatchObject({ store: false });
    expect((await say(backend, "Two", { previous_response_id: idOf(first) })).status).toBe(400);
  });

  it("says that the response is stored", async () => {
    expect((await say(backend, "One")).json).toMatchObject({ store: true });
    expect((await say(backend, "One", { stream: true })).json).toMatchObject({ store: true });
  });

  it("takes references to earlier items in place of the items", async () => {
    const body = requestFor("responses", { model: `${backend}/m`, prompt: "The weather?", tools });
    const first = await ask(gateway, "responses", body, ann);
    const references = first.items.map(({ id }) => ({ type: "item_reference", id }));
    const output = { type: "function_call_output", call_id: first.calls[0]?.id, output: "21 degrees" };
    const input = [{ role: "user", content: "The weather?" }, ...references, output];
    expect((await ask(gateway, "responses", { ...body, input }, ann)).text).toBe("It is warm.");
    expect(given()).toEqual(["The weather?", "Let me look.", "call get_weather", "output 21 degrees"]);
    // The history of the previous response has the items already.
    const repeated = { ...body, input: [...references, output], previous_response_id: idOf(first) };
    expect((await ask(gateway, "responses", repeated, ann)).text).toBe("It is warm.");
    expect(given()).toEqual(["The weather?", "Let me look.", "call get_weather", "output 21 degrees"]);
  });
});

it("a response and a conversation by name cannot be continued at once", async () => {
  const first = await say("chat", "One");
  const headers = { ...ann, "x-toolwire-conversation": "notes" };
  const answer = await say("chat", "Two", { previous_response_id: idOf(first) }, headers);
  expect(answer.status).toBe(400);
  expect(answer.json).toMatchObject({ error: { param: "previous_response_id" } });
});

it("a response of one backend is continued on the other", async () => {
  const first = await say("chat", "One");
  const second = await say("responses", "Two", { previous_response_id: idOf(first) });
  await say("chat", "Three", { previous_response_id: idOf(second) });
  expect(given()).toEqual(["One", first.text, "Two", second.text, "Three"]);
});

it("an item of the input can be referred to by the id that its list has", async () => {
  const first = await say("chat", "Remember me");
  const list = await fetch(`${gateway.url}/v1/responses/${idOf(first)}/input_items`, { headers: ann });
  const { data } = (await list.json()) as { data: { id: string }[] };
  const input = [{ type: "item_reference", id: data[0]?.id }];
  expect((await ask(gateway, "responses", { model: "chat/m", input }, ann)).status).toBe(200);
  expect(given()).toEqual(["Remember me"]);
  expect((await ask(gateway, "responses", { model: "chat/m", input }, bob)).status).toBe(400);
});

it.each(backends)("an item of the input that the history has is not repeated on a %s backend", async (backend) => {
  const named = { type: "message", id: "msg_of_mine", role: "user", content: "Remember me" };
  const request = { model: `${backend}/m`, input: [named, { role: "user", content: "And me" }] };
  const first = await ask(gateway, "responses", request, ann);
  const list = await fetch(`${gateway.url}/v1/responses/${idOf(first)}/input_items`, { headers: ann });
  const { data } = (await list.json()) as { data: { id: string }[] };
  const input = data.map(({ id }) => ({ type: "item_reference", id }));
  const second = {
    ...request,
    input: [...input, { role: "user", content: "Again" }],
    previous_response_id: idOf(first),
  };
  expect((await ask(gateway, "responses", second, ann)).status).toBe(200);
  expect(given()).toEqual(["Remember me", "And me", first.text, "Again"]);
});

it("a reference that the history has already goes to its provider once", async () => {
  const input = [{ type: "item_reference", id: "msg_theirs" }];
  const there = { model: "responses/m", input, previous_response_id: "resp_theirs" };
  const first = await ask(gateway, "responses", there, ann);
  await ask(gateway, "responses", { ...there, previous_response_id: idOf(first) }, ann);
  const sent = JSON.stringify(provider.requests.at(-1)?.body);
  expect(sent.split("msg_theirs")).toHaveLength(2);
});

it("the input of a long chain is read page by page, in either order", async () => {
  let last = "";
  for (const text of ["One", "Two", "Three"])
    last = idOf(await say("chat", text, last ? { previous_response_id: last } : {}));
  const path = `${gateway.url}/v1/responses/${last}/input_items`;
  const read = async (query: string) => {
    const list = await fetch(`${path}?${query}`, { headers: ann });
    return (await list.json()) as { data: { id: string }[]; has_more: boolean; last_id: string };
  };
  const all = (await read("order=asc")).data.map(({ id }) => id);
  expect(all).toHaveLength(5);
  for (const order of ["asc", "desc"]) {
    const seen: string[] = [];
    for (let after = "", isLast = false; !isLast; after = seen.at(-1) ?? "") {
      const page = await read(`limit=2&order=${order}&after=${after}`);
      for (const { id } of page.data) seen.push(id);
      isLast = !page.has_more;
    }
    expect(seen).toEqual(order === "asc" ? all : all.toReversed());
  }
  expect((await read(`order=asc&limit=1&before=${all[2]}`)).data).toMatchObject([{ id: all[1] }]);
  expect((await fetch(`${path}?after=msg_unknown`, { headers: ann })).status).toBe(400);
});

it.each(backends)("an item that is unknown, or another key's, is refused on a %s backend", async (backend) => {
  const [item] = (await say(backend, "A secret")).items;
  const asked = provider.requests.length;
  for (const id of ["msg_unknown", item?.id]) {
    const input = [{ type: "item_reference", id }];
    const answer = await ask(gateway, "responses", { model: `${backend}/m`, input }, bob);
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({ error: { code: "item_not_found", param: "input[0]" } });
  }
  expect(provider.requests).toHaveLength(asked);
});

describe("a response that only its provider has", () => {
  it("is continued there, and the answer is continued from both", async () => {
    const first = await say("responses", "One", { previous_response_id: "resp_theirs" });
    expect(provider.requests.at(-1)?.body).toMatchObject({ previous_response_id: "resp_theirs" });
    await say("responses", "Two", { previous_response_id: idOf(first) });
    expect(provider.requests.at(-1)?.body).toMatchObject({ previous_response_id: "resp_theirs" });
    expect(given()).toEqual(["One", first.text, "Two"]);
  });

  it("may have items to which the client refers, and which no other request finds", async () => {
    const input = [{ type: "item_reference", id: "msg_theirs" }];
    const there = { model: "responses/m", input, previous_response_id: "resp_theirs" };
    expect((await ask(gateway, "responses", there, ann)).status).toBe(200);
    expect(provider.requests.at(-1)?.body).toMatchObject({ input });
    const alone = await ask(gateway, "responses", { model: "responses/m", input }, ann);
    expect(alone.json).toMatchObject({ error: { code: "item_not_found" } });
  });

  it("cannot be continued elsewhere", async () => {
    expect((await say("chat", "One", { previous_response_id: "resp_theirs" })).status).toBe(400);
    const first = await say("responses", "One", { previous_response_id: "resp_theirs" });
    expect((await say("chat", "Two", { previous_response_id: idOf(first) })).status).toBe(400);
  });
});
