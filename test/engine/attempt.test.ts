import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Answer } from "../../src/engine/answer.ts";
import { Attempt, type AttemptParts } from "../../src/engine/attempt.ts";
import type { Stage } from "../../src/engine/stages/stage.ts";
import { ArgumentChecks } from "../../src/tools/index.ts";
import { type Backend, Cancellation, Ids, TurnError, type TurnEvent, type Usage } from "../../src/turn/index.ts";
import { finished, started, text, typesOf, wholeCall, wordsOf } from "./events.ts";
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

interface Options extends Partial<AttemptParts> {
  streams?: boolean;
  firstContent?: number;
  reask?: number;
}

/** Runs a round against a backend, with nobody between them and the client's answer. */
function ask(backend: Backend, { streams = true, firstContent = 1_000, reask = 0, ...more }: Options = {}) {
  const client = new FakeClient();
  const { createEncoder, sink, reply } = client;
  const ids = new Ids();
  const idForm = { prefix: "answer", separator: "_" };
  const clock = { now: () => Date.now() };
  const answer = new Answer({ createEncoder, sink, reply, ids, idForm, clock, streams, isRead: true });
  answer.beginRound();
  const cancellation = new Cancellation();
  let commits = 0;
  const attempt = new Attempt({
    candidate: candidateOf(backend, askingTurn, { firstContent, reask }),
    turn: askingTurn,
    stages: [],
    calls: { ids, checks: new ArgumentChecks([]), listener: {} },
    answer,
    cancellation,
    onCommit: () => void commits++,
    endsAtCalls: false,
    ...more,
  });
  // Whoever does not look at it still has no unhandled rejection.
  attempt.accepted.catch(() => {});
  return { client, answer, cancellation, attempt, commits: () => commits };
}

const play = (script: Script, options?: Options) => {
  const backend = new ScriptedBackend("house", [script]);
  return { backend, ...ask(backend, options) };
};

/** Whether a promise is pending, or how it was settled. */
async function stateOf(promise: Promise<unknown>): Promise<string> {
  const settled = promise.then(
    () => "resolved",
    () => "rejected",
  );
  await vi.advanceTimersByTimeAsync(0);
  return Promise.race([settled, Promise.resolve("pending")]);
}

const usage: Usage = {
  ...{ inputTokens: 1, outputTokens: 2, totalTokens: 3 },
  ...{ cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 },
};

describe("a round that ends well", () => {
  const answerWithCall = [
    text("I look."),
    ...wholeCall(0, "{}", { callId: "call_1" }),
    { type: "usage.reported", usage },
    finished,
  ] as const;

  it("reports how it ended, its items, the calls among them, and what it cost", async () => {
    const { attempt } = play(answerWithCall);
    expect(await attempt.result).toMatchObject({
      ending: finished,
      items: [
        { type: "message", isCommentary: true },
        { type: "call", callId: "call_1", arguments: "{}" },
      ],
      calls: [{ type: "call", callId: "call_1" }],
      usage,
      isSent: true,
    });
  });

  it("does not end the turn", async () => {
    const { attempt, client, answer } = play(answerWithCall);
    await attempt.result;
    expect(answer.isEnded).toBe(false);
    expect(client.endings).toEqual([]);
    // What was not flushed in time goes out with what the driver does next.
    expect(client.wire).toEqual(["open"]);
  });

  it("leaves the backend's connection to the backend", async () => {
    const { attempt, backend } = play(answerWithCall);
    await attempt.result;
    expect(backend.rounds[0]?.cancellation.reason).toBeUndefined();
  });

  it("was not sent where the answer is not streamed", async () => {
    const { attempt, client, commits } = play(answerWithCall, { streams: false });
    expect(await attempt.result).toMatchObject({ ending: finished, isSent: false, calls: [{ callId: "call_1" }] });
    expect(client.wire).toEqual([]);
    expect(commits()).toBe(0);
  });

  it("has no call that was cut, and says so in its reason", async () => {
    const { attempt } = play([...wholeCall(0, "{}"), started(1), finished]);
    const { ending, calls } = await attempt.result;
    expect(ending).toEqual({ type: "round.finished", reason: "length" });
    expect(calls).toHaveLength(1);
  });

  it("tells whoever listens every event that the client is given, but for text", async () => {
    const heard: TurnEvent[] = [];
    const { attempt, client } = play(answerWithCall, { onEvent: (event) => heard.push(event) });
    await attempt.result;
    expect(heard).toEqual(client.events.filter(({ type }) => type !== "text.delta"));
  });

  it("was ended at its calls, where the backend does that by itself and there are some", async () => {
    const told: number[] = [];
    const calls = { ids: new Ids(), checks: new ArgumentChecks([]), listener: { cutOff: () => void told.push(1) } };
    await play([text("Yes"), finished], { endsAtCalls: true, calls }).attempt.result;
    expect(told).toEqual([]);
    await play(answerWithCall, { endsAtCalls: true, calls }).attempt.result;
    expect(told).toEqual([1]);
  });
});

