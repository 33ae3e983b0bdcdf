import { beforeEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/turn/index.ts";
import type { Api } from "../support/api.ts";
import { objectsOf } from "../support/folded.ts";
import { ask, requestFor, type TurnWish } from "../support/gateway.ts";
import { itemsReply, type Reply } from "../support/provider.ts";
import { codexStage } from "./support/codex-stage.ts";
import { parameters } from "./support/codex-trip.ts";
import { onlyRequest, upstreamItems, upstreamMessages } from "./support/codex-upstream.ts";

const tools = [{ name: "get_weather", description: "Weather now", parameters }];
const apis = ["chat", "responses"] as const;

let reply: Reply = { say: "Fine." };
const stage = codexStage(() => reply);
beforeEach(() => {
  reply = { say: "Fine." };
});

/** What the model is asked with after this. */
async function replay(api: Api, after: JsonObject[], wish: Partial<TurnWish> = {}): Promise<JsonObject> {
  const answer = await ask(stage.gateway, api, requestFor(api, { model: "codex", tools, after, ...wish }));
  expect(answer).toMatchObject({ status: 200, text: "Fine.", ended: "completed" });
  const body = await onlyRequest(stage.provider);
  // So Codex answers a call by itself.
  expect(JSON.stringify(body)).not.toContain('"aborted"');
  return body;
}

const call = (city: string, call_id = "call_1") => ({
  ...{ type: "function_call", call_id, name: "get_weather", arguments: JSON.stringify({ city }) },
});
const output = (text: string, call_id = "call_1") => ({ type: "function_call_output", call_id, output: text });
const custom = { type: "custom_tool_call", call_id: "call_1", name: "note", input: "milk" };
const user = (content: string) => ({ role: "user", content });

/** The calls and results of the conversation, in order. */
const exchanged = (body: JsonObject) =>
  objectsOf(body.input).flatMap((item) => {
    if (/_output$/.test(String(item.type))) return [`result ${item.call_id}: ${item.output}`];
    return /_call$/.test(String(item.type)) ? [`call ${item.call_id}: ${item.arguments ?? item.input}`] : [];
  });
const rome = '{"city":"Rome"}';
const oslo = '{"city":"Oslo"}';

describe("a result", () => {
  it.each<[string, JsonObject[], string]>([
    ["of a custom tool in the words of a function", [custom, output("Noted.")], '{"input":"milk"}'],
    [
      "of a function in the words of a custom tool",
      [call("Rome"), { ...output("Noted."), type: "custom_tool_call_output" }],
      rome,
    ],
  ])("reaches the model with its call: %s", async (_, after, written) => {
    expect(exchanged(await replay("responses", after))).toEqual([`call call_1: ${written}`, "result call_1: Noted."]);
  });

  it("belongs to its call, whatever the order is", async () => {
    const after = [call("Rome", "call_a"), call("Oslo", "call_b"), output("3", "call_b"), output("21", "call_a")];
    expect(exchanged(await replay("responses", after)).toSorted()).toEqual([
      ...[`call call_a: ${rome}`, `call call_b: ${oslo}`, "result call_a: 21", "result call_b: 3"],
    ]);
  });

  it("reaches the model in words where its call is not there, and not as an instruction", async () => {
    const result = { chat: { role: "tool", tool_call_id: "call_gone", content: "21 degrees" } };
    for (const [api, after] of [
      ["chat", [result.chat, user("So?")]],
      ["responses", [output("21 degrees", "call_gone"), user("So?")]],
    ] as const) {
      stage.provider.requests.length = 0;
      const body = await replay(api, [...after]);
      expect(exchanged(body)).toEqual([]);
      expect(upstreamMessages(body).map(([role]) => role)).toEqual(["user", "user", "user"]);
      expect(upstreamMessages(body)[1]?.[1]).toContain("21 degrees");
    }
  });
});

describe("a call that has no result", () => {
  it("is told in words, and no result is made up", async () => {
    const body = await replay("responses", [call("Rome"), user("Never mind.")]);
    expect(exchanged(body)).toEqual([]);
    const [, told, last] = upstreamMessages(body);
    expect(told?.[0]).not.toBe("developer");
    expect(told?.[1]).toMatch(/get_weather.*Rome.*No result/s);
    expect(last).toEqual(["user", "Never mind."]);
  });

  it.each<[string, JsonObject[], string[], string]>([
    [
      "and later has the id of one that has",
      [call("Rome"), user("Oslo, rather."), call("Oslo"), output("3")],
      [`call call_1: ${oslo}`, "result call_1: 3"],
      "Rome",
    ],
    [
      "and has the id of an earlier one that has",
      [call("Rome"), output("21"), user("And Oslo?"), call("Oslo"), user("Never mind.")],
      [`call call_1: ${rome}`, "result call_1: 21"],
      "Oslo",
    ],
  ])("does not take the result of another: %s", async (_, after, expected, untold) => {
    const body = await replay("responses", after);
    expect(exchanged(body)).toEqual(expected);
    const told = upstreamMessages(body).filter(([, text]) => text.includes("No result"));
    expect(told).toMatchObject([["user", expect.stringContaining(untold)]]);
  });
});

describe("two calls of one id", () => {
  it("keep their own results", async () => {
    const after = [call("Rome"), output("21"), user("And Oslo?"), call("Oslo"), output("3")];
    expect(exchanged(await replay("responses", after))).toEqual([
      ...[`call call_1: ${rome}`, "result call_1: 21", `call call_1: ${oslo}`, "result call_1: 3"],
    ]);
  });
});

describe("reasoning that only its maker can read", () => {
  const model = "codex/gpt-5.5";
  const sealed = "U0VDUkVU";
  const thought = {
    ...{ id: "rs_1", type: "reasoning", encrypted_content: sealed },
    summary: [{ type: "summary_text", text: "Look it up." }],
  };

  it.each([true, false])(
    "goes back with its call, also where a chat client brings or drops its words (%s)",
    async (keeps) => {
      reply = itemsReply([thought, { id: "fc_1", ...call("Rome", "call_7") }]);
      const asked = requestFor("chat", { model, tools });
      const first = await ask(stage.gateway, "chat", asked);
      expect(first).toMatchObject({ reasoning: "Look it up.", calls: [{ name: "get_weather" }] });
      stage.provider.requests.length = 0;
      reply = { say: "Fine." };
      const [made] = first.calls;
      const message = {
        ...{ role: "assistant", content: null, ...(keeps && { reasoning_content: first.reasoning }) },
        tool_calls: [{ id: made?.id, type: "function", function: { name: made?.name, arguments: made?.arguments } }],
      };
      const body = await replay("chat", [message, { role: "tool", tool_call_id: made?.id, content: "21" }], { model });
      expect(objectsOf(body.input).map(({ type }) => type)).toEqual([
        ...["message", "reasoning", "function_call", "function_call_output"],
      ]);
      expect(upstreamItems(body, "reasoning")).toMatchObject([{ encrypted_content: sealed }]);
    },
  );

  it("goes back also where it has no id", async () => {
    const { id: _, ...nameless } = thought;
    const body = await replay("responses", [nameless, call("Rome"), output("21")], { model });
    expect(upstreamItems(body, "reasoning")).toMatchObject([{ encrypted_content: sealed }]);
  });
});

describe("what only the Responses API has a word for", () => {
  it("comes down and goes up again: the phase of a message", async () => {
    const said = (id: string, text: string, phase: string) => ({
      ...{ id, type: "message", role: "assistant", status: "completed", phase },
      content: [{ type: "output_text", text, annotations: [] }],
    });
    reply = itemsReply([said("msg_1", "Let me look.", "commentary"), said("msg_2", "It is mild.", "final_answer")]);
    const first = await ask(stage.gateway, "responses", requestFor("responses", { model: "codex", stream: true }));
    const phases = [{ phase: "commentary" }, { phase: "final_answer" }];
    expect(first.items).toMatchObject(phases);
    stage.provider.requests.length = 0;
    reply = { say: "Fine." };
    const body = await replay("responses", [...first.items, user("Thanks.")]);
    expect(upstreamItems(body, "message").filter(({ role }) => role === "assistant")).toMatchObject(phases);
  });

  it("is passed on: a summary of before, a search", async () => {
    const search = {
      ...{ type: "web_search_call", id: "ws_1", status: "completed" },
      action: { type: "search", query: "weather in Rome" },
    };
    const summary = { type: "compaction", id: "cmp_1", encrypted_content: "U1VN" };
    const body = await replay("responses", [summary, search, user("So?")]);
    expect(upstreamItems(body, "compaction")).toMatchObject([{ encrypted_content: "U1VN" }]);
    expect(upstreamItems(body, "web_search_call")).toMatchObject([{ action: search.action }]);
  });
});

describe.each(apis)("an image of a %s client that no model could see", (api) => {
  const base64 = (text: string) => Buffer.from(text).toString("base64");

  it.each<[string, string | undefined]>([
    ["is text that is called a PNG", `data:image/png;base64,${base64("This is no image at all.")}`],
    ["is drawn in SVG", `data:image/svg+xml;base64,${base64('<svg xmlns="http://www.w3.org/2000/svg"/>')}`],
    ["is drawn in SVG, as text", "data:image/svg+xml,<svg/>"],
    ["is not there", undefined],
  ])("is refused, with the place: it %s", async (_, url) => {
    const part = api === "chat" ? { type: "image_url", image_url: { url } } : { type: "input_image", image_url: url };
    const place = api === "chat" ? "messages" : "input";
    const body = { model: "codex", [place]: [{ role: "user", content: [part] }] };
    const answer = await ask(stage.gateway, api, body);
    expect(answer).toMatchObject({ status: 400, error: { type: "invalid_request_error" } });
    expect(answer.error?.param).toMatch(new RegExp(`^${place}`));
    expect(stage.provider.requests).toEqual([]);
  });
});
