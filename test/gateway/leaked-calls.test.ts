import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningServer } from "../../src/http/server.ts";
import { parseJson } from "../../src/turn/index.ts";
import type { Api } from "../support/api.ts";
import { createEventsFile } from "../support/events-file.ts";
import {
  type Answer,
  ask,
  bothBackends,
  followUp,
  requestFor,
  startGateway,
  type TurnWish,
} from "../support/gateway.ts";
import { conversation, type Provider, type Reply, startProvider, type TurnReply } from "../support/provider.ts";

const place = { type: "object", properties: { location: { type: "string" } }, required: ["location"] };
const tools = [
  { name: "get_weather", parameters: place },
  { name: "get_time", parameters: place },
];

/** A call as many models write it when the server in front of them does not read it. */
function written(name: string, location: string): string {
  return `<tool_call>\n{"name": "${name}", "arguments": {"location": "${location}"}}\n</tool_call>`;
}

const rome = written("get_weather", "Rome");
const oslo = written("get_time", "Oslo");
const inRome = { name: "get_weather", arguments: { location: "Rome" } };
const inOslo = { name: "get_time", arguments: { location: "Oslo" } };

const file = createEventsFile();
let reply: Reply;
let provider: Provider;
let gateway: RunningServer;
beforeAll(async () => {
  provider = await startProvider(() => reply);
  const config = bothBackends(provider);
  gateway = await startGateway({
    ...config,
    models: {
      untouched: { backend: "chat", model: "leaky", dialects: "none" },
      kimi: { backend: "chat", model: "leaky", dialects: ["kimi-k2"] },
      exact: { backend: "chat", model: "leaky", turn: { repair: false } },
      llama: { backend: "chat", model: "leaky", dialects: ["llama3-json"] },
    },
    telemetry: { events: file.path },
  });
});
afterAll(async () => {
  await gateway.close();
  await provider.close();
  file.remove();
});

let requests = 0;

async function play(api: Api, model: string, answer: TurnReply, wish: Partial<TurnWish> = {}) {
  reply = { chunk: 3, ...answer };
  const id = `leak-${++requests}`;
  const body = requestFor(api, { model, tools, ...wish });
  return { answer: await ask(gateway, api, body, { "x-request-id": id }), id };
}

function callsOf({ calls }: Answer) {
  return calls.map(({ name, arguments: text }) => ({ name, arguments: parseJson(text) }));
}

const typesOf = ({ items }: Answer) => items.map(({ type }) => type);

const apis = ["chat", "responses"] as const;
const places = apis.flatMap((client) =>
  apis.flatMap((backend) =>
    [true, false].map((stream): [Api, Api, string, boolean] => [client, backend, stream ? "stream" : "whole", stream]),
  ),
);

