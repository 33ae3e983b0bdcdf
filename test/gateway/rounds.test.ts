import { afterEach, describe, expect, it } from "vitest";
import type { TurnSeams } from "../../src/engine/index.ts";
import { isObject, type JsonObject, type JsonValue } from "../../src/turn/index.ts";
import type { Api } from "../support/api.ts";
import { type Answer, ask, requestFor, type TurnWish } from "../support/gateway.ts";
import { conversation, itemsReply, offeredTools, type Reply } from "../support/provider.ts";
import {
  closeRounds,
  endsOf,
  firstRound,
  inOrder,
  lookup,
  modes,
  outputsFor,
  type Rounds,
  type RoundsOptions,
  runTools,
  secondRound,
  startRounds,
  textOf,
  tools,
  weather,
} from "../support/rounds.ts";

let rounds: Rounds;
afterEach(() => closeRounds(rounds));

/** One turn of a gateway that runs `lookup` and `note`, whose provider gives these replies. */
async function run(
  client: Api,
  wish: TurnWish,
  replies: [Reply, ...Reply[]],
  options: RoundsOptions = {},
): Promise<Answer> {
  rounds = await startRounds(inOrder(...replies), options);
  return ask(rounds.gateway, client, requestFor(client, { tools, usage: wish.stream === true, ...wish }));
}

function request(number: number): JsonObject {
  const { body } = rounds.provider.requests[number - 1] ?? {};
  if (!body) throw new Error(`The provider got no request ${number}.`);
  return body;
}

const user = { kind: "message", role: "user", text: "What is the weather in Rome?", images: [] };
const assistant = (text: string) => ({ kind: "message", role: "assistant", text, images: [] });
const looked = { kind: "output", id: "call_same", text: `lookup of ${lookup.arguments}` };
const calling = ({ id, name, arguments: text }: typeof lookup) => ({ kind: "call", id, name, arguments: text });

describe.each(modes)("$client client, $backend backend, $mode: a turn whose gateway runs a tool", (mode) => {
  const { client, backend, stream } = mode;
  const wish = { model: `${backend}/m`, stream };
  const thenWeather: [Reply, Reply] = [
    { ...firstRound, think: "Where?", usage: { input: 10, output: 5, cached: 2, reasoning: 1 } },
    { think: "Rome.", say: "Rome.", calls: [weather], usage: { input: 30, output: 7, cached: 9, reasoning: 2 } },
  ];

  it("is one answer with what the model said in both rounds, in order", async () => {
    const answer = await run(client, wish, thenWeather);
    expect(answer).toMatchObject({ status: 200, ended: "completed", text: textOf(client, "Let me look.", "Rome.") });
    expect(answer.reasoning).toBe("Where?Rome.");
    if (client === "responses") {
      const types = answer.items.map(({ type }) => type);
      expect(types).toEqual(["reasoning", "message", "reasoning", "message", "function_call"]);
    }
  });

  it("shows the client its own call, and nothing of the gateway's", async () => {
    const answer = await run(client, wish, thenWeather);
    expect(answer.calls).toMatchObject([{ name: "get_weather", arguments: weather.arguments }]);
    expect(answer.events.map((event) => JSON.stringify(event)).join()).not.toContain("lookup of");
    const shown = client === "chat" ? answer.raw : JSON.stringify(answer.items);
    expect(shown).not.toContain("lookup");
    if (client === "chat") expect(answer.finish).toBe("tool_calls");
  });

  it("ends as an answer without calls where only the gateway's were made", async () => {
    const answer = await run(client, wish, [firstRound, secondRound]);
    expect(answer).toMatchObject({ text: textOf(client, "Let me look.", "Here it is."), calls: [] });
    expect(answer.finish).toBe(client === "chat" ? "stop" : "completed");
    expect(rounds.provider.requests).toHaveLength(2);
  });

  it("has exactly one end", async () => {
    const answer = await run(client, wish, thenWeather);
    const streamEnd = client === "chat" ? ["tool_calls", "[DONE]"] : ["response.completed"];
    expect(endsOf(answer)).toEqual(stream ? streamEnd : ["body"]);
  });

  it("asks the model again with its call and the output, under the same id", async () => {
    await run(client, wish, thenWeather);
    expect(rounds.provider.requests.map(({ api }) => api)).toEqual([backend, backend]);
    expect(conversation(request(1))).toEqual([user]);
    expect(conversation(request(2))).toEqual([user, assistant("Let me look."), calling(lookup), looked]);
    expect(offeredTools(request(2))).toEqual(offeredTools(request(1)));
    expect(request(2).stream).toBe(request(1).stream);
  });

  it("names a call to the model as the model did, though no client would take that id", async () => {
    const odd = { ...lookup, id: "functions.lookup:0" };
    const answer = await run(client, wish, [{ calls: [odd] }, { calls: [{ ...weather, id: odd.id }] }]);
    expect(conversation(request(2))).toEqual([user, calling(odd), { ...looked, id: odd.id }]);
    expect(answer.calls).toHaveLength(1);
    expect(answer.calls[0]?.id).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  });

  it("gives the call of the second round another id, though the model repeats that of the first", async () => {
    const answer = await run(client, wish, thenWeather);
    expect(answer.calls).toHaveLength(1);
    expect(answer.calls[0]?.id).not.toBe("call_same");
  });

  it("has ids that are unique over both rounds, and one id of its own", async () => {
    const answer = await run(client, wish, [firstRound, { calls: [lookup] }, ...thenWeather.slice(1)]);
    expect(rounds.provider.requests).toHaveLength(3);
    const made = conversation(request(3)).flatMap((entry) => (entry.kind === "call" ? [entry.id] : []));
    const ids = [...made, ...answer.calls.map(({ id }) => id)];
    expect(new Set(ids).size).toBe(3);
    const itemIds = answer.items.map(({ id }) => id);
    expect(new Set(itemIds).size).toBe(itemIds.length);
    expect(answerIds(answer)).toHaveLength(1);
  });

  it("costs what both rounds cost", async () => {
    const { usage } = await run(client, wish, thenWeather);
    expect(usage).toEqual({ input: 40, output: 12, total: 52, cached: 11, reasoning: 3 });
  });

  it("runs several tools of one round, and gives each its own output", async () => {
    const oslo = { ...lookup, id: "call_oslo", arguments: '{"place":"Oslo"}' };
    await run(client, wish, [{ calls: [lookup, oslo] }, secondRound]);
    const outputs = [looked, { kind: "output", id: "call_oslo", text: `lookup of ${oslo.arguments}` }];
    expect(conversation(request(2))).toEqual([user, calling(lookup), calling(oslo), ...outputs]);
  });

  it("gives a tool that takes free text its own kind of output", async () => {
    const note = { id: "call_note", name: "note", arguments: "Rome, *not* Oslo", kind: "custom" } as const;
    const answer = await run(client, wish, [{ calls: [note] }, secondRound]);
    expect(answer).toMatchObject({ text: "Here it is.", calls: [] });
    // A chat backend knows functions only.
    const written = backend === "chat" ? JSON.stringify({ input: note.arguments }) : note.arguments;
    expect(conversation(request(2)).slice(1)).toEqual([
      calling({ ...note, arguments: written }),
      { kind: "output", id: "call_note", text: `note of ${note.arguments}` },
    ]);
  });

  it("goes on with another tool_choice where the next round asks for one", async () => {
    const withoutCalls: TurnSeams = {
      ...runTools,
      nextRound: async (result) => {
        const next = outputsFor(result);
        return next && { ...next, choice: { mode: "none" } };
      },
    };
    await run(client, { ...wish, choice: "required" }, [firstRound, secondRound], { seams: withoutCalls });
    expect(request(1).tool_choice).toBe("required");
    expect(request(2).tool_choice).toBe("none");
  });

  it("is over after a round that the token limit has cut, whatever it called", async () => {
    const answer = await run(client, wish, [{ ...firstRound, finish: "length" }, secondRound]);
    expect(answer).toMatchObject({ ended: "length", text: "Let me look.", calls: [] });
    expect(rounds.provider.requests).toHaveLength(1);
  });

  it("counts the client's calls on where ids are numbered", async () => {
    const config = { turn: { ids: "sequential" } };
    const answer = await run(client, wish, thenWeather, { config });
    expect(answer.calls.map(({ id }) => id)).toEqual(["fc_002"]);
  });
});

