import { afterEach, describe, expect, it } from "vitest";
import type { RunningServer } from "../../src/http/server.ts";
import { ask, startGateway } from "../support/gateway.ts";
import { type Provider, type Reply, startProvider } from "../support/provider.ts";

const patch = '*** Begin Patch\n*** Add File: a.txt\n+say "hi" \\ 日本 😀\n*** End Patch\n';
const tools = [{ type: "custom", name: "apply_patch", description: "Edits files", format: { type: "text" } }];

let provider: Provider;
let gateway: RunningServer;
afterEach(async () => {
  await gateway.close();
  await provider.close();
});

async function answerTo(reply: Reply, settings: { tools?: string } = {}) {
  provider = await startProvider(() => reply);
  gateway = await startGateway({ backends: { up: { kind: "chat", base_url: provider.url, retries: 0, ...settings } } });
  return ask(gateway, "responses", { model: "up/m", input: "Go on.", tools, stream: true });
}

const written = (call: object) => `<tool_call>${JSON.stringify(call)}</tool_call>`;

describe("free text that a model writes into its words", () => {
  const forms = [
    ["as the prompt says", { arguments: JSON.stringify({ input: patch }) }],
    ["as an object", { arguments: { input: patch } }],
    ["under another name", { arguments: { patch } }],
    ["as it is, in place of the arguments", { arguments: patch }],
    ["as it is, beside the name", { input: patch }],
  ] as const;

  it.each(forms.flatMap(([form, call]) => ["prompted", "native"].map((kind) => [form, kind, call] as const)))(
    "%s reaches the client as it is (%s tools)",
    async (_form, kind, call) => {
      const say = written({ name: "apply_patch", ...call });
      for (const chunk of [1, 7, 10_000]) {
        const answer = await answerTo({ say, chunk }, { tools: kind });
        expect(answer.items).toMatchObject([{ type: "custom_tool_call", name: "apply_patch", input: patch }]);
        expect(answer.text).toBe("");
        await gateway.close();
        await provider.close();
      }
    },
  );

  it("may lack an escape or two", async () => {
    const answer = await answerTo({ say: written({ name: "apply_patch", arguments: '{"input":"+a\n+b"}' }) });
    expect(answer.calls).toMatchObject([{ arguments: "+a\n+b" }]);
  });

  it("is no call of a tool that takes more than text", async () => {
    provider = await startProvider(() => ({ say: written({ name: "look", arguments: "around" }) }));
    gateway = await startGateway({ backends: { up: { kind: "chat", base_url: provider.url } } });
    const look = {
      type: "function",
      name: "look",
      parameters: { type: "object", properties: { at: { type: "string" } } },
    };
    const answer = await ask(gateway, "responses", { model: "up/m", input: "Go on.", tools: [look] });
    expect(answer).toMatchObject({ calls: [], text: written({ name: "look", arguments: "around" }) });
  });
});

describe("free text that stops in the middle", () => {
  it.each([
    '{"input":"say "hi" and rm -rf /',
    '{"input":"print("x',
    "{'input': '*** Begin",
    '{"input": *** Begin Patch',
  ])("is no call, though the provider says that all is well: %s", async (text) => {
    for (const chunk of [1, 10_000]) {
      const answer = await answerTo({ calls: [{ name: "apply_patch", arguments: text }], chunk });
      expect(answer).toMatchObject({ items: [], ended: "length" });
      await gateway.close();
      await provider.close();
    }
  });
});

describe("free text that a provider gives as arguments", () => {
  it.each([
    ["as it was asked for", JSON.stringify({ input: patch }), patch],
    ["as it is", patch, patch],
    ["as a JSON string", JSON.stringify(patch), patch],
    ["under another name", JSON.stringify({ patch }), patch],
    ["with a remark behind it", JSON.stringify({ input: patch, why: "asked" }), patch],
    ["with a remark before it", JSON.stringify({ why: "asked", input: patch }), patch],
    ["with a line end that is none in JSON", '{"input": "+a\n+b"}', "+a\n+b"],
    ["empty", "", ""],
  ])("%s reaches the client as it is", async (_form, text, wanted) => {
    for (const chunk of [1, 7, 10_000]) {
      const answer = await answerTo({ calls: [{ name: "apply_patch", arguments: text }], chunk });
      expect(answer.items).toMatchObject([{ type: "custom_tool_call", name: "apply_patch", input: wanted }]);
      expect(answer.ended).toBe("completed");
      await gateway.close();
      await provider.close();
    }
  });
});
