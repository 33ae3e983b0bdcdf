import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { runTurn } from "../../src/engine/index.ts";
import { Cancellation, type Turn, TurnError, type Usage } from "../../src/turn/index.ts";
import { finished, text, typesOf, wordsOf } from "./events.ts";
import { FakeClient } from "./fake-client.ts";
import {
  andThenFailure,
  andThenSilence,
  askingTurn,
  broken,
  candidateOf,
  overloaded,
  planOf,
  ScriptedBackend,
} from "./scripted-backend.ts";

let client: FakeClient;

beforeEach(() => {
  vi.useFakeTimers();
  client = new FakeClient();
});

afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

const whole: Turn = { ...askingTurn, stream: false };
const yes = [text("Yes"), finished];
const usage: Usage = {
  ...{ inputTokens: 1, outputTokens: 2, totalTokens: 3 },
  ...{ cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 },
};

/** Lets a turn go on until it ends, for an hour at most. */
async function ended<T>(turn: Promise<T>): Promise<T> {
  let isOver = false;
  turn.then(() => {
    isOver = true;
  });
  for (let second = 0; second < 3_600 && !isOver; second++) await vi.advanceTimersByTimeAsync(1_000);
  expect(isOver).toBe(true);
  return turn;
}

describe("a turn of one round", () => {
  it("streams what the backend says, and ends once", async () => {
    const backend = new ScriptedBackend("house", [
      [text("Y"), { type: "usage.reported", usage }, text("es"), finished],
    ]);
    const ending = await runTurn(planOf(client, [candidateOf(backend)]), client.reply);
    expect(typesOf(client.events)).toEqual(["message.started", "text.delta", "text.delta", "message.done"]);
    expect(client.endings).toEqual([{ type: "turn.finished", reason: "stop", endTurn: undefined, usage }]);
    expect(client.wire).toEqual(["open", "end open message.started text.delta text.delta message.done turn.finished"]);
    expect(ending).toMatchObject({ status: "completed", error: undefined, usage, opened: true, body: "" });
    expect(backend.turns).toEqual([askingTurn]);
  });

  it("has a body where it is not streamed, which the caller sends", async () => {
    const candidate = candidateOf(new ScriptedBackend("house", [yes]), whole);
    const ending = await runTurn(planOf(client, [candidate], { turn: whole }), client.reply);
    expect(ending).toMatchObject({ status: "completed", opened: false, body: "open turn.finished" });
    expect(client.wire).toEqual([]);
    expect(client.answer?.items).toMatchObject([{ content: [{ text: "Yes" }] }]);
  });

  it("is incomplete where the model was cut, and says where the model wants to go on", async () => {
    const cut = new ScriptedBackend("house", [[text("Ye"), { type: "round.finished", reason: "length" }]]);
    expect(await runTurn(planOf(client, [candidateOf(cut)]), client.reply)).toMatchObject({ status: "incomplete" });
    const unfinished = new ScriptedBackend("house", [[text("Ye"), { ...finished, endTurn: false }]]);
    await runTurn(planOf(client, [candidateOf(unfinished)]), client.reply);
    expect(client.endings).toMatchObject([{ reason: "length" }, { reason: "stop", endTurn: false }]);
  });

  it("says how long it took", async () => {
    const backend = new ScriptedBackend("house", [
      async ({ emit }) => {
        await vi.advanceTimersByTimeAsync(20);
        emit(text("Yes"));
        await vi.advanceTimersByTimeAsync(30);
        emit(finished);
      },
    ]);
    const receivedAt = Date.now() - 5;
    const ending = await runTurn(planOf(client, [candidateOf(backend)], { receivedAt }), client.reply);
    expect(ending).toMatchObject({ firstContentMs: 25, totalMs: 55, overheadMs: 5 });
  });

  it("keeps a waiting client company", async () => {
    const backend = new ScriptedBackend("house", [andThenSilence()]);
    const turn = runTurn(planOf(client, [candidateOf(backend)], { keepAlive: 100 }), client.reply);
    await vi.advanceTimersByTimeAsync(350);
    expect(client.wire).toEqual(["open", "write open", "write alive", "write alive"]);
    for (const event of yes) backend.rounds[0]?.emit(event);
    expect(await turn).toMatchObject({ status: "completed" });
  });
});

