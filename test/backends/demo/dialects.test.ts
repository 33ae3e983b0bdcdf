import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parts } from "../../../src/gateway/parts.ts";
import type { RunningServer } from "../../../src/http/server.ts";
import type { Api } from "../../support/api.ts";
import { type Answer, ask, followUp, requestFor, startGateway, type TurnWish } from "../../support/gateway.ts";

const tools = [
  {
    name: "get_weather",
    description: "Get the current weather for a location",
    parameters: {
      type: "object",
      properties: { location: { type: "string" }, days: { type: "integer" }, detailed: { type: "boolean" } },
      required: ["location", "days"],
    },
  },
  { name: "apply_patch", kind: "custom" as const, description: "Edits a file" },
];
const prompt = "What is the weather in Köln and Rome for 3 days?";

let gateway: RunningServer;
beforeAll(async () => {
  const demo = { kind: "demo", pace: "0ms" };
  gateway = await startGateway({ backends: { demo, mute: { ...demo, dialects: "none" } } });
});
afterAll(() => gateway.close());

function play(api: Api, wish: Partial<TurnWish> & { model: string }): Promise<Answer> {
  return ask(gateway, api, requestFor(api, { prompt, tools, ...wish }));
}

const meaning = ({ calls }: Answer) => calls.map((call) => [call.name, JSON.parse(call.arguments)]);

describe.each(parts.dialects)("demo/%s", (dialect) => {
  const model = `demo/${dialect}`;

  it.each([
    ["chat", true],
    ["chat", false],
    ["responses", true],
    ["responses", false],
  ] as const)("gives a %s client the calls that demo/native makes (stream: %s)", async (api, stream) => {
    const native = await play(api, { model: "demo/native", stream });
    const written = await play(api, { model, stream });
    expect(meaning(native).length).toBeGreaterThan(1);
    expect(meaning(written)).toEqual(meaning(native));
    expect(written).toMatchObject({ text: "", finish: native.finish, ended: "completed" });
  });

  it("goes on when its tools have answered", async () => {
    const first = await play("chat", { model });
    const outputs = first.calls.map(() => "Sunny.");
    const { text, calls } = await play("chat", { model, after: followUp("chat", first, outputs) });
    expect(text).toContain("get_weather answered: Sunny.");
    expect(calls).toEqual([]);
  });
});

describe("the demo's dialects", () => {
  it("are text as the model wrote it where a configuration turns recovery off", async () => {
    const { text, calls, finish } = await play("chat", { model: "mute/hermes-json", stream: true });
    expect(calls).toEqual([]);
    expect(text).toContain('<tool_call>\n{"name": "get_weather", "arguments": {"location":"Köln"');
    expect(finish).toBe("stop");
  });

  it("have no words for a custom tool, which is called natively", async () => {
    const wish = { model: "demo/hermes-json", prompt: "Use apply_patch with '+one line'." };
    expect((await play("responses", wish)).calls).toMatchObject([{ name: "apply_patch", kind: "custom" }]);
  });

  it("are text where the token limit cuts a call", async () => {
    const { calls, text, ended } = await play("chat", { model: "demo/hermes-json", more: { max_tokens: 12 } });
    expect({ calls, ended }).toEqual({ calls: [], ended: "length" });
    expect(text).toMatch(/^<tool_call>\n\{"name": "get_weather"/);
  });

  it("are suggested where a name is nearly one", async () => {
    const { error } = await play("chat", { model: "demo/hermes_jsn" });
    expect(error).toMatchObject({ code: "model_not_found", message: expect.stringContaining('"demo/hermes-json"?') });
  });
});
