import { afterEach, describe, expect, it } from "vitest";
import type { RunningServer } from "../../src/http/server.ts";
import { isObject, type JsonObject } from "../../src/turn/index.ts";
import type { Api } from "../support/api.ts";
import { type Answer, ask, bothBackends, followUp, requestFor, startGateway } from "../support/gateway.ts";
import {
  conversation,
  itemsReply,
  type Provider,
  type Reply,
  type Script,
  startProvider,
} from "../support/provider.ts";

let provider: Provider;
let gateway: RunningServer;
afterEach(async () => {
  await gateway.close();
  await provider.close();
});

async function start(script: Script, config: JsonObject = {}): Promise<void> {
  provider = await startProvider(script);
  gateway = await startGateway({ ...bothBackends(provider, { retries: 1 }), ...config });
}

const tools = [{ name: "f" }];
const wish = { model: "chat/deep", tools };
const thought = "The user wants the weather; f knows it.";

/** As the thinking modes of some models do: it refuses a tool turn of its own that lost its reasoning. */
const insisting: Script = ({ body }) => {
  const calls = messagesOf(body).filter((message) => Array.isArray(message.tool_calls));
  if (calls.length === 0) return { think: thought, calls: [{ name: "f", arguments: '{"a": 1}' }] };
  if (calls.every((message) => message.reasoning_content === thought)) return { say: "Sunny." };
  return { status: 400, body: { error: { message: "The reasoning_content must be passed back to the API." } } };
};

function messagesOf(body: JsonObject | undefined): JsonObject[] {
  return Array.isArray(body?.messages) ? body.messages.filter(isObject) : [];
}

/** What the client sends back, without what it did not care to keep. */
function forgetful(api: Api, turn: Answer): JsonObject[] {
  const kept = followUp(
    api,
    turn,
    turn.calls.map(() => "sunny"),
  );
  return kept
    .filter(({ type }) => type !== "reasoning")
    .map(({ reasoning_content: _reasoning, id: _id, ...entry }) => entry);
}

describe("a backend that insists on the reasoning before its calls", () => {
  it.each([
    ["chat", true],
    ["chat", false],
    ["responses", true],
    ["responses", false],
  ] as const)("has it back though a %s client dropped it (stream: %s)", async (client, stream) => {
    await start(insisting);
    const first = await ask(gateway, client, requestFor(client, { ...wish, stream }));
    const after = forgetful(client, first);
    const second = await ask(gateway, client, requestFor(client, { ...wish, stream, after }));
    expect(second).toMatchObject({ status: 200, text: "Sunny." });
  });

  it("has it back though the client writes the arguments anew", async () => {
    await start(insisting);
    const first = await ask(gateway, "chat", requestFor("chat", wish));
    const [assistant, output] = forgetful("chat", first);
    const call = { id: first.calls[0]?.id, type: "function", function: { name: "f", arguments: '{"a":1}' } };
    const after = [{ ...assistant, tool_calls: [call] }, { ...output }];
    expect((await ask(gateway, "chat", requestFor("chat", { ...wish, after }))).text).toBe("Sunny.");
  });

  it("has it once where the client kept it", async () => {
    await start(insisting);
    const first = await ask(gateway, "chat", requestFor("chat", wish));
    const [assistant, output] = followUp("chat", first, ["sunny"]);
    const after = [{ ...assistant, reasoning_content: thought }, { ...output }];
    expect((await ask(gateway, "chat", requestFor("chat", { ...wish, after }))).text).toBe("Sunny.");
  });

  it("has it in each of many tool turns", async () => {
    let turn = 0;
    await start(({ body }) => {
      const calls = messagesOf(body).filter((message) => Array.isArray(message.tool_calls));
      const whole = calls.every((message, at) => message.reasoning_content === `Thought ${at}.`);
      if (!whole) return { status: 400 };
      if (calls.length === 5) return { say: "Done." };
      // The same name in every turn, as some providers give.
      return {
        think: `Thought ${calls.length}.`,
        calls: [{ id: "call_0", name: "f", arguments: `{"turn":${turn++}}` }],
      };
    });
    let after: JsonObject[] = [];
    let answer = await ask(gateway, "chat", requestFor("chat", wish));
    while (answer.calls.length > 0) {
      after = [...after, ...forgetful("chat", answer)];
      answer = await ask(gateway, "chat", requestFor("chat", { ...wish, after }));
    }
    expect(answer.text).toBe("Done.");
  });

  it("has it no more where another key asks", async () => {
    await start(insisting, {
      keys: [
        { name: "a", key: "key-a" },
        { name: "b", key: "key-b" },
      ],
    });
    const as = (key: string) => ({ authorization: `Bearer ${key}` });
    const first = await ask(gateway, "chat", requestFor("chat", wish), as("key-a"));
    const request = requestFor("chat", { ...wish, after: forgetful("chat", first) });
    expect((await ask(gateway, "chat", request, as("key-b"))).status).toBe(400);
    expect((await ask(gateway, "chat", request, as("key-a"))).text).toBe("Sunny.");
  });

  it("does not have the reasoning of another conversation that named its call alike", async () => {
    const script: Script = ({ body }) => {
      const [user] = conversation(body);
      const calls = messagesOf(body).filter((message) => Array.isArray(message.tool_calls));
      if (calls.length > 0) return { say: String(calls[0]?.reasoning_content) };
      const city = user?.kind === "message" ? user.text : "";
      return {
        think: `Thinking of ${city}.`,
        calls: [{ id: "call_0", name: "f", arguments: JSON.stringify({ city }) }],
      };
    };
    await start(script);
    const [rome, oslo] = [
      { ...wish, prompt: "Rome" },
      { ...wish, prompt: "Oslo" },
    ];
    const inRome = await ask(gateway, "chat", requestFor("chat", rome));
    const inOslo = await ask(gateway, "chat", requestFor("chat", oslo));
    const goOn = (of: typeof rome, turn: Answer) =>
      ask(gateway, "chat", requestFor("chat", { ...of, after: forgetful("chat", turn) }));
    expect((await goOn(rome, inRome)).text).toBe("Thinking of Rome.");
    expect((await goOn(oslo, inOslo)).text).toBe("Thinking of Oslo.");
  });
});