describe.each(places)("a %s client of a leaking %s backend (%s)", (client, backend, _form, stream) => {
  const model = `${backend}/leaky`;
  const hear = async (answer: TurnReply, wish: Partial<TurnWish> = {}) =>
    (await play(client, model, answer, { stream, ...wish })).answer;
  const ended = client === "chat" ? "tool_calls" : "completed";

  it("gets a call that the model wrote as text", async () => {
    const answer = await hear({ say: rome });
    expect(callsOf(answer)).toEqual([inRome]);
    expect(answer).toMatchObject({ text: "", finish: ended, ended: "completed" });
    if (client === "responses") expect(typesOf(answer)).toEqual(["function_call"]);
  });

  it("gets several, each with an id of its own", async () => {
    const answer = await hear({ say: `${rome}\n${oslo}\n${rome}` });
    expect(callsOf(answer)).toEqual([inRome, inOslo, inRome]);
    expect(new Set(answer.calls.map(({ id }) => id)).size).toBe(3);
    expect(answer.text).toBe("");
  });

  it("gets the text before and after them, each in its place", async () => {
    const answer = await hear({ say: `Let me look.\n${rome}\nThat was it.` });
    expect(callsOf(answer)).toEqual([inRome]);
    expect(answer.text.replace(/\s+/g, " ")).toBe("Let me look. That was it.");
    if (client === "responses") expect(typesOf(answer)).toEqual(["message", "function_call", "message"]);
  });

  it("gets native calls and written ones of the same turn", async () => {
    const native = { id: "call_native", name: "get_time", arguments: '{"location":"Oslo"}' };
    const answer = await hear({ say: `Both.\n${rome}`, calls: [native] });
    expect(callsOf(answer)).toEqual([inRome, inOslo]);
    expect(answer).toMatchObject({ text: expect.stringMatching(/^Both\.\s*$/), finish: ended });
    expect(answer.calls[1]?.id).toBe("call_native");
  });

  it("gets a call once that the backend gives and leaves in the text as well", async () => {
    const native = { id: "call_native", name: "get_weather", arguments: '{ "location":"Rome" }' };
    const answer = await hear({ say: rome, calls: [native] });
    expect(callsOf(answer)).toEqual([inRome]);
    const twice = await hear({ say: rome, calls: [native, { ...native, id: "call_other" }] });
    expect(callsOf(twice)).toEqual([inRome, inRome]);
  });

  it("gets a long call that was cut off as text, unless its beginning was seen", async () => {
    const long = `${written("get_weather", "R".repeat(3000)).slice(0, 2500)}`;
    const answer = await hear({ say: long, finish: "length" });
    expect(answer.calls).toEqual([]);
    if (!stream) expect(answer.text).toBe(long);
  });

  it("can send the results, which reach the backend under the same ids", async () => {
    const first = await hear({ say: rome });
    const after = followUp(client, first, ["Sunny."]);
    const second = await hear({ say: "It is sunny." }, { after });
    expect(second).toMatchObject({ text: "It is sunny.", calls: [] });
    const sent = conversation(provider.requests.at(-1)?.body ?? {});
    const [call] = first.calls;
    expect(sent).toContainEqual(expect.objectContaining({ kind: "call", id: call?.id, name: "get_weather" }));
    expect(sent).toContainEqual(expect.objectContaining({ kind: "output", id: call?.id }));
  });

  it("gets what the model thought between tags as reasoning", async () => {
    const answer = await hear({ say: "<think>\nLook it up?\n</think>\n\nIt is sunny." });
    expect(answer).toMatchObject({ reasoning: "Look it up?", text: "It is sunny.", calls: [] });
    if (client === "responses") expect(typesOf(answer)).toEqual(["reasoning", "message"]);
  });

  it("does not get a call that was only thought of", async () => {
    const answer = await hear({ say: `<think>\nPerhaps ${rome}?\n</think>\nNo need.` });
    expect(answer).toMatchObject({ text: "No need.", calls: [] });
    expect(answer.reasoning).toContain("Perhaps <tool_call>");
  });

  it("gets a call of a model that never stopped thinking", async () => {
    const answer = await hear({ say: `<think>\nI look it up.\n${rome}` });
    expect(callsOf(answer)).toEqual([inRome]);
    expect(answer).toMatchObject({ text: "", reasoning: expect.stringMatching(/^I look it up\./), finish: ended });
  });

  it("gets a call that the token limit cut as text, and is told of the limit", async () => {
    const cut = rome.slice(0, -20);
    const answer = await hear({ say: cut, finish: "length" });
    expect(answer).toMatchObject({ text: cut, calls: [], ended: "length" });
  });

  it("does not get a call out of a cut one that only lacks its end", async () => {
    const cut = rome.replace("\n</tool_call>", "");
    expect(await hear({ say: cut, finish: "length" })).toMatchObject({ text: cut, calls: [], ended: "length" });
    expect(callsOf(await hear({ say: cut }))).toEqual([inRome]);
  });

  it.each([
    ["a call of a tool that nobody declared", written("delete_everything", "Rome"), {}],
    ["a call in a code block", `Write it so:\n\`\`\`xml\n${rome}\n\`\`\`\nIs that clear?`, {}],
    ["a call in inline code", 'Write `<tool_call>{"name": "get_weather"}</tool_call>` there.', {}],
    ["a call, where no tools are declared", `So: ${rome}`, { tools: [] }],
    ["a call, where tool_choice is none", `So: ${rome}`, { choice: "none" as const }],
    ["text with marks in it", "1 < 2, a <b> c, <tool_ call> \n\n and `code`: ```\n<x", {}],
    ["white space", "  \n so \n\n it is \n ", {}],
  ])("gets as text what is text: %s", async (_what, say, wish) => {
    expect(await hear({ say }, wish)).toMatchObject({ text: say, reasoning: "", calls: [], ended: "completed" });
  });

  it("gets citations and refusals as ever", async () => {
    const citation = { type: "url_citation", url: "https://a.example/", title: "A", start_index: 0, end_index: 3 };
    const cited = await hear({ say: "A < B.", annotations: [citation] });
    expect(cited).toMatchObject({ text: "A < B.", annotations: [citation] });
    expect(await hear({ say: "Well <", refuse: "I cannot." })).toMatchObject({ text: "Well <", refusal: "I cannot." });
  });

  it("gets no call that tool_choice does not allow, and one where one is demanded", async () => {
    const other = await hear({ say: `Hm.\n${rome}` }, { choice: { allowed: ["get_time"] } });
    expect(other.calls).toEqual([]);
    const demanded = await hear({ say: rome }, { choice: "required" });
    expect(callsOf(demanded)).toEqual([inRome]);
    const one = await hear({ say: `${rome}\n${oslo}` }, { parallel: false });
    expect(callsOf(one)).toEqual([inRome]);
  });
});

