import { describe, expect, it } from "vitest";
import { finished, type Item, type JsonObject, type KeptAnswer } from "../../src/turn/index.ts";
import { chatCodec } from "../../src/wire/chat/index.ts";
import { storedMessages } from "../../src/wire/chat/stored-messages.ts";
import type { Codec } from "../../src/wire/index.ts";
import { responsesCodec } from "../../src/wire/responses/index.ts";
import { visibleItems } from "../../src/wire/visible-items.ts";
import { KeptAnswers, windowOf } from "../support/kept-answers.ts";
import { mostGrowth, timeGrowth, turnsDuring } from "../support/time-growth.ts";

const answer: KeptAnswer = {
  id: "answer-1",
  model: "m",
  status: "completed",
  createdAt: 0,
  body: {},
  metadata: {},
  output: [],
  legacy: false,
  size: 0,
};

/** Lists what the model was given for an answer, as a client reads it. */
async function listed(codec: Codec, path: string, input: Item[], query = "order=asc", more: Partial<KeptAnswer> = {}) {
  const answers = new KeptAnswers();
  answers.put("me", codec.name, { ...answer, ...more }, input);
  const resource = codec.resources?.find((each) => each.path === path);
  if (!resource) throw new Error(`there is no resource ${path}`);
  const call = { answers, owner: "me", id: "answer-1", query: new URLSearchParams(query) };
  return resource.handle(call) as Promise<{ data: JsonObject[] } & JsonObject>;
}

const inputItems = (input: Item[], query?: string) =>
  listed(responsesCodec, "/responses/:id/input_items", input, query);
const messages = (input: Item[], query?: string, more?: Partial<KeptAnswer>) =>
  listed(chatCodec, "/chat/completions/:id/messages", input, query, more);

const conversation: Item[] = [
  { type: "message", role: "developer", id: "msg_1", content: [{ type: "text", text: "Be brief." }] },
  {
    type: "message",
    role: "user",
    id: "msg_2",
    content: [
      { type: "text", text: "Weather here?" },
      { type: "image", url: "data:image/png;base64,AA==" },
    ],
  },
  { type: "reasoning", id: "rs_1", summary: ["Hm."], encrypted: "sealed" },
  { type: "call", kind: "function", owner: "gateway", id: "fc_0", callId: "call_0", name: "where", arguments: "{}" },
  { type: "output", kind: "function", id: "fco_0", callId: "call_0", output: "Bern" },
  { type: "message", role: "assistant", id: "msg_3", content: [{ type: "text", text: "Let me look." }] },
  { type: "call", kind: "function", id: "fc_1", callId: "call_1", name: "get_weather", arguments: '{"city":"Bern"}' },
  { type: "output", kind: "function", id: "fco_1", callId: "call_1", output: "sunny" },
  { type: "call", kind: "custom", id: "ctc_2", callId: "call_2", name: "run", arguments: "ls" },
  { type: "output", kind: "custom", id: "ctco_2", callId: "call_2", output: [{ type: "text", text: "a.txt" }] },
  { type: "opaque", format: "responses", fields: { type: "web_search_call", id: "ws_1", status: "completed" } },
];