describe("conversations that are alike", () => {
  it("do not share their reasoning, though a provider names all their calls the same", async () => {
    const think: Script = ({ body, count }) => {
      const [assistant] = messagesOf(body).filter((message) => Array.isArray(message.tool_calls));
      if (assistant) return { say: String(assistant.reasoning_content ?? "nothing") };
      return { think: `Thought ${count}.`, calls: [{ id: "call_0", name: "f", arguments: "{}" }] };
    };
    await start(think);
    const [one, other] = [
      { ...wish, prompt: "One?" },
      { ...wish, prompt: "Other?" },
    ];
    const first = await ask(gateway, "chat", requestFor("chat", one));
    await ask(gateway, "chat", requestFor("chat", other));
    const after = forgetful("chat", first);
    expect((await ask(gateway, "chat", requestFor("chat", { ...one, after }))).text).toBe("Thought 1.");
    const never = await ask(gateway, "chat", requestFor("chat", { ...wish, prompt: "Never asked?", after }));
    expect(never.text).toBe("nothing");
  });
});

describe("a Responses provider whose reasoning the client has dropped", () => {
  const call = {
    type: "function_call",
    id: "fc_1",
    call_id: "call_1",
    name: "f",
    arguments: "{}",
    status: "completed",
  };
  const script =
    (encrypted: string | undefined): Script =>
    ({ body }) => {
      const items = Array.isArray(body.input) ? body.input.filter(isObject) : [];
      if (items.some(({ type }) => type === "function_call")) {
        return { say: items.map(({ type, id }) => `${type ?? "message"} ${id ?? "-"}`).join() };
      }
      const reasoning = {
        type: "reasoning",
        id: "rs_1",
        summary: [],
        ...(encrypted && { encrypted_content: encrypted }),
      };
      return itemsReply([reasoning, call]);
    };

  it.each([
    [
      "has it back where it was encrypted",
      "sealed",
      "message -,reasoning rs_1,function_call fc_1,function_call_output -",
    ],
    ["is given its call as a new one where it was not", undefined, "message -,function_call -,function_call_output -"],
  ])("%s", async (_name, encrypted, expected) => {
    await start(script(encrypted));
    const request = { ...wish, model: "responses/m", stream: true };
    const first = await ask(gateway, "responses", requestFor("responses", request), {}, { usageUnknown: true });
    const after = followUp("responses", first, ["sunny"]).filter(({ type }) => type !== "reasoning");
    const second = await ask(gateway, "responses", requestFor("responses", { ...request, after }));
    expect(second.text).toBe(expected);
  });
});