describe("a failure before content", () => {
  it("is met with the same request again, and the client sees nothing of it", async () => {
    const backend = new ScriptedBackend("house", [andThenFailure(overloaded(), { type: "message.started" }), yes]);
    const ending = await ended(
      runTurn(planOf(client, [candidateOf(backend, askingTurn, { retries: 1 })]), client.reply),
    );
    expect(ending.status).toBe("completed");
    expect(backend.turns).toHaveLength(2);
    expect(typesOf(client.events)).toEqual(["message.started", "text.delta", "message.done"]);
  });

  it("is told without a stream once the retries are used up", async () => {
    const error = overloaded();
    const backend = new ScriptedBackend("house", [andThenFailure(error)]);
    const ending = await ended(
      runTurn(planOf(client, [candidateOf(backend, askingTurn, { retries: 2 })]), client.reply),
    );
    expect(backend.turns).toHaveLength(3);
    expect(ending).toMatchObject({ status: "failed", error, opened: false, body: "" });
    expect(client.wire).toEqual([]);
  });

  it("is told in a stream where the client understands it only there", async () => {
    const backend = new ScriptedBackend("house", [andThenFailure(broken())]);
    const isToldInStream = (error: TurnError) => error.code === "upstream_error";
    await runTurn(planOf(client, [candidateOf(backend)], { isToldInStream }), client.reply);
    expect(client.wire).toEqual(["open", "end open turn.failed"]);
  });

  it("is told in the stream that a keep-alive has opened", async () => {
    const backend = new ScriptedBackend("house", [andThenSilence()]);
    const candidate = candidateOf(backend, askingTurn, { firstContent: 500 });
    await ended(runTurn(planOf(client, [candidate], { keepAlive: 300 }), client.reply));
    expect(client.wire).toEqual(["open", "write open", "end turn.failed"]);
  });
});

describe("a failure after content", () => {
  it("is told behind it: nothing is asked again, nowhere", async () => {
    const error = overloaded();
    const backend = new ScriptedBackend("house", [andThenFailure(error, text("Ye"))]);
    const other = new ScriptedBackend("spare", [yes]);
    const first = candidateOf(backend, askingTurn, { retries: 3 });
    const ending = await runTurn(planOf(client, [first, candidateOf(other)]), client.reply);
    expect(ending).toMatchObject({ status: "failed", error, opened: true });
    expect(backend.turns).toHaveLength(1);
    expect(other.turns).toHaveLength(0);
    expect(client.wire.at(-1)).toBe("end turn.failed");
    expect(first.brokenOff).toEqual([error]);
  });

  it("is met with another try, where the answer is not streamed", async () => {
    const backend = new ScriptedBackend("house", [andThenFailure(overloaded(), text("No"), text("!")), yes]);
    const candidate = candidateOf(backend, whole, { retries: 1 });
    const ending = await ended(runTurn(planOf(client, [candidate], { turn: whole }), client.reply));
    expect(ending.status).toBe("completed");
    expect(client.answer?.items).toMatchObject([{ content: [{ text: "Yes" }] }]);
  });
});

describe("a second candidate", () => {
  const failing = (error: TurnError) => new ScriptedBackend("house", [andThenFailure(error)]);

  it("is asked where the first one fails", async () => {
    const spare = new ScriptedBackend("spare", [yes]);
    const ending = await runTurn(planOf(client, [candidateOf(failing(broken())), candidateOf(spare)]), client.reply);
    expect(ending.status).toBe("completed");
    expect(wordsOf(client.events)).toBe("Yes");
  });

  it("that fails too is not what the client is told of: it asked for the first", async () => {
    const error = broken("the first");
    const spare = new ScriptedBackend("spare", [andThenFailure(broken("the second"))]);
    const ending = await runTurn(planOf(client, [candidateOf(failing(error)), candidateOf(spare)]), client.reply);
    expect(ending.error).toBe(error);
    expect(spare.turns).toHaveLength(1);
  });

  it("that breaks off in the middle of its answer is what the client is told of", async () => {
    const error = broken("the second");
    const spare = new ScriptedBackend("spare", [andThenFailure(error, text("Ye"))]);
    const ending = await runTurn(planOf(client, [candidateOf(failing(broken())), candidateOf(spare)]), client.reply);
    expect(ending.error).toBe(error);
  });

  it("is not asked what the first has refused as a bad request, or what failed in the gateway itself", async () => {
    const spare = new ScriptedBackend("spare", [yes]);
    for (const error of [new TurnError("upstream_rejected", "no"), new TurnError("internal_error", "ours")]) {
      const ending = await runTurn(planOf(client, [candidateOf(failing(error)), candidateOf(spare)]), client.reply);
      expect(ending.error).toBe(error);
    }
    expect(spare.turns).toHaveLength(0);
  });

  it("is asked where the first is left alone by its breaker", async () => {
    const house = new ScriptedBackend("house", [yes]);
    const watch = () => Promise.reject(new TurnError("upstream_unavailable", "left alone"));
    const closed = candidateOf(house, askingTurn, { breaker: { watch, failed() {} } });
    const spare = new ScriptedBackend("spare", [yes]);
    expect((await runTurn(planOf(client, [closed, candidateOf(spare)]), client.reply)).status).toBe("completed");
    expect(house.turns).toHaveLength(0);
    expect(spare.turns).toHaveLength(1);
  });
});

