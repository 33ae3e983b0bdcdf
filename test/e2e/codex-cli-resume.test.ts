import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/turn/index.ts";
import { objectsOf } from "../support/folded.ts";
import { conversation, itemsReply, type Script } from "../support/provider.ts";
import { modelOf, type Wish } from "./support/codex-cli-model.ts";
import { cliStage, models } from "./support/codex-cli-stage.ts";

const stage = cliStage();
const patch = '*** Begin Patch\n*** Add File: a.txt\n+"日本" \\ 😀\n*** End Patch';
const script = `text(await tools.apply_patch(${JSON.stringify(patch)}));`;
const second = "And what was the first thing that I asked?";

/** The last request, told as any provider would understand it, from the first prompt on. */
function history(prompt: string) {
  const entries = conversation(lastBody());
  return entries.slice(entries.findIndex((entry) => entry.kind === "message" && entry.text === prompt));
}

function lastBody(): JsonObject {
  return stage.provider.requests.at(-1)?.body ?? expect.fail("The provider was sent nothing");
}

describe("a conversation that the Codex CLI takes up again, before a chat backend", () => {
  it.each<[string, string, string, Wish]>([
    [models.patches, models.patches, "apply_patch", { tool: "apply_patch", input: patch }],
    [models.scripts, models.scripts, "exec", { tool: "exec", input: script }],
    ["one that takes patches", models.unknown, "apply_patch", { tool: "apply_patch", input: patch }],
  ])("has all that came before (%s, then %s)", async (before, after, name, wish) => {
    const model = before === after ? before : models.patches;
    stage.script = modelOf(
      () => [wish],
      () => "I made it.",
    );
    expect(await stage.run(`chat/${model}`, "Make a file.")).toMatchObject({ code: 0, said: ["I made it."] });
    stage.script = () => ({ say: "A file." });
    const run = await stage.run(`chat/${after}`, second, { resume: true });
    expect(run).toMatchObject({ code: 0, said: ["A file."], errors: [] });
    expect(stage.workspace.read("a.txt")).toBe('"日本" \\ 😀\n');
    const told = history("Make a file.").filter((entry) => entry.kind !== "message" || entry.role !== "system");
    expect(told).toMatchObject([
      { kind: "message", role: "user", text: "Make a file." },
      { kind: "call", id: "call_0_0", name, arguments: JSON.stringify({ input: wish.input }) },
      { kind: "output", id: "call_0_0", text: expect.stringContaining(name === "exec" ? "completed" : "A a.txt") },
      { kind: "message", role: "assistant", text: "I made it." },
      { kind: "message", role: "user", text: second },
    ]);
  });
});

describe("what a chat backend's model thinks, before the Codex CLI", () => {
  it.each([models.unknown, models.patches])(
    "is shown, and given back with the call that it led to (%s)",
    async (model) => {
      const act = modelOf(
        () => [{ tool: "exec_command", input: { cmd: "printf seen" } }],
        () => "I have seen it.",
      );
      const thoughts = ["I must look first – 日本.", "Now I know."];
      stage.script = async (request) => ({
        ...(await act(request)),
        think: thoughts[stage.provider.requests.length - 1] ?? "",
      });
      const run = await stage.run(`chat/${model}`, "Look.");
      expect(run).toMatchObject({ code: 0, said: ["I have seen it."], thought: thoughts });
      expect(objectsOf(lastBody().messages).filter(({ tool_calls }) => tool_calls)).toMatchObject([
        { role: "assistant", reasoning_content: thoughts[0] },
      ]);
    },
  );
});

describe("what a Responses backend has encrypted, before the Codex CLI", () => {
  const sealed = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "c2VhbGVkIHRob3VnaHRz" };
  const call = { type: "function_call", id: "fc_1", call_id: "call_1", name: "exec_command", status: "completed" };
  const thinking: Script = ({ body }) =>
    JSON.stringify(body).includes("function_call_output")
      ? { say: "I have seen it." }
      : itemsReply([sealed, { ...call, arguments: '{"cmd":"printf seen"}' }]);

  const begin = async () => {
    stage.script = thinking;
    expect(await stage.run(`responses/${models.patches}`, "Look.")).toMatchObject({
      code: 0,
      said: ["I have seen it."],
    });
    stage.script = () => ({ say: "At the output." });
  };
  const reasoning = () => objectsOf(lastBody().input).filter(({ type }) => type === "reasoning");

  it("is given back to it, in the turn and when the conversation is taken up again", async () => {
    await begin();
    expect(reasoning()).toMatchObject([{ id: "rs_1", encrypted_content: sealed.encrypted_content }]);
    const run = await stage.run(`responses/${models.patches}`, second, { resume: true });
    expect(run).toMatchObject({ code: 0, said: ["At the output."] });
    expect(reasoning()).toMatchObject([{ id: "rs_1", encrypted_content: sealed.encrypted_content }]);
  });

  it.each([
    `elsewhere/${models.patches}`,
    `chat/${models.patches}`,
    `chat/${models.unknown}`,
    `prompted/${models.patches}`,
  ])("stays away from another backend, which has all the rest: %s", async (model) => {
    await begin();
    const run = await stage.run(model, second, { resume: true });
    expect(run).toMatchObject({ code: 0, said: ["At the output."], errors: [] });
    expect(JSON.stringify(lastBody())).not.toContain(sealed.encrypted_content);
    expect(JSON.stringify(lastBody())).toContain("printf seen");
    expect(history("Look.").at(-1)).toMatchObject({ role: "user", text: second });
    if (model.startsWith("elsewhere/")) expect(reasoning()).toEqual([]);
  });
});
