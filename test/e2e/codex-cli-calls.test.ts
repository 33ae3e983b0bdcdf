import { describe, expect, it } from "vitest";
import { conversation, type Script } from "../support/provider.ts";
import { afterHeading, modelOf, type Step } from "./support/codex-cli-model.ts";
import { cliStage, models, type Way, ways } from "./support/codex-cli-stage.ts";

const stage = cliStage();
const commands = ["printf 'one 日本'", "printf two"];
const preamble = "Let me look at both.";

/** The same model, which says something before it calls. */
function talkative(script: Script): Script {
  return async (request) => {
    const reply = await script(request);
    if ("calls" in reply) return { ...reply, say: preamble };
    return "say" in reply && reply.say?.startsWith("<") ? { say: `${preamble}\n${reply.say}` } : reply;
  };
}

describe.each(ways)("several calls in one turn, before a %s backend", (way) => {
  it.each([models.unknown, models.patches])("all run, and each has its own output (%s)", async (model) => {
    const look: Step = () => commands.map((cmd) => ({ tool: "exec_command", input: { cmd } }));
    const tell: Step = ({ outputs }) => `They say: ${outputs.map(afterHeading).join(", ")}`;
    stage.script = talkative(modelOf(look, tell));
    const run = await stage.run(`${way}/${model}`, "What do they say?");
    expect(run.errors).toEqual([]);
    expect(run.items("command_execution")).toHaveLength(2);
    expect(run.said.map((text) => text.trim())).toEqual([preamble, "They say: one 日本, two"]);
    expect(run.code).toBe(0);
    // Of both turns together.
    expect(run.events.at(-1)).toMatchObject({ type: "turn.completed", usage: { input_tokens: 22, output_tokens: 14 } });
    if (way !== "prompted") expectPairs();
  });
});

function expectPairs(): void {
  const { body } = stage.provider.requests[1] ?? expect.fail();
  const entries = conversation(body).filter(({ kind }) => kind !== "message");
  const ids = ["call_0_0", "call_0_1"];
  expect(entries).toMatchObject([
    ...ids.map((id, index) => ({ kind: "call", id, arguments: JSON.stringify({ cmd: commands[index] }) })),
    ...ids.map((id, index) => ({
      kind: "output",
      id,
      text: expect.stringMatching(index === 0 ? /one 日本$/ : /two$/),
    })),
  ]);
}

const patch = '*** Begin Patch\n*** Add File: a.txt\n+"日本" \\ 😀\n*** End Patch\n';

describe("a patch of a model that only knows functions", () => {
  it.each<[string, string]>([
    ["as the text itself", patch],
    ["under another name", JSON.stringify({ patch })],
    ["as a JSON string", JSON.stringify(patch)],
  ])("is made also where the model writes it %s", async (_how, text) => {
    stage.script = ({ count }) =>
      count % 2 === 1 ? { calls: [{ id: "call_1", name: "apply_patch", arguments: text }] } : { say: "Done." };
    const run = await stage.run(`chat/${models.patches}`, "Make it.");
    expect(run).toMatchObject({ code: 0, said: ["Done."], errors: [] });
    expect(stage.workspace.read("a.txt")).toBe('"日本" \\ 😀\n');
  });
});

describe.each(["chat", "responses"] satisfies Way[])(
  "a call that the Codex CLI cannot run, before a %s backend",
  (way) => {
    it.each<[string, string, string, RegExp]>([
      ["of a tool that there is not", "no_such_tool", "{}", /unsupported call: no_such_tool/],
      ["with arguments that it does not take", "exec_command", '{"command":7}', /failed to parse|missing field/],
    ])("is told to the model, which goes on: %s", async (_what, name, text, told) => {
      stage.script = ({ body }) => {
        const output = conversation(body).find(({ kind }) => kind === "output");
        return output && "text" in output ? { say: output.text } : { calls: [{ id: "call_1", name, arguments: text }] };
      };
      const run = await stage.run(`${way}/${models.unknown}`, "Try it.");
      expect(run).toMatchObject({ code: 0, said: [expect.stringMatching(told)], errors: [] });
    });
  },
);
