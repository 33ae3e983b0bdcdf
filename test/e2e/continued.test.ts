import { createOpenAI } from "@ai-sdk/openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningServer } from "../../src/http/server.ts";
import { startGateway } from "../support/gateway.ts";
import { type Provider, startProvider } from "../support/provider.ts";
import { textModel } from "./support/codex-trip.ts";
import { agentsById, openaiById } from "./support/continued.ts";
import { createFolder } from "./support/folder.ts";
import { type Program, weatherStation } from "./support/round-trip.ts";
import { answer, cities, greeted, preamble } from "./support/script.ts";
import { generateTextProgram, type Setting, streamTextProgram } from "./support/stream-text.ts";

const aiSdk: Setting = {
  model: ({ url }, name) => createOpenAI({ baseURL: url, apiKey: "none" })(name),
  thinks: true,
};

const programs: [client: string, program: Program][] = [
  ["the openai client, streaming", openaiById(true)],
  ["the openai client", openaiById(false)],
  ["the AI SDK, streaming", streamTextProgram(aiSdk)],
  ["the AI SDK", generateTextProgram(aiSdk)],
  ["the Agents SDK, streaming", agentsById(true)],
  ["the Agents SDK", agentsById(false)],
];

describe.each(programs)("%s, which names what was said by ids", (_client, program) => {
  const folder = createFolder();
  let provider: Provider;
  let server: RunningServer;
  beforeAll(async () => {
    provider = await startProvider(greeted(textModel));
    const backend = (kind: string) => ({ kind, base_url: provider.url, api_key: "secret", tools: "prompted" });
    const demo = { kind: "demo", pace: "0ms" };
    const backends = {
      chat: backend("chat"),
      responses: backend("responses"),
      demo,
      text: { ...demo, tools: "prompted" },
    };
    server = await startGateway({ backends, store: folder.store });
  });
  afterAll(async () => {
    await server.close();
    await provider.close();
    folder.remove();
  });

  async function converse(model: string) {
    const { asked, weather } = weatherStation();
    const { said } = await program({ url: `${server.url}/v1` }, model, weather);
    return { asked, said };
  }

  it.each(["chat/m", "responses/m"])("has the answer of a model without tools (%s)", async (model) => {
    const { asked, said } = await converse(model);
    expect(asked).toEqual(cities.map((city) => ({ city })));
    expect(said.replace(/\s+Final/, "Final")).toBe(preamble + answer);
  });

  it.each(["demo", "demo/hermes-json", "text"])("has the answer of the demo model (%s)", async (model) => {
    const { asked, said } = await converse(model);
    expect(asked).toEqual(cities.map((city) => ({ city })));
    for (const city of cities) expect(said).toContain(`${city}: 21`);
  });
});