describe("encrypted reasoning that a provider cannot read", () => {
  const history = [
    { role: "user", content: "Weather?" },
    {
      type: "reasoning",
      id: "rs_foreign",
      summary: [{ type: "summary_text", text: "Hm." }],
      encrypted_content: "gAAA",
    },
    { type: "function_call", id: "fc_1", call_id: "c1", name: "f", arguments: "{}" },
    { type: "function_call_output", call_id: "c1", output: "sunny" },
  ];
  const question = { model: "responses/m", input: history, tools: [{ type: "function", name: "f" }] };
  const refusal = {
    message: "The encrypted content gAAA could not be verified.",
    type: "invalid_request_error",
    param: null,
  };

  it.each([
    ["by its code", { code: "invalid_encrypted_content" }],
    ["in words alone", { code: null }],
  ])("is left out when it says so %s, and is not brought to it again", async (_way, code) => {
    const readsNone: Script = ({ body }) =>
      JSON.stringify(body).includes("gAAA")
        ? { status: 400, body: { error: { ...refusal, ...code } } }
        : { say: "Sunny." };
    await start(readsNone);
    const first = await ask(gateway, "responses", question);
    expect(first).toMatchObject({ status: 200, text: "Sunny." });
    const [refused, taken] = provider.requests.map(({ body }) => body);
    expect(refused?.input).toMatchObject([{}, { type: "reasoning", encrypted_content: "gAAA" }, { id: "fc_1" }, {}]);
    // A call of its own without its reasoning would be refused too, so it has no id.
    expect(taken?.input).toEqual([
      expect.objectContaining({ role: "user" }),
      { type: "function_call", call_id: "c1", name: "f", arguments: "{}" },
      { type: "function_call_output", call_id: "c1", output: "sunny" },
    ]);
    await ask(gateway, "responses", question);
    expect(provider.requests).toHaveLength(3);
  });

  it("is refused once, not for ever", async () => {
    await start(() => ({ status: 400, body: { error: { ...refusal, code: "invalid_encrypted_content" } } }));
    const answer = await ask(gateway, "responses", question);
    expect(answer).toMatchObject({ status: 400, error: { code: "invalid_encrypted_content" } });
    expect(provider.requests).toHaveLength(2);
  });

  const user = { role: "user", content: "Weather?" };
  const sealed = (id: string) => ({ type: "reasoning", id, summary: [], encrypted_content: "gAAA" });
  const call = { type: "function_call", id: "fc_1", call_id: "c1", name: "f", arguments: "{}", status: "completed" };
  const output = { type: "function_call_output", call_id: "c1", output: "sunny" };
  const refuse = { status: 400, body: { error: { ...refusal, code: "invalid_encrypted_content" } } };
  const itemsOf = ({ input }: JsonObject) => (Array.isArray(input) ? input.filter(isObject) : []);

  it.each([
    [5_000, 2],
    [5_001, 1],
  ])(
    "is left out, up to as much of it as any conversation has: %i items are asked about %i times",
    async (count, times) => {
      await start(() => refuse);
      const reasoning = Array.from({ length: count }, (_, at) => sealed(`rs_${at}`));
      const answer = await ask(gateway, "responses", { ...question, input: [user, ...reasoning, call, output] });
      expect(answer).toMatchObject({ status: 400, error: { code: "invalid_encrypted_content" } });
      expect(provider.requests).toHaveLength(times);
    },
  );

  /** Gives a call with sealed reasoning before it, which it refuses afterwards as all other. */
  const forgetsItsKeys: Script = ({ body }) => {
    const items = itemsOf(body);
    if (!items.some(({ type }) => type === "function_call")) return itemsReply([sealed("rs_own"), call]);
    return items.some(({ type }) => type === "reasoning") ? refuse : { say: "Sunny." };
  };

  it.each([true, false])(
    "is left out though it was put back for a client that dropped it (stream: %s)",
    async (stream) => {
      await start(forgetsItsKeys);
      const first = await ask(
        gateway,
        "responses",
        { ...question, input: [user], stream: true },
        {},
        { usageUnknown: true },
      );
      const after = first.items.filter(({ type }) => type !== "reasoning");
      const again = { ...question, input: [user, ...after, output], stream };
      expect(await ask(gateway, "responses", again)).toMatchObject({ status: 200, text: "Sunny." });
      const [, refused, taken] = provider.requests.map(({ body }) => itemsOf(body));
      expect(refused).toMatchObject([{}, sealed("rs_own"), { id: "fc_1" }, {}]);
      expect(taken?.map(({ type, id }) => [type, id])).toEqual([
        ["message", undefined],
        ["function_call", undefined],
        ["function_call_output", undefined],
      ]);
      expect(await ask(gateway, "responses", again)).toMatchObject({ status: 200, text: "Sunny." });
      expect(provider.requests).toHaveLength(4);
    },
  );

  it("is left out once a turn, though something else comes to stand in its place", async () => {
    await start(forgetsItsKeys);
    await ask(gateway, "responses", { ...question, input: [user], stream: true }, {}, { usageUnknown: true });
    const again = { ...question, input: [user, sealed("rs_other"), call, output] };
    expect((await ask(gateway, "responses", again)).status).toBe(400);
    expect(provider.requests).toHaveLength(3);
    expect(await ask(gateway, "responses", again)).toMatchObject({ status: 200, text: "Sunny." });
  });

  it("takes no other reasoning with it: what is in plain words is told to a chat provider as before", async () => {
    await start(({ body, api }) =>
      api === "responses" && JSON.stringify(body).includes("gAAA") ? refuse : { say: "ok" },
    );
    const plain = { type: "reasoning", id: "rs_plain", summary: [{ type: "summary_text", text: "My thoughts." }] };
    const said = { type: "message", role: "assistant", content: [{ type: "output_text", text: "Hm." }] };
    const input = [user, sealed("rs_foreign"), said, { role: "user", content: "And?" }, plain, call, output];
    const told = async () => {
      await ask(gateway, "responses", { ...question, model: "chat/m", input });
      const messages = messagesOf(provider.requests.at(-1)?.body);
      return messages.flatMap(({ reasoning_content }) => (reasoning_content === undefined ? [] : [reasoning_content]));
    };
    expect(await told()).toEqual(["My thoughts."]);
    expect((await ask(gateway, "responses", { ...question, input })).status).toBe(200);
    expect(itemsOf(provider.requests.at(-1)?.body ?? {})).toContainEqual(expect.objectContaining({ id: "rs_plain" }));
    expect(await told()).toEqual(["My thoughts."]);
  });
});

