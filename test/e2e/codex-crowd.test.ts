import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask, requestFor } from "../support/gateway.ts";
import { conversation, type Provider, type ScriptRequest, startProvider } from "../support/provider.ts";
import { type CodexGateway, startCodexGateway } from "./support/codex.ts";
import { codexProcesses } from "./support/codex-processes.ts";

const crowd = Array.from({ length: 100 }, (_, index) => index);
const word = (index: number) => `word-${index}-of-its-own`;
const sentence = (own: string) => `I say ${own}, and again ${own}. `.repeat(8).trim();
const tool = (own: string) => ({
  name: `tool_for_${own}`,
  description: `Only for ${own}`,
  parameters: { type: "object", properties: { own: { type: "string" } } },
});

let provider: Provider;
let gateway: CodexGateway;
beforeAll(async () => {
  // It repeats the word that it was given, slowly, so that all of them speak at once.
  provider = await startProvider(({ body }: ScriptRequest) => {
    const own = /word-\d+-of-its-own/.exec(JSON.stringify(conversation(body)))?.[0] ?? "nothing";
    const call = { id: `call_${own}`, name: tool(own).name, arguments: JSON.stringify({ own }) };
    return { think: own, say: sentence(own), calls: [call], chunk: 11, pieceDelay: 10 };
  });
  gateway = await startCodexGateway(provider);
});
afterAll(async () => {
  await gateway.close();
  await provider.close();
});

async function converse(index: number): Promise<void> {
  const api = index % 2 === 0 ? "chat" : "responses";
  const own = word(index);
  const wish = { model: "codex", prompt: `Say ${own}.`, tools: [tool(own)], stream: index % 4 < 2 };
  const answer = await ask(gateway, api, requestFor(api, wish));
  expect(answer).toMatchObject({
    ...{ text: sentence(own), reasoning: own, ended: "completed" },
    calls: [{ id: `call_${own}`, name: tool(own).name, arguments: JSON.stringify({ own }) }],
  });
  const others = answer.raw.match(/word-\d+-of-its-own/g)?.filter((found) => found !== own);
  expect(others).toEqual([]);
}

describe("a hundred clients of one Codex at once", () => {
  it("have each their own words, thoughts and calls, and nobody else's", { timeout: 180_000 }, async () => {
    await Promise.all(crowd.map(converse));
    expect(provider.requests).toHaveLength(crowd.length);
    for (const { body } of provider.requests) {
      const words = new Set(JSON.stringify([body.input, body.tools]).match(/word-\d+-of-its-own/g));
      expect(words.size).toBe(1);
    }
  });

  it("leave a Codex that still answers at once", { timeout: 60_000 }, async () => {
    await converse(0);
    expect(codexProcesses().length).toBeLessThanOrEqual(2);
    expect(await (await fetch(`${gateway.url}/metrics`)).text()).toMatch(/^toolwire_open_turns 0$/m);
  });
});
