import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningServer } from "../../src/http/server.ts";
import type { JsonObject } from "../../src/turn/index.ts";
import { ask, bothBackends, followUp, requestFor, startGateway } from "../support/gateway.ts";
import { type Provider, startProvider, type TurnReply } from "../support/provider.ts";

const tools = [{ name: "get_weather" }];
let reply: TurnReply;
let provider: Provider;
let gateway: RunningServer;
beforeAll(async () => {
  provider = await startProvider(() => reply);
  gateway = await startGateway(bothBackends(provider, { ids: "sequential" }));
});
afterAll(async () => {
  await gateway.close();
  await provider.close();
});

const weather = (id: string): TurnReply => ({ calls: [{ id, name: "get_weather", arguments: "{}" }] });
const last = (): JsonObject => provider.requests.at(-1)?.body ?? {};

describe("numbered ids before a provider that names its calls itself", () => {
  it("give the provider its own names back", async () => {
    reply = weather("call_own");
    const request = { model: "chat/m", tools, prompt: "What is it like out there?" };
    const first = await ask(gateway, "chat", requestFor("chat", request));
    expect(first.calls).toMatchObject([{ id: "fc_001" }]);
    reply = { say: "Sunny." };
    await ask(gateway, "chat", requestFor("chat", { ...request, after: followUp("chat", first, ["Sunny"]) }));
    expect(JSON.stringify(last().messages)).toContain('"tool_call_id":"call_own"');
    expect(JSON.stringify(last().messages)).not.toContain("fc_001");
  });

  it("do not mix two conversations in which the user says the same", async () => {
    const turns = ["one", "two"].map((which) => ({
      model: "chat/m",
      tools,
      prompt: "Go on.",
      before: [
        { role: "user", content: `This is about ${which}.` },
        { role: "assistant", content: "Shall I look?" },
      ],
      think: `Thoughts about ${which}.`,
      id: `call_${which}`,
    }));
    const answers = [];
    for (const { think, id, ...wish } of turns) {
      reply = { think, ...weather(id) };
      answers.push(await ask(gateway, "chat", requestFor("chat", wish)));
    }
    expect(answers.map(({ calls }) => calls[0]?.id)).toEqual(["fc_001", "fc_001"]);
    reply = { say: "Done." };
    for (const [at, { think, id, ...wish }] of turns.entries()) {
      const [answer] = answers.slice(at, at + 1);
      if (!answer) throw new Error("There is no answer.");
      const assistant = followUp("chat", answer, ["Sunny"]).map(({ reasoning_content: _, ...message }) => message);
      await ask(gateway, "chat", requestFor("chat", { ...wish, after: assistant }));
      const text = JSON.stringify(last().messages);
      expect(text).toContain(id);
      expect(text).toContain(think);
      expect(text).not.toContain(turns[1 - at]?.think);
    }
  });

  it("find the calls of one answer again, in whatever order the client brings them", async () => {
    const pair = ["call_a", "call_b"].map((id) => ({ id, name: "get_weather", arguments: `{"of":"${id}"}` }));
    reply = { think: "Two of them.", calls: pair };
    const request = { model: "chat/m", tools, prompt: "And both of them?" };
    const first = await ask(gateway, "chat", requestFor("chat", request));
    expect(first.calls.map(({ id }) => id)).toEqual(["fc_001", "fc_002"]);
    reply = { say: "Done." };
    const input = [
      { role: "user", content: request.prompt },
      ...first.calls.flatMap(({ id, name, arguments: text }) => [
        { type: "function_call", call_id: id, name, arguments: text },
        { type: "function_call_output", call_id: id, output: "Sunny" },
      ]),
    ];
    const body = { ...requestFor("responses", { ...request }), input };
    await ask(gateway, "responses", body);
    const text = JSON.stringify(last().messages);
    expect(text).toContain('"tool_call_id":"call_a"');
    expect(text).toContain('"tool_call_id":"call_b"');
  });

  it("lead on from a stored response", async () => {
    reply = weather("call_kept");
    const first = await ask(gateway, "responses", requestFor("responses", { model: "responses/m", tools }));
    const id = (first.json as JsonObject).id as string;
    expect(first.calls).toMatchObject([{ id: "fc_001" }]);
    reply = weather("call_next");
    const input = [{ type: "function_call_output", call_id: "fc_001", output: "Sunny" }];
    const body = { ...requestFor("responses", { model: "responses/m", tools }), input, previous_response_id: id };
    const second = await ask(gateway, "responses", body);
    expect(last().input).toMatchObject([
      { role: "user" },
      { type: "function_call", call_id: "call_kept" },
      { type: "function_call_output", call_id: "call_kept" },
    ]);
    expect(second.calls).toMatchObject([{ id: "fc_002" }]);
  });
});
