import { createOpenAI } from "@ai-sdk/openai";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Provider, startProvider } from "../support/provider.ts";
import { type CodexGateway, startCodexGateway } from "./support/codex.ts";
import { weatherModel } from "./support/codex-trip.ts";
import { agentsById, openaiById } from "./support/continued.ts";
import { createFolder } from "./support/folder.ts";
import { type Program, weatherStation } from "./support/round-trip.ts";
import { answer, cities, greeted, preamble, usage } from "./support/script.ts";
import { streamTextProgram } from "./support/stream-text.ts";

const aiSdk = streamTextProgram({
  model: ({ url }, name) => createOpenAI({ baseURL: url, apiKey: "none" })(name),
  thinks: true,
});

const folder = createFolder();
let provider: Provider;
let gateway: CodexGateway;
beforeAll(async () => {
  provider = await startProvider(greeted(weatherModel));
  gateway = await startCodexGateway(provider, { config: { store: folder.store } });
});
afterAll(async () => {
  await gateway.close();
  await provider.close();
  folder.remove();
});

const programs: [client: string, program: Program][] = [
  ["the openai client, streaming", openaiById(true)],
  ["the openai client", openaiById(false)],
  ["the AI SDK, streaming", aiSdk],
  ["the Agents SDK, streaming", agentsById(true)],
];

it.each(programs)("%s, which names what was said by ids, has the answer of Codex", async (_client, program) => {
  const { asked, weather } = weatherStation();
  const outcome = await program({ url: `${gateway.url}/v1` }, "codex", weather);
  expect(asked).toEqual(cities.map((city) => ({ city })));
  expect(outcome.said).toBe(preamble + answer);
  expect(outcome.usage).toEqual(usage);
});
