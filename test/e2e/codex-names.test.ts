import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/turn/index.ts";
import { ask, followUp, requestFor } from "../support/gateway.ts";
import type { Script } from "../support/provider.ts";
import { codexStage } from "./support/codex-stage.ts";
import { forms } from "./support/codex-trip.ts";
import { onlyRequest, toolNames, upstreamItems, upstreamTools } from "./support/codex-upstream.ts";

const parameters = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
const tool = (name: string) => ({ name, description: `Does ${name}`, parameters });

/** What clients call their tools, though Codex refuses the name, keeps it for itself, or drops it without a word. */
const hostile = [
  "exec_command",
  "shell_command",
  "apply_patch",
  "update_plan",
  "web_search",
  "mcp__x",
  "mcp__server__tool",
  // All of these would be the same if what is not allowed were an underscore.
  "a.b c",
  "a b.c",
  "a_b_c",
  "a/b/c",
  "l".repeat(100),
  `${"l".repeat(200)}1`,
  `${"l".repeat(200)}2`,
  "wetter_in_köln",
  "天気",
  "время",
  "plain",
];

/** Calls every tool that it is offered, by the name that it sees. */
const callsAll: Script = ({ body }) => ({
  calls: toolNames(body).map((name, n) => ({ id: `call_n${n}`, name, arguments: JSON.stringify({ n }) })),
});

const stage = codexStage(callsAll);

describe.each(forms)("tools whose names Codex does not take (%s, %s)", (api, _form, stream) => {
  it("keep their names for the client, in the calls and when they come back", async () => {
    const wish = { model: "codex", tools: hostile.map(tool), stream };
    const first = await ask(stage.gateway, api, requestFor(api, wish));
    expect(first.calls.map(({ name }) => name)).toEqual(hostile);
    expect(first.calls.map((call) => call.arguments)).toEqual(hostile.map((_, n) => JSON.stringify({ n })));
    const aliases = toolNames(await onlyRequest(stage.provider));
    expect(aliases).toHaveLength(hostile.length);
    expect(new Set(aliases).size).toBe(hostile.length);
    expect(aliases.filter((name) => !/^[a-zA-Z0-9_-]{1,128}$/.test(name))).toEqual([]);
    // A name that is fit for the model is not changed.
    expect(aliases.at(-1)).toBe("plain");

    stage.provider.requests.length = 0;
    stage.script = () => ({ say: "All done." });
    const outputs = hostile.map((name) => `result of ${name}`);
    const last = await ask(stage.gateway, api, requestFor(api, { ...wish, after: followUp(api, first, outputs) }));
    expect(last).toMatchObject({ text: "All done.", ended: "completed" });
    const body = await onlyRequest(stage.provider);
    expect(toolNames(body)).toEqual(aliases);
    // The model finds its calls under the names that it knows.
    expect(upstreamItems(body, "function_call").map(({ name }) => name)).toEqual(aliases);
    expect(upstreamItems(body, "function_call_output").map(({ output }) => output)).toEqual(outputs);
  });
});

describe("what a conversation may hold", () => {
  const conversationWith = (output: string): JsonObject => {
    const call = { type: "function_call", call_id: "call_big", name: "plain", arguments: '{"n":1}' };
    const after = [call, { type: "function_call_output", call_id: "call_big", output }];
    return requestFor("responses", { model: "codex", tools: [tool("plain")], after });
  };

  it.each(["codex", "codex/gpt-5.5", "codex/gpt-6.1-sol"])(
    "is a tool output of 200 KB, whole, for %s",
    async (model) => {
      stage.script = () => ({ say: "Read." });
      // Every line is another one, so that nothing can be missing in the middle.
      const output = Array.from({ length: 12_000 }, (_, line) => `line ${line} 日本 ü`).join("\n");
      expect(Buffer.byteLength(output)).toBeGreaterThan(200_000);
      const answer = await ask(stage.gateway, "responses", { ...conversationWith(output), model });
      expect(answer.text).toBe("Read.");
      const [item] = upstreamItems(await onlyRequest(stage.provider), "function_call_output");
      expect(item?.output === output).toBe(true);
    },
  );

  it("is an empty tool output", async () => {
    stage.script = () => ({ say: "Read." });
    expect((await ask(stage.gateway, "responses", conversationWith(""))).text).toBe("Read.");
    expect(upstreamItems(await onlyRequest(stage.provider), "function_call_output")).toMatchObject([{ output: "" }]);
  });

  it("is 100 tools, the last of which is called", async () => {
    const names = Array.from({ length: 100 }, (_, n) => `tool_${n}`);
    stage.script = ({ body }) => ({ calls: [{ name: toolNames(body).at(-1) ?? "", arguments: '{"n":99}' }] });
    const body = requestFor("chat", { model: "codex", tools: names.map(tool), stream: true });
    expect((await ask(stage.gateway, "chat", body)).calls).toMatchObject([{ name: "tool_99", arguments: '{"n":99}' }]);
    const offered = upstreamTools(await onlyRequest(stage.provider));
    expect(offered).toMatchObject(names.map(tool));
  });

  it("is a tool without parameters or description", async () => {
    stage.script = callsAll;
    const body = requestFor("chat", { model: "codex", tools: [{ name: "refresh" }] });
    expect((await ask(stage.gateway, "chat", body)).calls).toMatchObject([{ name: "refresh" }]);
  });
});
