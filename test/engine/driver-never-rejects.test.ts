import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { runTurn, type TurnPlan } from "../../src/engine/index.ts";
import type { ReplyStream, Turn } from "../../src/turn/index.ts";
import { finished, text } from "./events.ts";
import { FakeClient } from "./fake-client.ts";
import { andThenFailure, askingTurn, broken, candidateOf, planOf, ScriptedBackend } from "./scripted-backend.ts";

/** What throws while a turn ends becomes its ending, too: timers stop, and the listener is told that the turn is over. */
let client: FakeClient;

beforeEach(() => {
  vi.useFakeTimers();
  client = new FakeClient();
});

afterEach(() => void vi.useRealTimers());

const whole: Turn = { ...askingTurn, stream: false };
const bug = () => {
  throw new Error("a bug");
};

async function run(turn: Turn, more: Partial<TurnPlan> = {}, reply: Partial<ReplyStream> = {}) {
  const told: string[] = [];
  const listener = { turnFinished: ({ status }: { status: string }) => void told.push(status) };
  const candidates = [candidateOf(new ScriptedBackend("house", [[text("Yes"), finished]]), turn)];
  const ending = await runTurn(planOf(client, candidates, { turn, listener, ...more }), { ...client.reply, ...reply });
  expect(vi.getTimerCount()).toBe(0);
  expect(told).toHaveLength(1);
  return ending;
}

describe("a turn never rejects", () => {
  it.each(["create", "open"] as const)("where the encoder of a whole answer breaks: %s", async (step) => {
    client.breaksAt = step;
    expect(await run(whole)).toMatchObject({ status: "failed", error: { code: "internal_error" } });
  });

  it.each(["create", "open"] as const)("where the encoder of a stream without content breaks: %s", async (step) => {
    client.breaksAt = step;
    const candidates = [candidateOf(new ScriptedBackend("house", [[finished]]))];
    expect(await run(askingTurn, { candidates })).toMatchObject({
      status: "failed",
      error: { code: "internal_error" },
    });
  });

  it("where nobody can say whether the failure belongs into a stream", async () => {
    const candidates = [candidateOf(new ScriptedBackend("house", [andThenFailure(broken())]))];
    expect(await run(askingTurn, { candidates, isToldInStream: bug })).toMatchObject({ status: "failed" });
  });

  it("where the connection breaks when the last of the answer is written", async () => {
    await run(askingTurn, { seams: { beforeEnd: async () => {} } }, { write: bug });
  });

  it("where the connection breaks when it is ended", async () => {
    await run(askingTurn, {}, { end: bug });
  });
});
