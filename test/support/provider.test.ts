import { afterEach, describe, expect, it } from "vitest";
import type { Api } from "./api.ts";
import { checkChatStream } from "./chat-stream.ts";
import { conversation, offeredTools, type Provider, type Reply, type Script, startProvider } from "./provider.ts";
import { checkResponsesStream } from "./responses-stream.ts";
import { checkChatWhole, checkResponsesWhole } from "./whole.ts";

const apis = ["chat", "responses"] as const;
let provider: Provider | undefined;

afterEach(async () => {
  await provider?.close();
  provider = undefined;
});

async function start(script: Script): Promise<Provider> {
  provider = await startProvider(script);
  return provider;
}

function post(api: Api, body: object, signal?: AbortSignal): Promise<Response> {
  const path = api === "chat" ? "/chat/completions" : "/responses";
  const request = { method: "POST", body: JSON.stringify({ model: "m", ...body }), ...(signal && { signal }) };
  return fetch(`${provider?.url}${path}`, request);
}

const usage = { input: 5, output: 4, cached: 2, reasoning: 1 };
const rich: Reply = {
  ...{ think: "Hm, 日本.", say: "Let me see 😀", chunk: 3, usage },
  annotations: [{ type: "url_citation", url: "https://a.example", title: "A", start_index: 0, end_index: 1 }],
  calls: [
    { id: "call_a", name: "get_weather", arguments: '{"city":"Rome"}' },
    { name: "apply_patch", arguments: "*** End", kind: "custom" },
  ],
};
const folded = {
  ...{ faults: [], reasoning: "Hm, 日本.", text: "Let me see 😀", ended: "completed" },
  annotations: [{ type: "url_citation", url: "https://a.example", title: "A", start_index: 0, end_index: 1 }],
  calls: [
    { id: "call_a", name: "get_weather", arguments: '{"city":"Rome"}', kind: "function" },
    { id: "call_3", name: "apply_patch", arguments: "*** End", kind: "custom" },
  ],
  usage: { input: 5, output: 4, total: 9, cached: 2, reasoning: 1 },
};

describe("a reply for both APIs", () => {
  it("streams correctly on Chat", async () => {
    await start(() => rich);
    const answer = await post("chat", { stream: true, stream_options: { include_usage: true } });
    expect(answer.headers.get("content-type")).toBe("text/event-stream");
    expect(checkChatStream(await answer.text(), { includeUsage: true })).toMatchObject(folded);
  });

  it("streams correctly on Responses", async () => {
    await start(() => rich);
    expect(checkResponsesStream(await (await post("responses", { stream: true })).text())).toMatchObject(folded);
  });

  it("comes whole on both", async () => {
    await start(() => rich);
    expect(checkChatWhole(await (await post("chat", {})).json())).toMatchObject(folded);
    expect(checkResponsesWhole(await (await post("responses", {})).json())).toMatchObject(folded);
  });

  it("refuses", async () => {
    await start(() => ({ refuse: "No." }));
    const stream = { stream: true };
    expect(checkChatStream(await (await post("chat", stream)).text())).toMatchObject({ faults: [], refusal: "No." });
    expect(checkResponsesStream(await (await post("responses", stream)).text())).toMatchObject({
      faults: [],
      refusal: "No.",
    });
  });

  it("mixes the pieces of calls when it is told to", async () => {
    const calls = ["a", "b"].map((name) => ({ name, arguments: `{"${name}":1}` }));
    await start(() => ({ calls, interleave: true, chunk: 2 }));
    const chat = checkChatStream(await (await post("chat", { stream: true })).text());
    expect(chat.faults).toEqual(["deltas of two calls are mixed"]);
    expect(chat.calls).toMatchObject(calls);
    const responses = checkResponsesStream(await (await post("responses", { stream: true })).text());
    expect(responses.faults).toContain("an item is added before the last one is done");
  });

  it.each(apis)("stops without an ending, or at a limit, on %s", async (api) => {
    await start(({ model }) => ({ say: "Half", finish: model === "cut" ? null : "length" }));
    const check = api === "chat" ? checkChatStream : checkResponsesStream;
    const cut = check(await (await post(api, { model: "cut", stream: true })).text());
    expect(cut.faults).toContain("no [DONE]");
    expect(cut.ended).toBe("none");
    const full = check(await (await post(api, { stream: true })).text());
    expect(full).toMatchObject({ faults: [], text: "Half", ended: "length" });
  });
});

