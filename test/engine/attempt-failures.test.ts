import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Answer } from "../../src/engine/answer.ts";
import { Attempt } from "../../src/engine/attempt.ts";
import type { Stage } from "../../src/engine/stages/stage.ts";
import { ArgumentChecks } from "../../src/tools/index.ts";
import { type Backend, Cancellation, Ids, mayRetry, TurnError, type Usage } from "../../src/turn/index.ts";
import { finished, started, text, wordsOf } from "./events.ts";
import { FakeClient } from "./fake-client.ts";
import {
  andThenFailure,
  andThenSilence,
  askingTurn,
  broken,
  candidateOf,
  type Script,
  ScriptedBackend,
} from "./scripted-backend.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const left = new TurnError("client_closed", "The client has left.");

function ask(backend: Backend, stages: readonly Stage[] = [], cancellation = new Cancellation()) {
  const client = new FakeClient();
  const { createEncoder, sink, reply } = client;
  const ids = new Ids();
  const idForm = { prefix: "answer", separator: "_" };
  const clock = { now: () => Date.now() };
  const answer = new Answer({ createEncoder, sink, reply, ids, idForm, clock, streams: true, isRead: true });
  answer.beginRound();
  const attempt = new Attempt({
    candidate: candidateOf(backend, askingTurn, { firstContent: 1_000 }),
    turn: askingTurn,
    stages,
    calls: { ids, checks: new ArgumentChecks([]), listener: {} },
    answer,
    cancellation,
    onCommit: () => {},
    endsAtCalls: false,
  });
  attempt.accepted.catch(() => {});
  return { client, answer, cancellation, attempt };
}

const play = (script: Script, stages?: readonly Stage[]) => {
  const backend = new ScriptedBackend("house", [script]);
  return { backend, ...ask(backend, stages) };
};

const usage: Usage = {
  ...{ inputTokens: 1, outputTokens: 2, totalTokens: 3 },
  ...{ cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 },
};