describe("a call in the reasoning of a chat backend", () => {
  it.each(places.filter(([, backend]) => backend === "chat"))(
    "is a call where nothing follows it: %s client, %s backend, %s",
    async (client, _backend, _form, stream) => {
      const { answer } = await play(client, "chat/leaky", { think: `Rome, then.\n${rome}` }, { stream });
      expect(callsOf(answer)).toEqual([inRome]);
      expect(answer).toMatchObject({ reasoning: expect.stringMatching(/^Rome, then\.\s*$/), ended: "completed" });
    },
  );

  it.each([
    ["text follows", { say: "It is sunny." }],
    ["a native call follows", { calls: [{ id: "call_1", name: "get_time", arguments: '{"location":"Oslo"}' }] }],
    ["a written call follows", { say: oslo }],
    ["the token limit cut it off", { finish: "length" as const }],
  ])("is a draft where %s", async (_what, more) => {
    const think = `Perhaps.\n${rome}\nOr not.`;
    const { answer } = await play("responses", "chat/leaky", { think, ...more }, { stream: true });
    expect(answer.reasoning).toBe(think);
    expect(callsOf(answer).filter(({ name }) => name === "get_weather")).toEqual([]);
    expect(callsOf(answer).length).toBe("calls" in more || ("say" in more && more.say === oslo) ? 1 : 0);
  });

  it("is a draft even where a tag stands before it, and an answer behind it", async () => {
    const think = `The tag </think> ends it, and\n${rome}\nwould call.`;
    const { answer } = await play("chat", "chat/leaky", { think, say: "So it is." }, { stream: true });
    expect(answer).toMatchObject({ reasoning: think, text: "So it is.", calls: [] });
  });

  it("stays what it is in a Responses backend, whose reasoning may be sealed", async () => {
    const { answer } = await play("responses", "responses/leaky", { think: rome }, { stream: true });
    expect(answer).toMatchObject({ reasoning: rome, calls: [] });
  });
});

describe("the setting dialects", () => {
  it("none leaves text as it is", async () => {
    const { answer } = await play("chat", "untouched", { say: rome });
    expect(answer).toMatchObject({ text: rome, calls: [], finish: "stop" });
  });

  it("a list reads these alone", async () => {
    const kimi =
      '<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{"location": "Rome"}<|tool_call_end|><|tool_calls_section_end|>';
    expect(callsOf((await play("chat", "kimi", { say: kimi })).answer)).toEqual([inRome]);
    expect((await play("chat", "kimi", { say: rome })).answer).toMatchObject({ text: rome, calls: [] });
  });

  it("names dialects without marks, which are then read behind text too", async () => {
    const bare = 'Sure.\n{"name": "get_weather", "parameters": {"location": "Rome"}}';
    expect((await play("chat", "chat/leaky", { say: bare })).answer).toMatchObject({ text: bare, calls: [] });
    expect(callsOf((await play("chat", "llama", { say: bare })).answer)).toEqual([inRome]);
  });
});

