import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningServer } from "../../src/http/server.ts";
import type { JsonObject } from "../../src/turn/index.ts";
import type { Api } from "../support/api.ts";
import { ask, bothBackends, requestFor, startGateway, type TurnWish } from "../support/gateway.ts";
import { type Provider, type Reply, startProvider } from "../support/provider.ts";

let reply: Reply;
let provider: Provider;
let gateway: RunningServer;
beforeAll(async () => {
  provider = await startProvider(() => reply);
  gateway = await startGateway(bothBackends(provider));
});
afterAll(async () => {
  await gateway.close();
  await provider.close();
});

const clients = ["chat", "responses"] as const;
const tools = [{ name: "f" }];

function play(client: Api, backend: Api, answer: Reply, wish: Partial<TurnWish> = {}, foreignKeys: string[] = []) {
  reply = answer;
  const body = requestFor(client, { model: `${backend}/odd`, tools, stream: true, ...wish });
  return ask(gateway, client, body, {}, { foreignKeys });
}

const delta = (fields: JsonObject, finish: string | null = null) => ({
  choices: [{ index: 0, delta: fields, finish_reason: finish }],
});
const call = (fields: JsonObject) => delta({ tool_calls: [fields] });

describe.each(clients)("a %s client is told the truth when a chat provider", (client) => {
  it("is cut off after a call's name", async () => {
    for (const reason of ["length", "content_filter"]) {
      const chunks = [call({ index: 0, id: "c1", function: { name: "f", arguments: "" } }), delta({}, reason)];
      const answer = await play(client, "chat", { chunks });
      expect(answer.calls).toEqual([]);
      expect(answer.ended).toBe(reason);
    }
  });

  it("is cut off in the input of a custom call", async () => {
    const chunks = [
      call({ index: 0, id: "c1", type: "custom", custom: { name: "patch", input: "*** Begin Pat" } }),
      delta({}, "length"),
    ];
    expect((await play(client, "chat", { chunks })).calls).toEqual([]);
  });

  it("says length first and stop later", async () => {
    const chunks = [delta({ content: "Half" }, "length"), delta({}, "stop")];
    expect(await play(client, "chat", { chunks })).toMatchObject({ text: "Half", ended: "length" });
  });

  it("writes an empty finish reason in every chunk", async () => {
    const chunks = [delta({ content: "one " }, ""), delta({ content: "two" }, ""), delta({}, "stop")];
    expect(await play(client, "chat", { chunks })).toMatchObject({ text: "one two", ended: "completed" });
    const bytes = [`data: ${JSON.stringify(delta({ content: "one" }, ""))}\n\n`, { wait: 50 }, "cut" as const];
    expect((await play(client, "chat", { bytes })).ended).toBe("failed");
  });

  it("says nothing at all, or that it failed", async () => {
    for (const chunks of [[], [delta({ content: "half" }, "abort")], [delta({}, "insufficient_system_resource")]]) {
      expect((await play(client, "chat", { chunks })).ended).toBe("failed");
    }
  });

  it("has a reason of its own for stopping", async () => {
    for (const reason of ["constructor", "__proto__", "eos"]) {
      const answer = await play(client, "chat", { chunks: [delta({ content: "hi" }, reason)] });
      expect(answer).toMatchObject({ text: "hi", ended: "completed" });
    }
  });
});

describe.each(clients)("a %s client gets whole calls when a chat provider", (client) => {
  const one = [{ name: "f", arguments: '{"a":1}' }];
  const two = [...one, { name: "f", arguments: '{"b":2}' }];

  it.each<[string, JsonObject[], typeof one]>([
    ["sends an empty entry", [{}, { index: 0, id: "c1", function: { name: "f", arguments: '{"a":1}' } }], one],
    [
      "repeats the name in every piece",
      [
        { index: 0, id: "c1", function: { name: "f", arguments: '{"a"' } },
        { index: 0, id: "c1", function: { name: "f", arguments: ":1}" } },
      ],
      one,
    ],
    [
      "makes a new id for every piece",
      [
        { index: 0, id: "c1", function: { name: "f", arguments: '{"a"' } },
        { index: 0, id: "c2", function: { arguments: ":1}" } },
      ],
      one,
    ],
    [
      "gives every call the same index, and no id",
      [
        { index: 0, id: "", function: { name: "f", arguments: '{"a":1}' } },
        { index: 0, id: "", function: { name: "f", arguments: '{"b":2}' } },
      ],
      two,
    ],
    [
      "gives neither index nor id",
      [{ function: { name: "f", arguments: '{"a":1}' } }, { function: { name: "f", arguments: '{"b":2}' } }],
      two,
    ],
  ])("%s", async (_case, entries, calls) => {
    const answer = await play(client, "chat", { chunks: [...entries.map(call), delta({}, "tool_calls")] });
    expect(answer.calls).toMatchObject(calls);
    expect(answer.calls).toHaveLength(calls.length);
  });
});

