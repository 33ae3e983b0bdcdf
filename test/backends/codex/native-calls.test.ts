import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { followUp } from "../../support/gateway.ts";
import { type CodexGateway, forms, patient, startCodex } from "./codex-gateway.ts";

const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const tools = [{ name: "get_weather", description: "The weather of a city", parameters }];
const paris = { name: "get_weather", arguments: '{"city":"Paris"}' };
const rome = { name: "get_weather", arguments: '{"city":"Rome"}' };
const usage = { input: 100, output: 20, total: 120, cached: 7, reasoning: 3 };

let codex: CodexGateway;
beforeAll(async () => {
  codex = await startCodex({
    lateEchoes: true,
    turns: {
      parallel: { play: "e11-rawevents-pending-usage" },
      words: { play: "e1-dynamic-roundtrip" },
      after: [{ say: "Mild, then." }, { usage: true }],
      exact: [{ calls: [{ name: "get_weather", arguments: '{"city": "Paris",  "n": 12345678901234567890}' }] }],
      stranger: [{ calls: [{ name: "no_such_tool", arguments: { a: 1 }, unknown: true }] }, { say: "Unsupported." }],
      slow: { steps: [{ calls: [{ name: "get_weather", arguments: { city: "Paris" } }] }], pace: 200 },
      renamed: [{ calls: [{ name: { offered: 1 }, arguments: { city: "Rome" } }] }],
    },
  });
});
afterAll(() => codex.close());

describe.each(forms)("a %s client whose tools Codex offers to the model (stream: %s)", (api, stream) => {
  it("gets all calls of the response, and what it cost", async () => {
    const answer = await codex.turn(api, { prompt: "[[parallel]] weather?", tools, stream });
    expect(answer).toMatchObject({ status: 200, ended: "completed", text: "", calls: [paris, rome], usage });
    if (api === "chat") expect(answer.finish).toBe("tool_calls");
    expect(new Set(answer.calls.map(({ id }) => id)).size).toBe(2);
  });

  it("gets the words before a call, and none of what Codex would say behind it", async () => {
    const answer = await codex.turn(api, { prompt: "[[words]] weather?", tools, stream });
    expect(answer).toMatchObject({ ended: "completed", text: "Let me check.", calls: [paris] });
  });

  it("gets no call a second time that it gives back with its output", async () => {
    const asked = { prompt: "[[parallel]] weather?", tools, stream };
    const first = await codex.turn(api, asked);
    const after = followUp(api, first, ["21 degrees", "25 degrees [[after]]"]);
    const second = await codex.turn(api, { ...asked, after });
    expect(second).toMatchObject({ ended: "completed", text: "Mild, then.", calls: [], usage });
    const injected = await codex.scene.last("thread/inject_items");
    const [one, two] = first.calls.map(({ id }) => id);
    expect(injected.params?.items).toMatchObject([
      { type: "message", role: "user" },
      { type: "function_call", call_id: one, ...paris },
      { type: "function_call", call_id: two, ...rome },
      { type: "function_call_output", call_id: one, output: "21 degrees" },
      { type: "function_call_output", call_id: two, output: "25 degrees [[after]]" },
    ]);
  });

  it("gets the arguments as the model wrote them", async () => {
    const { calls } = await codex.turn(api, { prompt: "[[exact]]", tools, stream });
    expect(calls.map((call) => call.arguments)).toEqual(['{"city": "Paris",  "n": 12345678901234567890}']);
  });

  it("gets a call of a tool that nobody knows, instead of what Codex answers to it", async () => {
    const answer = await codex.turn(api, { prompt: "[[stranger]]", tools, stream });
    expect(answer).toMatchObject({ text: "", calls: [{ name: "no_such_tool", arguments: '{"a":1}' }] });
  });

  it("gets its own names back where Codex keeps some for itself", async () => {
    const named = ["get_weather", "exec_command", "mcp__files__read"].map((name) => ({ name, parameters }));
    const answer = await codex.turn(api, { prompt: "[[renamed]]", tools: named, stream });
    expect(answer).toMatchObject({ status: 200, calls: [{ name: "exec_command", arguments: '{"city":"Rome"}' }] });
    const started = await codex.scene.last("thread/start");
    expect(JSON.stringify(started.params?.dynamicTools)).not.toMatch(/"name":"(?:exec_command|mcp__)/);
  });
});

describe("Codex, when its model has made calls for the client", () => {
  it("is stopped, gets no output of them, and forgets the thread", async () => {
    const turns = (await codex.scene.requests("turn/start")).length;
    await codex.turn("chat", { prompt: "[[slow]]", tools, stream: true });
    const [started] = (await codex.scene.requests("turn/start")).slice(turns);
    const threadId = started?.params?.threadId;
    const about = async (method: string) =>
      (await codex.scene.requests(method)).filter(({ params }) => params?.threadId === threadId);
    await expect
      .poll(() => about("turn/interrupt"), patient)
      .toMatchObject([{ params: { turnId: expect.any(String) } }]);
    await expect.poll(() => about("thread/unsubscribe"), patient).toHaveLength(1);
    const outputs = (await codex.scene.entries("reply")).filter(({ method }) => method === "item/tool/call");
    expect(outputs.filter(({ result }) => JSON.stringify(result ?? null).includes('"success":true'))).toEqual([]);
  });

  it("was offered the tools as they are", async () => {
    await codex.turn("responses", { prompt: "[[parallel]]", tools });
    const started = await codex.scene.last("thread/start");
    expect(started.params).toMatchObject({
      experimentalRawEvents: true,
      dynamicTools: [
        { type: "function", name: "get_weather", description: "The weather of a city", inputSchema: parameters },
      ],
    });
    const [opened] = await codex.scene.requests("initialize");
    expect(opened?.params).toMatchObject({
      clientInfo: { name: "toolwire" },
      capabilities: { experimentalApi: true },
    });
  });
});