describe("a response that was opened before its provider named it, or by an attempt that failed", () => {
  it("is continued by the id of the attempt that answered", async () => {
    const named = (id: string) => ({ type: "response.created", response: { id, status: "in_progress", output: [] } });
    const said = (id: string) => [
      named(id),
      { type: "response.output_text.delta", output_index: 0, content_index: 0, delta: "Hi" },
      { type: "response.completed", response: { id, status: "completed" } },
    ];
    const line = (event: unknown) => `data: ${JSON.stringify(event)}\n\n`;
    await start(
      ({ body, count }) => {
        if (JSON.stringify(body.input).includes('"Hi"')) return { say: "Known" };
        if (count > 1) return { chunks: said("resp_good") };
        return { bytes: [line(named("resp_dead")), { wait: 300 }, "cut"] };
      },
      { turn: { keep_alive: "100ms" } },
    );
    const request = { ...wish, model: "responses/m", stream: true };
    const first = await ask(gateway, "responses", requestFor("responses", request), {}, { usageUnknown: true });
    expect(first.text).toBe("Hi");
    const id = isObject(first.json) ? first.json.id : undefined;
    const more = { previous_response_id: id };
    const second = await ask(gateway, "responses", requestFor("responses", { ...request, more }));
    expect(second.text).toBe("Known");
  });
});

describe("what a provider wants back beside or in a call", () => {
  const details = [{ type: "reasoning.encrypted", data: "sealed" }];
  const extra = { google: { thought_signature: "signed" } };
  const script: Script = ({ body }) => {
    const [assistant] = messagesOf(body).filter((message) => Array.isArray(message.tool_calls));
    if (assistant) return { say: JSON.stringify([assistant.reasoning_details, assistant.tool_calls]) };
    const call = { index: 0, id: "call_1", type: "function", function: { name: "f", arguments: "{}" } };
    const message = { role: "assistant", content: null, reasoning_details: details };
    return {
      chunks: [
        { choices: [{ index: 0, delta: message, finish_reason: null }] },
        { choices: [{ index: 0, delta: { tool_calls: [{ ...call, extra_content: extra }] }, finish_reason: null }] },
        { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] },
      ],
    };
  };

  it.each(["chat", "responses"] as const)("comes back though a %s client does not know it", async (client) => {
    await start(script);
    const options = { usageUnknown: true, foreignKeys: ["reasoning_details", "extra_content"] };
    const first = await ask(gateway, client, requestFor(client, { ...wish, stream: true }), {}, options);
    const after = forgetful(client, first).map(({ ...entry }) => entry);
    const second = await ask(gateway, client, requestFor(client, { ...wish, after }));
    expect(second.text).toContain("sealed");
    expect(second.text).toContain("signed");
  });
});