describe.each([true, false])("a Responses client, stream: %s", (stream) => {
  it("continues behind the last round when it names the answer", async () => {
    const call = { type: "function_call", id: "fc_1", call_id: "call_1", name: "lookup", arguments: "{}" };
    const message = {
      type: "message",
      id: "msg_1",
      role: "assistant",
      content: [{ type: "output_text", text: "Hi." }],
    };
    const wish = { model: "responses/m", stream };
    const body = requestFor("responses", { tools, ...wish });
    rounds = await startRounds(inOrder(itemsReply([call]), renamed(itemsReply([message])), secondRound));
    const first = await ask(rounds.gateway, "responses", body, {}, { usageUnknown: true });
    const [id] = answerIds(first);
    await ask(rounds.gateway, "responses", { ...body, previous_response_id: id });
    expect(request(3).previous_response_id).toBeUndefined();
    expect(JSON.stringify(request(3).input)).toContain("Hi.");
  });
});

describe.each(modes)("$client client, $backend backend, $mode: the model", ({ client, backend, stream }) => {
  it("gets back what it thought before its call, once", async () => {
    const call = { type: "function_call", id: "fc_1", call_id: "call_1", name: "lookup", arguments: "{}" };
    const thought = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "sealed" };
    const thinking: Reply = backend === "chat" ? { ...firstRound, think: "Where?" } : itemsReply([thought, call]);
    await run(client, { model: `${backend}/m`, stream, usage: false }, [thinking, secondRound]);
    const sent = JSON.stringify(request(2));
    expect(
      sent.split(backend === "chat" ? '"reasoning_content":"Where?"' : '"encrypted_content":"sealed"'),
    ).toHaveLength(2);
  });

  it("that writes its calls as text gets the output as text, and the client sees nothing of either", async () => {
    const written = 'Hm. <tool_call>{"name": "lookup", "arguments": {"place": "Rome"}}</tool_call>';
    const options = { backend: { tools: "prompted" } };
    const answer = await run(client, { model: `${backend}/m`, stream }, [{ say: written }, secondRound], options);
    expect(answer).toMatchObject({ ended: "completed", text: textOf(client, "Hm. ", "Here it is."), calls: [] });
    expect(offeredTools(request(2))).toEqual([]);
    expect(JSON.stringify(conversation(request(2)))).toContain("lookup of ");
  });
});

function renamed(reply: Reply): Reply {
  return JSON.parse(JSON.stringify(reply).replaceAll("resp_1", "resp_2"));
}

/** The ids that an answer has for itself, each once. */
function answerIds({ api, events, json, streamed }: Answer): JsonValue[] {
  const inside = streamed ? events.map((event) => (api === "chat" ? event : event.response)) : [json];
  return [...new Set(inside.filter(isObject).flatMap(({ id }) => (id === undefined ? [] : [id])))];
}