describe("text after a call of a tool that nobody declared", () => {
  it("comes after it, though the name might have gone on", async () => {
    const chunks = [
      call({ index: 0, id: "c1", function: { name: "other", arguments: "" } }),
      delta({ content: "Wait." }),
      delta({}, "tool_calls"),
    ];
    const { items } = await play("responses", "chat", { chunks });
    expect(items.map(({ type }) => type)).toEqual(["function_call", "message"]);
  });
});

describe("what only one API has a word for", () => {
  it("comes back to a Chat client from a chat provider", async () => {
    const entry = {
      index: 0,
      id: "c1",
      function: { name: "f", arguments: "{}" },
      extra_content: { google: { thought_signature: "x" } },
    };
    const chunks = [
      delta({ reasoning_details: [{ type: "reasoning.encrypted", data: "y" }] }),
      call(entry),
      delta({}, "tool_calls"),
    ];
    const answer = await play("chat", "chat", { chunks }, {}, ["reasoning_details", "extra_content"]);
    expect(answer.raw).toContain('"thought_signature":"x"');
    expect(answer.raw).toContain('"reasoning_details":[{"type":"reasoning.encrypted","data":"y"}]');
  });

  const url = "data:image/png;base64,iVBORw0KGgo=";

  it("is written in the other's form where it is a picture", async () => {
    const images = [{ type: "image_url", image_url: { url } }];
    for (const stream of [true, false]) {
      const whole = {
        choices: [{ index: 0, message: { role: "assistant", content: "", images }, finish_reason: "stop" }],
      };
      const fromChat = await play(
        "responses",
        "chat",
        stream ? { chunks: [delta({ images }), delta({}, "stop")] } : { whole },
        { stream },
      );
      expect(fromChat.items).toMatchObject([
        { type: "image_generation_call", status: "completed", result: "iVBORw0KGgo=" },
      ]);

      const item = { type: "image_generation_call", id: "ig_1", status: "completed", result: "iVBORw0KGgo=" };
      const response = { id: "r", status: "completed", output: [item] };
      const events = [
        { type: "response.output_item.done", output_index: 0, item },
        { type: "response.completed", response },
      ];
      const fromResponses = await play(
        "chat",
        "responses",
        stream ? { chunks: events } : { whole: response },
        { stream },
        ["images"],
      );
      expect(fromResponses.raw).toContain(JSON.stringify(images));
    }
  });
});

describe("pictures of a chat provider", () => {
  const picture = (url: string) => ({ type: "image_url", image_url: { url } });
  const images = [
    picture("data:image/png;base64,AAAA"),
    picture("https://example.com/cat.png"),
    picture("data:image/png;base64,BBBB"),
  ];

  it.each([true, false])("reach a chat client together and in their order (stream: %s)", async (stream) => {
    const message = { role: "assistant", content: "Here.", images };
    const whole = { choices: [{ index: 0, message, finish_reason: "stop" }] };
    const chunks = [delta({ content: "Here.", images }), delta({}, "stop")];
    const answer = await play("chat", "chat", stream ? { chunks } : { whole }, { stream }, ["images"]);
    expect(answer.raw).toContain(`"images":${JSON.stringify(images)}`);
    expect(answer.raw.split('"images"')).toHaveLength(2);
  });
});

