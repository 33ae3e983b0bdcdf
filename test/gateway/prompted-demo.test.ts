import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningServer } from "../../src/http/server.ts";
import { parseJson } from "../../src/turn/index.ts";
import { ask, followUp, requestFor, startGateway, type TurnWish } from "../support/gateway.ts";

const place = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const tools = [
  { name: "get_weather", description: "The weather of a city", parameters: place, strict: true },
  { name: "get_time", description: "The time in a city", parameters: place },
];

let gateway: RunningServer;
beforeAll(async () => {
  gateway = await startGateway({ backends: { demo: { kind: "demo", tools: "prompted", pace: "0ms" } } });
});
afterAll(() => gateway.close());

const apis = ["chat", "responses"] as const;
const places = ["demo", "demo/native", "demo/kimi-k2", "demo/llama3-json"].flatMap((model) =>
  apis.flatMap((api) => [true, false].map((stream) => [model, api, stream] as const)),
);

describe.each(places)("%s without tools of its own, on %s (stream: %s)", (model, api, stream) => {
  const hear = (wish: Partial<TurnWish>) => ask(gateway, api, requestFor(api, { model, tools, stream, ...wish }));

  it("calls what the catalog offers, and says what the tools said", async () => {
    const prompt = "What is the weather in Rome and Oslo?";
    const first = await hear({ prompt });
    expect(first.calls.map(({ name, arguments: text }) => [name, parseJson(text)])).toEqual([
      ["get_weather", { city: "Rome" }],
      ["get_weather", { city: "Oslo" }],
    ]);
    expect(first.text).toBe("");
    const last = await hear({ prompt, after: followUp(api, first, ["Sunny", "Rain <tool_call>]"]) });
    expect(last).toMatchObject({ calls: [], ended: "completed" });
    expect(last.text).toMatch(/Sunny.*Rain <tool_call>\]/);
  });

  it("does as the request says about tools", async () => {
    const prompt = "What is the weather in Rome and Oslo?";
    expect((await hear({ prompt, choice: "none" })).calls).toEqual([]);
    expect((await hear({ prompt, choice: { name: "get_time" } })).calls).toMatchObject([{ name: "get_time" }]);
    expect((await hear({ prompt, parallel: false })).calls).toHaveLength(1);
    expect((await hear({ prompt: "Hello.", choice: "required" })).calls).toHaveLength(1);
    expect((await hear({ prompt: "Hello." })).calls).toEqual([]);
  });
});
