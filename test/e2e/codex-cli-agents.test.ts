import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/turn/index.ts";
import { parseJson } from "../../src/turn/index.ts";
import { modelOf, type Step } from "./support/codex-cli-model.ts";
import { cliStage, models, ways } from "./support/codex-cli-stage.ts";

const prompt = "Let somebody else count the boats.";
const task = "Count the boats in 日本.";
const count = "There are 12 boats 😀.";

/** How a model of this kind starts another agent, and waits for it. */
const kinds: Record<"unknown" | "scripts", Step[]> = {
  unknown: [
    () => [{ tool: "spawn_agent", input: { message: task } }],
    ({ outputs }) => [{ tool: "wait_agent", input: { targets: [agentIn(outputs[0])] } }],
  ],
  scripts: [
    () => [{ tool: "spawn_agent", input: { task_name: "counter", message: task, fork_turns: "none" } }],
    () => [{ tool: "wait_agent", input: { timeout_ms: 10_000 } }],
  ],
};

const stage = cliStage();

describe.each(ways)("a model that starts another agent in the Codex CLI, before a %s backend", (way) => {
  it.each(["unknown", "scripts"] as const)("is told what that one has found, which has its task (%s)", async (kind) => {
    stage.script = (request) => {
      const isFirst = tells(request.body, prompt);
      if (!isFirst) return { say: tells(request.body, task) ? count : "I was given no task." };
      const last: Step = () => (tells(request.body, count) ? `The other says: ${count}` : "The other says nothing.");
      return modelOf(...kinds[kind], last)(request);
    };
    const run = await stage.run(`${way}/${models[kind]}`, prompt);
    expect(run).toMatchObject({ code: 0, said: [`The other says: ${count}`], errors: [] });
    expect(stage.provider.requests.filter(({ body }) => !tells(body, prompt))).toHaveLength(1);
  });
});

/** Whether these words stand anywhere in the conversation. */
function tells({ messages, input }: JsonObject, words: string): boolean {
  return JSON.stringify(messages ?? input).includes(words);
}

function agentIn(output: string | undefined): string {
  const { agent_id } = (parseJson(output ?? "") ?? {}) as { agent_id?: string };
  return agent_id ?? "missing";
}