describe("a Responses provider that", () => {
  const message = (id: string, text: string) => ({
    type: "message",
    id,
    status: "completed",
    role: "assistant",
    content: [{ type: "output_text", text, annotations: [] }],
  });
  const completed = (output: JsonObject[], more: JsonObject = {}) => ({
    type: "response.completed",
    response: { id: "resp_x", status: "completed", output, ...more },
  });
  const added = (output_index: number, item: JsonObject) => ({
    type: "response.output_item.added",
    output_index,
    item,
  });
  const done = (output_index: number, item: JsonObject) => ({ type: "response.output_item.done", output_index, item });
  const text = (output_index: number, item_id: string, piece: string) => ({
    type: "response.output_text.delta",
    output_index,
    item_id,
    content_index: 0,
    delta: piece,
  });

  it("mixes messages, reasoning and calls gives the items that it would have given in order", async () => {
    const reasoning = {
      type: "reasoning",
      id: "rs_a",
      summary: [{ type: "summary_text", text: "hm" }],
      encrypted_content: "gAAA",
    };
    const one = message("msg_1", "ONE");
    const two = message("msg_2", "TWO");
    const called = {
      type: "function_call",
      id: "fc_1",
      call_id: "c1",
      name: "f",
      arguments: "{}",
      status: "completed",
    };
    const chunks = [
      added(0, { ...reasoning, summary: [], encrypted_content: null }),
      added(1, { ...one, content: [] }),
      added(2, { ...called, arguments: "" }),
      text(1, "msg_1", "ON"),
      added(3, { ...two, content: [] }),
      {
        type: "response.reasoning_summary_text.delta",
        output_index: 0,
        item_id: "rs_a",
        summary_index: 0,
        delta: "hm",
      },
      text(3, "msg_2", "TWO"),
      { type: "response.function_call_arguments.delta", output_index: 2, item_id: "fc_1", delta: "{}" },
      done(3, two),
      text(1, "msg_1", "E"),
      done(2, called),
      done(1, one),
      done(0, reasoning),
      completed([reasoning, one, called, two]),
    ];
    const answer = await play("responses", "responses", { chunks });
    expect(answer.items).toMatchObject([
      { type: "reasoning", id: "rs_a", encrypted_content: "gAAA", summary: [{ text: "hm" }] },
      { type: "message", id: "msg_1", content: [{ text: "ONE" }] },
      { type: "function_call", id: "fc_1", call_id: "c1" },
      { type: "message", id: "msg_2", content: [{ text: "TWO" }] },
    ]);
    expect(answer.items).toHaveLength(4);
  });

  it("tells what an item is only at its end cannot get a call past the choice", async () => {
    const called = {
      type: "function_call",
      id: "fc_1",
      call_id: "c1",
      name: "f",
      arguments: "{}",
      status: "completed",
    };
    const chunks = [added(0, { id: "fc_1" }), done(0, called), completed([called])];
    expect((await play("responses", "responses", { chunks }, { choice: "none" })).items).toEqual([]);
    expect((await play("responses", "responses", { chunks })).calls).toMatchObject([{ id: "c1", name: "f" }]);
  });

  it("runs a tool itself meets a demand for a call", async () => {
    const search = { type: "web_search_call", id: "ws_1", status: "completed" };
    const chunks = [
      done(0, search),
      done(1, message("msg_1", "Found.")),
      completed([search, message("msg_1", "Found.")]),
    ];
    const more = { tools: [{ type: "web_search" }], tool_choice: "required" };
    const answer = await play("responses", "responses", { chunks }, { tools: [], more });
    expect(answer).toMatchObject({ text: "Found.", ended: "completed" });
  });

  it("has more at the end of a message than in its deltas is read to the end", async () => {
    const whole = message("msg_1", "Hello there");
    const chunks = [added(0, { ...whole, content: [] }), text(0, "msg_1", "Hel"), done(0, whole), completed([whole])];
    for (const client of clients) expect((await play(client, "responses", { chunks })).text).toBe("Hello there");
  });

  it("adds an item twice, or leaves one out of its output, loses and doubles nothing", async () => {
    const called = {
      type: "function_call",
      id: "fc_1",
      call_id: "c1",
      name: "f",
      arguments: '{"a":1}',
      status: "completed",
    };
    const reasoning = { type: "reasoning", id: "rs_1", summary: [] };
    const chunks = [
      added(0, reasoning),
      done(0, reasoning),
      added(1, { ...called, arguments: "" }),
      added(1, { ...called, arguments: "" }),
      { type: "response.function_call_arguments.delta", output_index: 1, item_id: "fc_1", delta: '{"a":1}' },
      completed([called]),
    ];
    for (const client of clients) {
      const answer = await play(client, "responses", { chunks });
      expect(answer.calls).toMatchObject([{ id: "c1", arguments: '{"a":1}' }]);
      expect(answer.calls).toHaveLength(1);
    }
  });

  it("sends items without index and id gives each once", async () => {
    const called = { type: "function_call", call_id: "c1", name: "f", arguments: '{"a":1}' };
    const chunks = [
      { type: "response.output_text.delta", delta: "Hel" },
      { type: "response.output_text.delta", delta: "lo" },
      { type: "response.output_item.done", item: called },
      completed([message("msg_9", "Hello"), called]),
    ];
    for (const client of clients) {
      const answer = await play(client, "responses", { chunks });
      expect(answer.text).toBe("Hello");
      expect(answer.calls).toHaveLength(1);
    }
  });

  it("says completed of a response that is not is not believed", async () => {
    const half = { ...message("msg_1", "Half a"), status: "incomplete" };
    const more = { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } };
    const answer = await play("responses", "responses", { chunks: [done(0, half), completed([half], more)] });
    expect(answer).toMatchObject({ text: "Half a", ended: "length" });
  });

  it("is cut off after a call's name gives no call", async () => {
    const cut = { type: "function_call", id: "fc_1", call_id: "c1", name: "f", arguments: "", status: "incomplete" };
    const response = {
      id: "resp_x",
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
      output: [cut],
    };
    const chunks = [added(0, cut), done(0, cut), { type: "response.incomplete", response }];
    expect(await play("responses", "responses", { chunks })).toMatchObject({ calls: [], ended: "length" });
    expect(await play("chat", "responses", { chunks })).toMatchObject({ calls: [], ended: "length" });
  });

  it("says that a call is incomplete whose arguments look whole is believed", async () => {
    const called = { type: "function_call", id: "fc_1", call_id: "c1", name: "f", arguments: '{"a":1}' };
    const chunks = [
      added(0, { ...called, arguments: "" }),
      { type: "response.function_call_arguments.delta", output_index: 0, item_id: "fc_1", delta: '{"a":1}' },
      done(0, { ...called, status: "incomplete" }),
      completed([]),
    ];
    expect(await play("responses", "responses", { chunks })).toMatchObject({ calls: [], ended: "length" });
  });
});
