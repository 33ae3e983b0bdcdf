import { describe, expect, it } from "vitest";
import type { TurnReply } from "../support/provider.ts";
import { modelOf } from "./support/codex-cli-model.ts";
import { cliStage, models, ways } from "./support/codex-cli-stage.ts";

const stage = cliStage();
/** From how many tokens on the CLI sums a conversation up. */
const keys = { model_auto_compact_token_limit: 1_000 };
const summary = "We have looked at 日本, and it was fine 😀.";

// Where a prompted model may make one call only, its provider counts after the end that is waited for; so that there is none to test.
const pairs = [
  ...ways.flatMap((way) => [models.unknown, models.patches].map((model) => ({ way, model }))),
  { way: "chat", model: models.scripts },
];

describe.each(pairs)("a conversation of $way/$model that has grown too long for the Codex CLI", ({ way, model }) => {
  it("is summed up by the model, and goes on", async () => {
    const isScripted = model === models.scripts;
    const act = modelOf(() => [
      isScripted
        ? { tool: "exec", input: 'text((await tools.exec_command({ cmd: "printf seen" })).output);' }
        : { tool: "exec_command", input: { cmd: "printf seen" } },
    ]);
    stage.script = async (request): Promise<TurnReply> => {
      const text = JSON.stringify(request.body.messages ?? request.body.input);
      if (text.includes(summary)) return { say: "It goes on." };
      if (text.includes("CONTEXT CHECKPOINT COMPACTION")) return { say: summary };
      return { ...(await act(request)), usage: { input: 5_000, output: 10 } };
    };
    const run = await stage.run(`${way}/${model}`, "Look at it.", { keys });
    expect(run).toMatchObject({ code: 0, said: ["It goes on."], errors: [] });
    const [, summing, last] = stage.provider.requests;
    expect(stage.provider.requests).toHaveLength(3);
    // The CLI offers an empty list of tools here, which many providers refuse.
    if (way === "chat" && !isScripted) expect(summing?.body).not.toHaveProperty("tools");
    expect(JSON.stringify(summing?.body)).toContain("seen");
    expect(JSON.stringify(last?.body)).not.toContain("printf seen");
  });
});