describe("whether a round has begun", () => {
  it("is known with its first content, long before it is over", async () => {
    const { attempt, commits } = play(andThenSilence(text("Yes")));
    expect(await stateOf(attempt.accepted)).toBe("resolved");
    expect(await stateOf(attempt.result)).toBe("pending");
    expect(commits()).toBe(1);
  });

  it("is not known while there is no content", async () => {
    const { attempt } = play(andThenSilence({ type: "message.started" }, { type: "usage.reported", usage }));
    expect(await stateOf(attempt.accepted)).toBe("pending");
  });

  it("is known only at its end, where the answer is not streamed", async () => {
    const { attempt, backend } = play(andThenSilence(text("Yes")), { streams: false });
    expect(await stateOf(attempt.accepted)).toBe("pending");
    backend.rounds[0]?.emit(finished);
    expect(await stateOf(attempt.accepted)).toBe("resolved");
  });

  it("is known at the end of a round that had nothing to say", async () => {
    expect(await stateOf(play([finished]).attempt.accepted)).toBe("resolved");
  });

  it("is answered with what went wrong before that", async () => {
    const error = broken();
    const { attempt, client } = play(andThenFailure(error, { type: "message.started" }));
    await expect(attempt.accepted).rejects.toBe(error);
    expect(await attempt.result).toMatchObject({ ending: { type: "round.failed", error }, items: [], isSent: false });
    expect(client.wire).toEqual([]);
  });

  it("does not change when it fails later", async () => {
    const error = broken();
    const { attempt, client, answer } = play(
      andThenFailure(error, text("I look."), ...wholeCall(0, "{}"), started(1), { type: "usage.reported", usage }),
    );
    expect(await stateOf(attempt.accepted)).toBe("resolved");
    const result = await attempt.result;
    expect(result).toMatchObject({ ending: { type: "round.failed", error }, usage, isSent: true });
    expect(typesOf(result.items)).toEqual(["message", "call"]);
    expect(answer.isEnded).toBe(false);
    expect(client.endings).toEqual([]);
  });
});

describe("what the model has said", () => {
  const script = [text("I "), { type: "reasoning.delta", text: "Hm.", part: 0 }, text("look."), finished] as const;

  it("is noted where the model may be asked again, also what stages hold back", async () => {
    const { attempt } = play(script, { reask: 1, stages: [(event, emit) => event === finished && emit(event)] });
    await attempt.result;
    expect(attempt).toMatchObject({ said: "I look.", thought: "Hm." });
  });

  it("is noted for no other reason, and not without end", async () => {
    const { attempt } = play(script);
    await attempt.result;
    expect(attempt).toMatchObject({ said: "", thought: "" });
    const long = play([...Array.from({ length: 50 }, () => text("x".repeat(1_000))), finished], { reask: 1 });
    await long.attempt.result;
    expect(long.attempt.said.length).toBeLessThan(12_000);
    expect(wordsOf(long.client.events)).toHaveLength(50_000);
  });
});

describe("a stage", () => {
  it("may end the round: then the rest of the answer is not wanted", async () => {
    const endsAtText: Stage = (event, emit) => {
      emit(event);
      if (event.type === "text.delta") emit(finished);
    };
    const { attempt, backend, client } = play(andThenSilence(text("Yes"), text("and more")), { stages: [endsAtText] });
    expect(await attempt.result).toMatchObject({ ending: finished });
    expect(wordsOf(client.events)).toBe("Yes");
    expect(backend.rounds[0]?.cancellation.reason).toBeInstanceOf(TurnError);
  });

  it("that throws fails the round, and says nothing of its inside", async () => {
    const cause = new Error("a stage is broken");
    const throws: Stage = () => {
      throw cause;
    };
    const { attempt } = play([text("Yes"), finished], { stages: [throws] });
    const { ending } = await attempt.result;
    expect(ending).toMatchObject({ type: "round.failed", error: { code: "internal_error", cause } });
    await expect(attempt.accepted).rejects.toMatchObject({ code: "internal_error" });
  });

  it("gives what it holds before a failure is told", async () => {
    const held: Stage = (event, emit) => {
      if (event.type === "round.failed") emit(text("held"));
      emit(event);
    };
    const { attempt, client } = play(andThenFailure(broken(), text("Yes ")), { stages: [held] });
    await attempt.result;
    expect(wordsOf(client.events)).toBe("Yes held");
  });

  it("cannot keep a failure to itself", async () => {
    const error = broken();
    const swallows: Stage = (event, emit) => event.type !== "round.failed" && emit(event);
    const { attempt } = play(andThenFailure(error), { stages: [swallows] });
    expect(await attempt.result).toMatchObject({ ending: { type: "round.failed", error } });
  });
});