describe("the id of a call", () => {
  const idsIn = (body: JsonObject | undefined) =>
    conversation(body ?? {}).flatMap((entry) => (entry.kind === "call" || entry.kind === "output" ? [entry.id] : []));
  const history = (id: string): Record<Api, JsonObject[]> => ({
    chat: [
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id, type: "function", function: { name: "f", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: id, content: "sunny" },
    ],
    responses: [
      { type: "function_call", call_id: id, name: "f", arguments: "{}" },
      { type: "function_call_output", call_id: id, output: "sunny" },
    ],
  });
  const foreign = "call_EuZ2kdFJcyaYVOv9qSDrvDDN";
  const pairs = (["chat", "responses"] as const).flatMap((client) =>
    (["chat", "responses"] as const).map((backend): [Api, Api] => [client, backend]),
  );

  it.each(pairs)(
    "that is odd is another for the client, and its own for its provider (%s client, %s backend)",
    async (client, backend) => {
      const odd = `functions.f:0${"x".repeat(80)}`;
      const script: Script = ({ body }): Reply =>
        idsIn(body).length > 0 ? { say: idsIn(body).join() } : { calls: [{ id: odd, name: "f", arguments: "{}" }] };
      await start(script);
      const request = { ...wish, model: `${backend}/m`, stream: true };
      const first = await ask(gateway, client, requestFor(client, request));
      expect(first.calls[0]?.id).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      const after = followUp(client, first, ["sunny"]);
      expect((await ask(gateway, client, requestFor(client, { ...request, after }))).text).toBe(`${odd},${odd}`);
    },
  );

  it.each(pairs)(
    "has nine letters and digits for a model of Mistral's (%s client, %s backend)",
    async (client, backend) => {
      await start(({ body }) => ({ say: idsIn(body).join() }));
      const request = { model: `${backend}/mistral-large-latest`, tools, after: history(foreign)[client] };
      const answer = await ask(gateway, client, requestFor(client, request));
      expect(answer.text).toMatch(/^([A-Za-z0-9]{9}),\1$/);
      const again = await ask(gateway, client, requestFor(client, request));
      expect(again.text).toBe(answer.text);
    },
  );

  it("has nine letters and digits where a provider says that it must, from then on", async () => {
    const complaint = "Tool call id was call_x but must be a-z, A-Z, 0-9, with a length of 9.";
    await start(({ body }) =>
      idsIn(body).every((id) => /^[A-Za-z0-9]{9}$/.test(String(id)))
        ? { say: "Thanks." }
        : { status: 400, body: { object: "error", message: complaint } },
    );
    const request = requestFor("chat", { model: "chat/house-model", tools, after: history(foreign).chat });
    expect((await ask(gateway, "chat", request)).text).toBe("Thanks.");
    expect((await ask(gateway, "chat", request)).text).toBe("Thanks.");
    expect(provider.requests).toHaveLength(3);
  });

  it("that a provider would refuse is another for it, though the client brought it", async () => {
    await start(({ body }) => ({ say: idsIn(body).join() }));
    const after = history("toolu:01/abc é").chat;
    const answer = await ask(gateway, "chat", requestFor("chat", { model: "chat/m", tools, after }));
    expect(answer.text).toMatch(/^([A-Za-z0-9]{9}),\1$/);
  });

  it("that its own backend gave is another for a model there that would refuse it", async () => {
    await start(({ body }) =>
      idsIn(body).length > 0 ? { say: idsIn(body).join() } : { calls: [{ id: "odd:1", name: "f", arguments: "{}" }] },
    );
    const first = await ask(gateway, "chat", requestFor("chat", { model: "chat/x", tools }));
    const after = followUp("chat", first, ["sunny"]);
    const same = await ask(gateway, "chat", requestFor("chat", { model: "chat/x", tools, after }));
    expect(same.text).toBe("odd:1,odd:1");
    const other = await ask(gateway, "chat", requestFor("chat", { model: "chat/mistral-large", tools, after }));
    expect(other.text).toMatch(/^([A-Za-z0-9]{9}),\1$/);
  });

  it("that is fit passes as it is", async () => {
    await start(({ body }) => ({ say: idsIn(body).join() }));
    const request = requestFor("chat", { model: "chat/m", tools, after: history(foreign).chat });
    expect((await ask(gateway, "chat", request)).text).toBe(`${foreign},${foreign}`);
  });
});
