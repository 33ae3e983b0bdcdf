import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Api } from "../support/api.ts";
import { type Reply, type Script, sseFrames } from "../support/provider.ts";
import { chatChunks } from "../support/scripted-chat.ts";
import { responsesEvents } from "../support/scripted-responses.ts";
import { inSequence, piecesOf, type ScriptedItem } from "../support/scripted-turn.ts";
import { see } from "./support/codex-cli-model.ts";
import { cliStage, models, type Way, ways } from "./support/codex-cli-stage.ts";

/** How long the CLI waits for a sign of life, how long the model says nothing, and how often the gateway gives one meanwhile. */
const patience = 1_500;
const silence = 3_000;
const keepAlive = "300ms";

const alive = (way: Way) => `alive/${way}`;
const stage = cliStage({
  models: Object.fromEntries(
    ways.map((way) => [alive(way), { backend: way, model: models.unknown, turn: { keep_alive: keepAlive } }]),
  ),
});

const text = "It took a while, but here it is: 日本.";
const provider = { stream_idle_timeout_ms: patience };

/** The model thinks before it says anything: its provider does not even answer. */
const silentAtFirst: Script = async () => {
  await sleep(silence);
  return { say: text };
};

/** The model stops in the middle of its answer, or of a call, and then goes on. */
function silentBetween(api: Api, item: ScriptedItem): Reply {
  const turn = { items: [item] };
  const rendering = { pieces: piecesOf(8), weave: inSequence };
  const head = { model: "scripted" };
  const payloads = api === "chat" ? chatChunks(turn, head, rendering) : responsesEvents(turn, head, rendering);
  const frames = sseFrames(api, payloads);
  const half = Math.floor(frames.length / 2);
  return { bytes: [...frames.slice(0, half), { wait: silence }, ...frames.slice(half)] };
}

const silentInAnswer: Script = ({ api }) => silentBetween(api, { kind: "message", text });

const silentInCall: Script = (request) => {
  const { way, outputs } = see(request);
  const [output] = outputs;
  if (output !== undefined) return { say: output.endsWith("waited") ? text : `It was not run: ${output}` };
  const call = { name: "exec_command", arguments: JSON.stringify({ cmd: "printf waited" }) };
  return silentBetween(
    request.api,
    way === "prompted"
      ? { kind: "message", text: `<tool_call>${JSON.stringify(call)}</tool_call>` }
      : { kind: "call", id: "call_1", tool: "function", ...call },
  );
};

/** The CLI before each kind of backend, all at the same time, since all there is to do is to wait. */
function everywhere(nameOf: (way: Way) => string) {
  return Promise.all(
    ways.map(async (way) => {
      const { code, said, errors } = await stage.another().run(nameOf(way), "Take your time.", { provider });
      return { way, code, said, errors };
    }),
  );
}

describe("a model that says nothing for longer than the Codex CLI waits", () => {
  it.each([
    ["before its answer", silentAtFirst],
    ["in the middle of its answer", silentInAnswer],
    ["in the middle of a call", silentInCall],
  ])("is waited for, for the gateway gives signs of life: %s", async (_when, script) => {
    stage.script = script;
    expect(await everywhere(alive)).toEqual(ways.map((way) => ({ way, code: 0, said: [text], errors: [] })));
  });

  it("is not waited for where the gateway gives none", async () => {
    stage.script = silentInAnswer;
    const gone = [expect.stringContaining("idle timeout waiting for SSE")];
    expect(await everywhere((way) => `${way}/${models.unknown}`)).toEqual(
      ways.map((way) => ({ way, code: 1, said: [], errors: gone })),
    );
  });
});