describe("what is told of written calls", () => {
  const slips = `<tool_call>\n{"name": "GET_weather", "arguments": {'location': "Rome",}}\n</tool_call>`;

  it("is their dialect, and null for native ones", async () => {
    const native = { id: "call_n", name: "get_time", arguments: "{}" };
    const { id, answer } = await play("chat", "chat/leaky", { say: rome, calls: [native] }, { stream: true });
    const events = await file.of(id);
    expect(events.filter(({ event }) => event === "tool_call")).toMatchObject([
      { id: answer.calls[0]?.id, name: "get_weather", dialect: "hermes-json", argument_bytes: expect.any(Number) },
      { id: "call_n", name: "get_time", dialect: null },
    ]);
    // Text has no ids, so none was missing.
    expect(events.at(-1)).toMatchObject({ event: "turn_finished", calls: 2, repairs: 0, status: "completed" });
  });

  it("is what was put right in them", async () => {
    const { id, answer } = await play("responses", "chat/leaky", { say: slips }, { stream: true });
    expect(callsOf(answer)).toEqual([inRome]);
    const events = await file.of(id);
    const about = { id: answer.calls[0]?.id, name: "get_weather" };
    expect(events.filter(({ event }) => event === "call_repaired")).toMatchObject([{ kind: "name_case", ...about }]);
    const mended = events.filter(({ event }) => event === "arguments_repaired");
    expect(mended.map(({ kind }) => kind).sort()).toEqual(["single_quotes", "trailing_comma"]);
    expect(mended[0]).toMatchObject({ what: mended[0]?.kind, ...about });
    expect(events.at(-1)).toMatchObject({ repairs: 3, calls: 1 });
    const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
    expect(metrics).toMatch(/toolwire_repairs_total\{backend="chat",kind="trailing_comma"\} [1-9]/);
  });

  it("is nothing put right where repair is off, and it stays text; where the tool is strict, the turn fails", async () => {
    const off = await play("chat", "exact", { say: slips });
    expect(off.answer).toMatchObject({ text: slips, calls: [] });
    const strict = [{ ...tools[0], name: "get_weather", strict: true }];
    const exact = await play("chat", "chat/leaky", { say: slips }, { tools: strict });
    expect(exact.answer).toMatchObject({ calls: [], error: { code: "tool_call_invalid" } });
  });

  it("is why text that looked like a call stayed text, without its words", async () => {
    const broken = '<tool_call>\n{"name": "get_weather", "arguments": {"location": secret-place}}\n</tool_call>';
    const { id, answer } = await play("chat", "chat/leaky", { say: broken });
    expect(answer).toMatchObject({ text: broken, calls: [] });
    const events = await file.of(id);
    const failures = events.filter(({ event }) => event === "parse_failure");
    expect(failures).toMatchObject([{ dialect: "hermes-json", reason: expect.any(String), name: "get_weather" }]);
    expect(JSON.stringify(events)).not.toContain("secret-place");
  });

  it("is not a name that only the model knows", async () => {
    const { id } = await play("chat", "chat/leaky", { say: written("secret_name", "Rome") });
    const events = await file.of(id);
    const failure = events.find(({ event }) => event === "parse_failure");
    expect(failure).toMatchObject({ dialect: expect.any(String), reason: "unknown_tool", name: null });
    expect(JSON.stringify(events)).not.toContain("secret_name");
  });
});

describe("a backend that breaks off", () => {
  const line = (content: string) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`;

  it("in the middle of its first call is asked again, because the client has seen nothing of it", async () => {
    const flaky = await startProvider(({ count }) =>
      count === 1 ? { bytes: [line(rome.slice(0, 30)), "cut"] } : { say: rome },
    );
    const other = await startGateway(bothBackends(flaky, { retries: 1 }));
    const answer = await ask(other, "chat", requestFor("chat", { model: "chat/flaky", tools, stream: true }));
    await other.close();
    await flaky.close();
    expect(callsOf(answer)).toEqual([inRome]);
    expect(answer.text).toBe("");
  });

  it("behind some text leaves the piece of a call as text, and an error", async () => {
    reply = { bytes: [line("Look: "), line(rome.slice(0, 30)), "cut"] };
    const body = requestFor("chat", { model: "chat/leaky", tools, stream: true });
    const answer = await ask(gateway, "chat", body, {}, { usageUnknown: true });
    expect(answer).toMatchObject({ text: `Look: ${rome.slice(0, 30)}`, calls: [], error: { code: "upstream_cut" } });
  });
});

describe("what is not looked for", () => {
  it("is a tool that the choice does not allow: its call stays text", async () => {
    const { answer } = await play(
      "chat",
      "chat/leaky",
      { say: `${rome}\n${oslo}` },
      { choice: { allowed: ["get_time"] } },
    );
    expect(callsOf(answer)).toEqual([inOslo]);
    expect(answer.text.trim()).toBe(rome);
  });

  it("is a call without a mark where JSON was asked for", async () => {
    const say = '{"name": "get_weather", "arguments": {"location": "Rome"}}';
    expect(callsOf((await play("chat", "chat/leaky", { say })).answer)).toEqual([inRome]);
    const more = { response_format: { type: "json_object" } };
    const { answer } = await play("chat", "chat/leaky", { say }, { more });
    expect(answer).toMatchObject({ text: say, calls: [] });
  });
});

describe("a held call", () => {
  it("is no silence: the backend is not given up for it", async () => {
    const slow = await startGateway({
      ...bothBackends(provider, { timeouts: { first_content: "300ms" } }),
    });
    reply = { say: rome, chunk: 3, pieceDelay: 15 };
    const answer = await ask(slow, "chat", requestFor("chat", { model: "chat/leaky", tools, stream: true }));
    expect(callsOf(answer)).toEqual([inRome]);
    await slow.close();
  });
});