describe("the input items of a response", () => {
  it("are everything that the model was given, in the form of this API, without what the gateway did", async () => {
    const { data, ...list } = await inputItems(conversation);
    expect(list).toEqual({ object: "list", first_id: "msg_1", last_id: "ws_1", has_more: false });
    expect(data).toEqual([
      {
        ...{ type: "message", id: "msg_1", status: "completed", role: "developer" },
        content: [{ type: "input_text", text: "Be brief." }],
      },
      {
        ...{ type: "message", id: "msg_2", status: "completed", role: "user" },
        content: [
          { type: "input_text", text: "Weather here?" },
          { type: "input_image", image_url: "data:image/png;base64,AA==", detail: "auto" },
        ],
      },
      {
        ...{ type: "reasoning", id: "rs_1", status: "completed", encrypted_content: "sealed" },
        summary: [{ type: "summary_text", text: "Hm." }],
      },
      {
        ...{ type: "message", id: "msg_3", status: "completed", role: "assistant" },
        content: [{ type: "output_text", text: "Let me look.", annotations: [] }],
      },
      {
        ...{ type: "function_call", id: "fc_1", call_id: "call_1", status: "completed" },
        ...{ name: "get_weather", arguments: '{"city":"Bern"}' },
      },
      { type: "function_call_output", id: "fco_1", call_id: "call_1", output: "sunny", status: "completed" },
      { type: "custom_tool_call", id: "ctc_2", call_id: "call_2", name: "run", input: "ls" },
      {
        ...{ type: "custom_tool_call_output", id: "ctco_2", call_id: "call_2" },
        output: [{ type: "input_text", text: "a.txt" }],
      },
      { type: "web_search_call", id: "ws_1", status: "completed" },
    ]);
  });

  it("come newest first, unless asked otherwise, and page by page", async () => {
    const first = await inputItems(conversation, "limit=2");
    expect(first).toMatchObject({ first_id: "ws_1", last_id: "ctco_2", has_more: true });
    expect(await inputItems(conversation, "limit=2&after=ctco_2&include=message.input_image.image_url")).toMatchObject({
      data: [{ id: "ctc_2" }, { id: "fco_1" }],
    });
    await expect(inputItems(conversation, "after=fc_0")).rejects.toMatchObject({ status: 400 });
  });

  it("can be read again as the input of a request", async () => {
    const { data } = await inputItems(conversation);
    const { turn } = responsesCodec.decode({ model: "m", input: data }, { toolOutput: 1000 });
    expect(turn.input.map((item) => (item.type === "opaque" ? item.fields.id : item.id))).toEqual(
      data.map(({ id }) => id),
    );
  });

  it("leave out what only the other API can show", async () => {
    const audio: Item = { type: "opaque", format: "chat", fields: { role: "robot", id: "x" } };
    expect((await inputItems([audio])).data).toEqual([]);
  });
});

const empty = { name: null, refusal: null, tool_calls: null, tool_call_id: null, function_call: null };

