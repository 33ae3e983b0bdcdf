import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Step } from "../../support/app-server/index.ts";
import { followUp } from "../../support/gateway.ts";
import { type CodexGateway, forms, patient, startCodex } from "./codex-gateway.ts";

const parameters = { type: "object", properties: { city: { type: "string" } } };
const tools = [{ name: "get_weather", description: "The weather of a city", parameters }];
const paris = { name: "get_weather", arguments: '{"city":"Paris"}' };

/** A call as the recordings have it, and then a tale of what the tool has said. */
const tale: Step[] = [
  { say: ["<tool", "_call>", '{"name":"get_weather","arguments":{"city":"Pa', 'ris"}}</tool_', "call>"], open: true },
  ...Array<Step>(200).fill({
    notify: { method: "item/agentMessage/delta", params: { itemId: "m", delta: "It is so. " } },
  }),
  { hang: true },
];

let codex: CodexGateway;
beforeAll(async () => {
  codex = await startCodex(
    {
      turns: {
        split: { play: "b-toolcall-text-split" },
        waits: { play: "k9-stable-only-sentinel" },
        tale,
        after: [{ say: "21 degrees." }, { usage: true }],
      },
    },
    { tools: "prompted" },
  );
});
afterAll(() => codex.close());

describe.each(forms)("a %s client whose tools are in the prompt (stream: %s)", (api, stream) => {
  it("gets a call that the model wrote in pieces, and no word that it wrote behind it", async () => {
    const answer = await codex.turn(api, { prompt: "[[split]] weather", tools, stream });
    expect(answer).toMatchObject({ status: 200, ended: "completed", calls: [paris] });
    expect(answer.text.trim()).toBe("I will look.");
    expect(answer.raw).not.toMatch(/trailing|tool_call>/);
    if (api === "chat") expect(answer.finish).toBe("tool_calls");
  });

  it.each([
    ["that tells a tale behind its call", { prompt: "[[tale]]" }],
    ["whose one call is all that is wanted", { prompt: "[[waits]]", parallel: false }],
  ])("does not wait for a model %s", async (_, wish) => {
    const turns = (await codex.scene.requests("turn/start")).length;
    const answer = await codex.turn(api, { tools, stream, ...wish });
    expect(answer).toMatchObject({ status: 200, ended: "completed", calls: [paris] });
    expect(answer.raw).not.toContain("It is so.");
    // Codex is stopped there, and the thread is given up.
    const [started] = (await codex.scene.requests("turn/start")).slice(turns);
    for (const method of ["turn/interrupt", "thread/unsubscribe"]) {
      const threads = async () => (await codex.scene.requests(method)).map(({ params }) => params?.threadId);
      await expect.poll(threads, patient).toContain(started?.params?.threadId);
    }
  });

  it("gets its answer when it has given the output", async () => {
    const asked = { prompt: "[[split]] weather", tools, stream };
    const first = await codex.turn(api, asked);
    const second = await codex.turn(api, { ...asked, after: followUp(api, first, ["21 [[after]]"]) });
    expect(second).toMatchObject({ ended: "completed", text: "21 degrees.", calls: [] });
  });
});

describe("Codex, when tools are in the prompt", () => {
  it("reads of the tools in words, and is offered none", async () => {
    await codex.turn("chat", { prompt: "[[split]]", tools });
    const started = await codex.scene.last("thread/start");
    expect(started.params?.dynamicTools ?? []).toEqual([]);
    const injected = await codex.scene.last("thread/inject_items");
    const words = JSON.stringify([started.params, injected.params]);
    expect(words).toContain("# CLIENT TOOL CATALOG");
    expect(words).toContain("get_weather");
  });
});
