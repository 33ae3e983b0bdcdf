import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import type { Api } from "../support/api.ts";
import { type Reply, sseFrames } from "../support/provider.ts";
import { chatChunks } from "../support/scripted-chat.ts";
import { responsesEvents } from "../support/scripted-responses.ts";
import { inSequence, piecesOf, type ScriptedItem } from "../support/scripted-turn.ts";
import { cliStage, models, type Way, ways } from "./support/codex-cli-stage.ts";
import { broken, refusal, script as scripted } from "./support/script.ts";

const eager = (way: Way) => `eager/${way}`;
const patient = (way: Way) => `patient/${way}`;
const stage = cliStage({
  models: Object.fromEntries(
    ways.flatMap((way) => [
      [eager(way), { backend: way, model: models.unknown, turn: { keep_alive: "200ms" } }],
      [patient(way), { backend: way, model: models.unknown, retries: 1 }],
    ]),
  ),
});

const fine: Reply = { say: "Fine." };
const again = { stream_max_retries: 1 };

function refused(status: number, message: string, headers?: Record<string, string>): Reply {
  const error = { message, type: "invalid_request_error", param: null, code: null };
  return { status, body: { error }, ...(headers && { headers }) };
}

/** A call that has all its arguments and not its end, and then the end of the connection. */
function cutBeforeEnd(api: Api, way: Way): Reply {
  const call = { name: "exec_command", arguments: JSON.stringify({ cmd: "touch made.txt" }) };
  const item: ScriptedItem =
    way === "prompted"
      ? { kind: "message", text: `<tool_call>${JSON.stringify(call)}` }
      : { kind: "call", id: "call_1", tool: "function", ...call };
  const turn = { items: [item], finish: null };
  const rendering = { pieces: piecesOf(7), weave: inSequence };
  const head = { model: "scripted" };
  if (api === "chat") return { bytes: [...sseFrames(api, chatChunks(turn, head, rendering), false), "cut"] };
  const events = responsesEvents(turn, head, rendering);
  const end = events.findIndex(({ type }) => type === "response.function_call_arguments.done");
  return { bytes: [...sseFrames(api, events.slice(0, end), false), "cut"] };
}

describe.each(ways)("the Codex CLI before a %s backend", (way) => {
  const model = `${way}/${models.unknown}`;

  it("ends with an error where the connection breaks off in the middle of the answer", async () => {
    stage.script = (request) => scripted({ ...request, model: "cut-in-text" });
    const run = await stage.run(model, "Say it.");
    expect(run).toMatchObject({ code: 1, said: [], errors: [expect.stringMatching(broken)] });
    expect(run.events.at(-1)).toMatchObject({ type: "turn.failed", error: { message: expect.stringMatching(broken) } });
  });

  it("asks again where it may, and has the answer", async () => {
    stage.script = (request) =>
      stage.provider.requests.length === 1 ? scripted({ ...request, model: "cut-in-text" }) : fine;
    const run = await stage.run(model, "Say it.", { provider: again });
    expect(run).toMatchObject({ code: 0, said: ["Fine."], errors: [expect.stringContaining("Reconnecting... 1/1")] });
    const [first, second] = stage.provider.requests;
    expect(stage.provider.requests).toHaveLength(2);
    expect(second?.body).toEqual(first?.body);
  });

  it("runs no call that was not whole", async () => {
    stage.script = ({ api }) => cutBeforeEnd(api, way);
    const run = await stage.run(model, "Make a file.");
    expect(run).toMatchObject({ code: 1, said: [], errors: [expect.stringMatching(broken)] });
    expect(run.items("command_execution")).toEqual([]);
    expect(() => stage.workspace.read("made.txt")).toThrow("ENOENT");
  });
});

// Who refuses is the provider: whether its model has tools is all the same.
describe.each(["chat", "responses"] as const)("a %s backend that refuses", (way) => {
  const model = `${way}/${models.unknown}`;

  it("is shown by the Codex CLI with what the provider says", async () => {
    stage.script = () => refused(400, refusal);
    const run = await stage.run(model, "Say it.", { provider: { ...again, request_max_retries: 1 } });
    expect(run).toMatchObject({ code: 1, said: [], errors: [expect.stringContaining(refusal)] });
    expect(stage.provider.requests).toHaveLength(1);
  });

  it("is shown with it also where the refusal comes after the stream was opened", async () => {
    stage.script = async () => {
      await sleep(700);
      return refused(400, refusal);
    };
    const run = await stage.run(eager(way), "Say it.");
    expect(run).toMatchObject({ code: 1, said: [], errors: [expect.stringContaining(refusal)] });
  });

  it("is shown as one that was asked too often, and asked again when it says so, where the CLI may", async () => {
    stage.script = () => refused(429, "Slow down.", { "retry-after": "1" });
    const failed = await stage.run(model, "Say it.");
    expect(failed).toMatchObject({ code: 1, said: [], errors: [expect.stringContaining("429 Too Many Requests")] });
    expect(stage.provider.requests).toHaveLength(1);

    stage.script = ({ count }) => (count === 2 ? refused(429, "Slow down.", { "retry-after": "1" }) : fine);
    const run = await stage.run(model, "Say it.", { provider: again });
    expect(run).toMatchObject({ code: 0, said: ["Fine."], errors: [expect.stringContaining("Reconnecting... 1/1")] });
  });

  it("goes unnoticed where the gateway asks again itself", async () => {
    const asked: number[] = [];
    stage.script = () => {
      asked.push(performance.now());
      return asked.length === 1 ? refused(429, "Slow down.", { "retry-after": "1" }) : fine;
    };
    const run = await stage.run(patient(way), "Say it.");
    expect(run).toMatchObject({ code: 0, said: ["Fine."], errors: [] });
    const [first = 0, second = 0] = asked;
    expect(second - first).toBeGreaterThan(950);
  });
});

describe("the Codex CLI before the gateway", () => {
  const model = `chat/${models.unknown}`;

  it("says that its key is wrong", async () => {
    const run = await stage.run(model, "Say it.", { key: "another" });
    expect(run).toMatchObject({ code: 1, errors: [expect.stringContaining("401 Unauthorized")] });
    expect(stage.provider.requests).toEqual([]);
  });

  it("says that there is no such model", async () => {
    const run = await stage.run("nowhere/at-all", "Say it.");
    expect(run).toMatchObject({ code: 1, errors: [expect.stringContaining("nowhere/at-all")] });
    expect(stage.provider.requests).toEqual([]);
  });

  it("ends the provider's answer when the user presses Ctrl-C", async () => {
    const user = new AbortController();
    stage.script = ({ api }) => {
      setTimeout(() => user.abort(), 500);
      const turn = { items: [{ kind: "message", text: "It begins" } satisfies ScriptedItem], finish: null };
      const chunks = chatChunks(turn, { model: "scripted" }, { pieces: piecesOf(7), weave: inSequence });
      return { bytes: [...sseFrames(api, chunks, false), "hang"] };
    };
    const run = await stage.run(model, "Say it.", { stop: user.signal });
    expect(run.said).toEqual([]);
    await vi.waitFor(() => expect(stage.provider.requests).toMatchObject([{ closedEarly: true }]));
  });
});