describe("the messages of a completion", () => {
  it("are everything that the model was given, in the form of this API, without what the gateway did", async () => {
    const { data, ...list } = await messages(conversation, "");
    expect(list).toEqual({ object: "list", first_id: "answer-1-0", last_id: "answer-1-5", has_more: false });
    const image = { type: "image_url", image_url: { url: "data:image/png;base64,AA==" } };
    expect(data).toEqual([
      { ...empty, id: "answer-1-0", role: "developer", content: "Be brief.", content_parts: null },
      {
        ...{ ...empty, id: "answer-1-1", role: "user", content: "Weather here?" },
        content_parts: [{ type: "text", text: "Weather here?" }, image],
      },
      expect.objectContaining({
        ...{ role: "assistant", content: "Let me look.", reasoning_content: "Hm.", content_parts: null },
        tool_calls: [
          { id: "call_1", type: "function", function: { name: "get_weather", arguments: '{"city":"Bern"}' } },
        ],
      }),
      { ...empty, id: "answer-1-3", role: "tool", tool_call_id: "call_1", content: "sunny", content_parts: null },
      expect.objectContaining({
        ...{ role: "assistant", content: null },
        tool_calls: [{ id: "call_2", type: "custom", custom: { name: "run", input: "ls" } }],
      }),
      { ...empty, id: "answer-1-5", role: "tool", tool_call_id: "call_2", content: "a.txt", content_parts: null },
    ]);
  });

  it("have the same ids on every page, and in either order", async () => {
    expect(await messages(conversation, "limit=1&after=answer-1-0")).toMatchObject({ data: [{ role: "user" }] });
    expect(await messages(conversation, "limit=1&order=desc")).toMatchObject({ data: [{ id: "answer-1-5" }] });
    await expect(messages(conversation, "after=answer-1-9")).rejects.toMatchObject({ status: 400 });
  });

  it("have ids of their own where this API needs more of them than are stored", async () => {
    const image = (callId: string): Item => ({
      ...{ type: "output", kind: "function", callId },
      output: [{ type: "image", url: "data:image/png;base64,AA==" }],
    });
    const says = (id: string): Item => ({ type: "message", role: "user", id, content: [] });
    const input = [says("a"), image("call_1"), says("b"), image("call_2")];
    const { data } = await messages(input, "limit=100");
    expect(data.map(({ id, role }) => `${id} ${role}`)).toEqual([
      ...["answer-1-0 user", "answer-1-1 tool", "answer-1-1-1 user"],
      ...["answer-1-2 user", "answer-1-3 tool", "answer-1-3-1 user"],
    ]);
    expect(await messages(input, "limit=2&after=answer-1-1-1")).toMatchObject({
      data: [{ id: "answer-1-2" }, { id: "answer-1-3" }],
    });
    for (const after of ["answer-1-1-2", "answer-1", "answer-1-1-1-1", "other-0", "answer-1-x"])
      await expect(messages(input, `after=${after}`)).rejects.toMatchObject({ status: 400 });
    await expect(messages(input, "after=answer-1-0&before=answer-1-9")).rejects.toMatchObject({ status: 400 });
  });

  it("are legacy ones where the client is a legacy one", async () => {
    const said: JsonObject[] = [
      { role: "user", content: "Weather?" },
      { role: "assistant", content: null, function_call: { name: "get_weather", arguments: "{}" } },
      { role: "function", name: "get_weather", content: "sunny" },
    ];
    const { turn } = chatCodec.decode({ model: "m", messages: said }, { toolOutput: 1000 });
    const { data } = await messages(turn.input, "", { legacy: true });
    expect(data).toMatchObject(said);
    expect(data.map(({ tool_calls: calls, tool_call_id: id }) => [calls, id])).toEqual(said.map(() => [null, null]));
  });
});

describe("what a client may see", () => {
  it("includes the output of a call of its own that has the id of an earlier one of the gateway", () => {
    const call = (owner: "client" | "gateway"): Item[] => [
      { type: "call", kind: "function", owner, callId: "fc_001", name: "f", arguments: "" },
      { type: "output", kind: "function", callId: "fc_001", output: owner },
    ];
    const items = [...call("gateway"), ...call("client"), ...call("gateway")];
    expect(finished(visibleItems(items))).toEqual(items.slice(2, 4));
  });
});

describe("a very long input", () => {
  const long = (size: number): Item[] =>
    Array.from({ length: size }, (_, at) =>
      at % 2 === 0
        ? { type: "call", kind: "function", id: `fc_${at}`, callId: `call_${at}`, name: "f", arguments: "{}" }
        : { type: "output", kind: "function", id: `fco_${at}`, callId: `call_${at - 1}`, output: "x" },
    );

  it("is listed in linear time", () => {
    const inputs = new Map([2_000, 16_000].map((size) => [size, long(size)]));
    const work = (size: number) => {
      finished(storedMessages("a", { position: 0, length: size, items: inputs.get(size) ?? [] }, true));
    };
    expect(timeGrowth(work, 2_000)).toBeLessThan(mostGrowth);
  });

  it("does not hold the event loop", async () => {
    const answers = new KeptAnswers();
    const input = long(100_000);
    answers.answer = () => Promise.reject(new Error("the answer itself is not listed"));
    answers.inputOf = async (_owner, _api, _id, range) => windowOf(input, false, range);
    const resource = chatCodec.resources?.find(({ path }) => path.endsWith("/messages"));
    const call = { answers, owner: "me", id: "answer-1", query: new URLSearchParams() };
    expect(await turnsDuring(async () => resource?.handle(call))).toBeGreaterThan(100);
  });
});