describe("a raw reply", () => {
  it("sends the payloads it was given", async () => {
    await start(({ api }) => ({ chunks: [api === "chat" ? { a: 1 } : { type: "x" }], done: api === "chat" }));
    expect(await (await post("chat", { stream: true })).text()).toBe('data: {"a":1}\n\ndata: [DONE]\n\n');
    expect(await (await post("responses", { stream: true })).text()).toBe('event: x\ndata: {"type":"x"}\n\n');
  });

  it("sends bytes, waits, and cuts", async () => {
    const bytes = Buffer.from("日本");
    await start(({ model }) => ({
      bytes: [bytes.subarray(0, 2), { wait: 5 }, bytes.subarray(2), ...(model === "cut" ? ["cut"] : [])],
    }));
    expect(await (await post("chat", {})).text()).toBe("日本");
    const answer = await post("chat", { model: "cut" });
    await expect(answer.text()).rejects.toThrow();
    expect(provider?.requestsOf("cut")[0]?.closedEarly).toBe(false);
  });

  it("sends a body or an error, whatever was asked", async () => {
    await start(({ model }) =>
      model === "m" ? { whole: { ok: true } } : { status: 429, headers: { "retry-after": "3" } },
    );
    expect(await (await post("chat", { stream: true })).json()).toEqual({ ok: true });
    const error = await post("chat", { model: "busy" });
    expect(error.status).toBe(429);
    expect(error.headers.get("retry-after")).toBe("3");
    expect(await error.json()).toMatchObject({ error: { message: "Scripted to fail." } });
  });

  it("says when a script fails", async () => {
    await start(() => {
      throw new Error("oops");
    });
    expect((await post("chat", {})).status).toBe(500);
  });
});

describe("what the provider saw", () => {
  it("is kept, with its count", async () => {
    const { requests, requestsOf, url } = await start(({ count }) => ({ say: String(count) }));
    await post("chat", { messages: [] });
    expect(checkChatWhole(await (await post("chat", {})).json()).text).toBe("2");
    await post("responses", { model: "other" });
    expect(requests.map(({ api, path }) => [api, path])).toEqual([
      ["chat", "/v1/chat/completions"],
      ["chat", "/v1/chat/completions"],
      ["responses", "/v1/responses"],
    ]);
    expect(requestsOf("m")).toHaveLength(2);
    expect((await fetch(`${url}/models`)).status).toBe(200);
  });

  it("includes that the other side left", async () => {
    const { requestsOf } = await start(() => ({ bytes: [": hello\n\n", "hang"] }));
    const leaving = new AbortController();
    await post("chat", { stream: true }, leaving.signal);
    leaving.abort();
    await expect.poll(() => requestsOf("m")[0]?.closedEarly).toBe(true);
    expect(requestsOf("m")[0]?.closedAt).toBeTypeOf("number");
  });

  it("is read the same from both APIs", () => {
    const image = "data:image/png;base64,AA==";
    const tool = { name: "get_weather", description: "Weather", parameters: { type: "object" }, strict: true };
    const entries = [
      { kind: "message", role: "system", text: "Be brief.", images: [] },
      { kind: "message", role: "user", text: "Look", images: [image] },
      { kind: "call", id: "call_1", name: "get_weather", arguments: "{}" },
      { kind: "call", id: "call_2", name: "apply_patch", arguments: "x" },
      { kind: "output", id: "call_1", text: "12 C" },
    ];
    const chat = {
      messages: [
        { role: "system", content: "Be brief." },
        {
          role: "user",
          content: [
            { type: "text", text: "Look" },
            { type: "image_url", image_url: { url: image } },
          ],
        },
        {
          ...{ role: "assistant", content: null },
          tool_calls: [
            { id: "call_1", type: "function", function: { name: "get_weather", arguments: "{}" } },
            { id: "call_2", type: "custom", custom: { name: "apply_patch", input: "x" } },
          ],
        },
        { role: "tool", tool_call_id: "call_1", content: [{ type: "text", text: "12 C" }] },
      ],
      tools: [{ type: "function", function: tool }, { type: "web_search" }],
    };
    const responses = {
      instructions: "Be brief.",
      input: [
        {
          role: "user",
          content: [
            { type: "input_text", text: "Look" },
            { type: "input_image", image_url: image },
          ],
        },
        { type: "reasoning", id: "rs_1", summary: [] },
        { type: "function_call", call_id: "call_1", name: "get_weather", arguments: "{}" },
        { type: "custom_tool_call", call_id: "call_2", name: "apply_patch", input: "x" },
        { type: "function_call_output", call_id: "call_1", output: "12 C" },
      ],
      tools: [{ type: "function", ...tool }, { type: "web_search" }],
    };
    for (const body of [chat, responses]) {
      expect(conversation(body)).toEqual(entries);
      expect(offeredTools(body)).toEqual([{ kind: "function", ...tool }]);
    }
    expect(conversation({ input: "Hi" })).toEqual([{ kind: "message", role: "user", text: "Hi", images: [] }]);
  });
});