describe("a turn whose time is over", () => {
  it("fails, and the backend's connection is closed", async () => {
    const backend = new ScriptedBackend("house", [andThenSilence(text("Ye"))]);
    const turn = runTurn(planOf(client, [candidateOf(backend)], { total: 5_000 }), client.reply);
    await vi.advanceTimersByTimeAsync(4_999);
    expect(client.endings).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    const ending = await turn;
    expect(ending).toMatchObject({ status: "failed", error: { code: "upstream_timeout" }, totalMs: 5_000 });
    expect(backend.rounds[0]?.cancellation.reason).toBe(ending.error);
    expect(client.wire.at(-1)).toBe("end turn.failed");
  });

  it("is the client's fault where the client let the backend wait", async () => {
    client.full = new Promise(() => {});
    const backend = new ScriptedBackend("house", [andThenSilence(text("Ye"))]);
    const ending = await ended(runTurn(planOf(client, [candidateOf(backend)], { total: 5_000 }), client.reply));
    expect(ending.error?.code).toBe("request_timeout");
  });

  it("does not wait for a retry, and asks nobody else", async () => {
    const backend = new ScriptedBackend("house", [andThenFailure(overloaded("later", { retryAfter: "4" }))]);
    const spare = new ScriptedBackend("spare", [yes]);
    const first = candidateOf(backend, askingTurn, { retries: 1 });
    const turn = runTurn(planOf(client, [first, candidateOf(spare)], { total: 1_000 }), client.reply);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await turn).toMatchObject({ error: { code: "upstream_timeout" } });
    expect(backend.turns.length + spare.turns.length).toBe(1);
    expect(first.asks).toHaveLength(1);
  });
});

describe("a turn that is cancelled", () => {
  const left = new TurnError("client_closed", "The client has left.");

  it("ends at once, and the backend's connection is closed", async () => {
    const cancellation = new Cancellation();
    const backend = new ScriptedBackend("house", [andThenSilence(text("Ye"))]);
    const turn = runTurn(planOf(client, [candidateOf(backend)], { cancellation }), client.reply);
    await vi.advanceTimersByTimeAsync(10);
    cancellation.cancel(left);
    expect(await turn).toMatchObject({ status: "cancelled", error: left });
    expect(backend.rounds[0]?.cancellation.reason).toBe(left);
  });

  it("has failed where it was the gateway that stopped", async () => {
    const cancellation = new Cancellation();
    const turn = runTurn(
      planOf(client, [candidateOf(new ScriptedBackend("house", [andThenSilence()]))], { cancellation }),
      client.reply,
    );
    cancellation.cancel(new TurnError("shutting_down", "Try again."));
    expect(await turn).toMatchObject({ status: "failed", error: { code: "shutting_down" } });
  });

  it("before it began asks nobody", async () => {
    const cancellation = new Cancellation();
    cancellation.cancel(left);
    const backend = new ScriptedBackend("house", [yes]);
    const spare = new ScriptedBackend("spare", [yes]);
    const candidates = [candidateOf(backend), candidateOf(spare)];
    const ending = await runTurn(planOf(client, candidates, { cancellation }), client.reply);
    expect(ending.status).toBe("cancelled");
    expect(backend.turns.length + spare.turns.length).toBe(0);
  });

  it("after it ended means nothing", async () => {
    const cancellation = new Cancellation();
    const candidates = [candidateOf(new ScriptedBackend("house", [yes]))];
    await runTurn(planOf(client, candidates, { cancellation }), client.reply);
    cancellation.cancel(left);
    expect(client.endings).toMatchObject([{ type: "turn.finished" }]);
  });
});