describe("a backend that is silent", () => {
  it("fails its round when the time for its first content is over, and its connection is closed", async () => {
    const { attempt, backend } = play(andThenSilence());
    await vi.advanceTimersByTimeAsync(999);
    expect(backend.rounds[0]?.cancellation.reason).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(await attempt.result).toMatchObject({
      ending: {
        type: "round.failed",
        error: { code: "upstream_timeout", message: expect.stringContaining('"house"') },
      },
    });
    expect(backend.rounds[0]?.cancellation.reason).toMatchObject({ code: "upstream_timeout" });
  });

  it.each([{ type: "usage.reported", usage } as const, { type: "message.started" } as const])(
    "is silent though it says that it is there: $type",
    async (event) => {
      const { attempt } = play(andThenSilence(event));
      await vi.advanceTimersByTimeAsync(1_000);
      expect(await attempt.result).toMatchObject({ ending: { error: { code: "upstream_timeout" } } });
    },
  );

  it.each([
    text("Yes"),
    { type: "reasoning.delta", text: "Hm.", part: 0 } as const,
    { type: "refusal.delta", text: "No." } as const,
    started(0),
  ])("may take its time after its first content, also where a stage holds that back: $type", async (event) => {
    const { attempt, backend } = play(andThenSilence(event), [(heard, emit) => heard === finished && emit(heard)]);
    await vi.advanceTimersByTimeAsync(100_000);
    backend.rounds[0]?.emit(finished);
    expect(await attempt.result).toMatchObject({ ending: finished });
  });

  it("leaves no timer behind, however its round ends", async () => {
    await play([text("Yes"), finished]).attempt.result;
    await play([finished]).attempt.result;
    await play(andThenFailure(broken())).attempt.result;
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("a backend that breaks its word", () => {
  it("and gives no end has failed in a way that is worth another try", async () => {
    const { attempt } = play([text("Yes")]);
    const { ending } = await attempt.result;
    expect(ending).toMatchObject({ type: "round.failed", error: { code: "upstream_cut" } });
    expect(ending.type === "round.failed" && mayRetry(ending.error)).toBe(true);
  });

  it("and throws at once has failed like any other", async () => {
    const error = broken();
    const { name, capabilities } = new ScriptedBackend("house", []);
    const run = () => {
      throw error;
    };
    const { attempt } = ask({ name, capabilities, run });
    await expect(attempt.accepted).rejects.toBe(error);
    expect(await attempt.result).toMatchObject({ ending: { type: "round.failed", error } });
  });

  it("and throws what is no error of ours tells the client nothing of it", async () => {
    const cause = new TypeError("x is not a function");
    const { attempt } = play(andThenFailure(cause));
    expect(await attempt.result).toMatchObject({ ending: { error: { code: "internal_error", cause } } });
  });

  it("and throws after its end changes nothing", async () => {
    const { attempt } = play(andThenFailure(broken(), text("Yes"), finished));
    await vi.advanceTimersByTimeAsync(0);
    expect(await attempt.result).toMatchObject({ ending: finished });
  });

  it("and goes on after its end is not listened to, but for what the answer has cost", async () => {
    const { attempt, answer, client } = play([
      text("Yes"),
      finished,
      text(" and no"),
      { type: "usage.reported", usage },
      finished,
    ]);
    expect((await attempt.result).items).toHaveLength(1);
    expect(wordsOf(client.events)).toBe("Yes");
    expect(answer.usage).toEqual(usage);
  });

  it("and tells its cost after the answer was ended is too late", async () => {
    const { attempt, answer, backend, client } = play(andThenSilence(text("Yes"), finished));
    await attempt.result;
    answer.end({ type: "turn.finished", reason: "stop" });
    backend.rounds[0]?.emit({ type: "usage.reported", usage });
    expect(answer.usage).toBeUndefined();
    expect(backend.rounds[0]?.flush()).toBeUndefined();
    expect(client.wire.at(-1)).toMatch(/^end /);
  });
});

describe("a failure that the backend tells itself", () => {
  it("is what the round reports, and closes the connection", async () => {
    const error = broken();
    const { attempt, backend } = play([{ type: "round.failed", error }]);
    expect(await attempt.result).toMatchObject({ ending: { type: "round.failed", error } });
    expect(backend.rounds[0]?.cancellation.reason).toBe(error);
  });
});

describe("a turn that is cancelled", () => {
  it("closes the backend's connection at once, and that is what the round reports", async () => {
    const { attempt, backend, cancellation, answer } = play(andThenSilence(text("Ye")));
    cancellation.cancel(left);
    expect(backend.rounds[0]?.cancellation.reason).toBe(left);
    backend.rounds[0]?.emit(text("s"));
    expect(await attempt.result).toMatchObject({ ending: { type: "round.failed", error: left }, isSent: true });
    expect(answer.isEnded).toBe(false);
  });

  it("before anything was asked asks nothing", async () => {
    const cancellation = new Cancellation();
    cancellation.cancel(left);
    const backend = new ScriptedBackend("house", [[finished]]);
    const { attempt } = ask(backend, [], cancellation);
    await expect(attempt.accepted).rejects.toBe(left);
    expect(await attempt.result).toMatchObject({ ending: { error: left }, isSent: false });
    expect(backend.turns).toEqual([]);
  });

  it("after the round was over means nothing to it", async () => {
    const { attempt, backend, cancellation } = play([text("Yes"), finished]);
    await attempt.result;
    cancellation.cancel(left);
    expect(await attempt.result).toMatchObject({ ending: finished });
    expect(backend.rounds[0]?.cancellation.reason).toBeUndefined();
  });
});

describe("an encoder that throws in the middle of a round", () => {
  it("fails the round", async () => {
    const { attempt, backend, client } = play(andThenSilence());
    client.breaksAt = "push";
    expect(() => backend.rounds[0]?.emit(text("Yes"))).toThrow("the encoder broke");
    backend.rounds[0]?.emit({ type: "round.failed", error: broken() });
    expect(await attempt.result).toMatchObject({ ending: { type: "round.failed" } });
  });

  it("fails the round also at its last item", async () => {
    const { attempt, client } = play(async ({ emit }) => {
      emit(text("Yes"));
      client.breaksAt = "push";
      emit(finished);
    });
    expect(await attempt.result).toMatchObject({ ending: { type: "round.failed", error: { code: "internal_error" } } });
  });
});
