import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type NextRound, type RoundResult, runTurn, type TurnPlan, type TurnSeams } from "../../src/engine/index.ts";
import { type BackendEvent, Cancellation, type Turn, TurnError, type TurnEvent } from "../../src/turn/index.ts";
import { finished, text, typesOf, wholeCall, wordsOf } from "./events.ts";
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
const called: BackendEvent[] = [text("I look."), ...wholeCall(0, "{}", { callId: "call_1" }), finished];
const there: BackendEvent[] = [text("There."), finished];
const blue: TurnEvent = { type: "output.done", kind: "function", callId: "call_1", output: "blue" };
const ownerOf = () => "gateway" as const;

/** Runs these between the rounds, one after the other, and remembers what it was told of each round. */
function between(...steps: (NextRound | undefined)[]) {
  const results: RoundResult[] = [];
  const seams: TurnSeams = {
    ownerOf,
    nextRound: async (result) => {
      results.push(result);
      return steps.shift();
    },
  };
  return { results, seams };
}

const run = (candidates: TurnPlan["candidates"], more: Partial<TurnPlan>) =>
  runTurn(planOf(client, candidates, more), client.reply);

describe("a turn of many rounds", () => {
  it("may have more outputs between two rounds than a function has arguments", async () => {
    const candidate = candidateOf(new ScriptedBackend("house", [called, there]));
    const outputs = Array.from({ length: 200_000 }, () => blue);
    const ending = await run([candidate], { seams: between({ outputs }).seams });
    expect(ending.status).toBe("completed");
    expect(candidate.asks.at(-1)?.history).toHaveLength(200_002);
  });

  it("asks again with what earlier rounds gave and what happened between them", async () => {
    const second = [text("And on."), ...wholeCall(0, '{"at":2}', { callId: "call_2" }), finished];
    const candidate = candidateOf(new ScriptedBackend("house", [called, second, there]));
    const green: TurnEvent = { ...blue, callId: "call_2", output: "green" };
    const { results, seams } = between({ outputs: [blue] }, { outputs: [green] });
    const ending = await run([candidate], { seams });
    expect(ending.status).toBe("completed");
    expect(candidate.asks.map(({ history }) => typesOf(history))).toEqual([
      [],
      ["message", "call", "output"],
      ["message", "call", "output", "message", "call", "output"],
    ]);
    expect(candidate.asks[1]?.history).toMatchObject([
      { role: "assistant", content: [{ text: "I look." }] },
      { callId: "call_1", owner: "gateway", arguments: "{}" },
      { callId: "call_1", output: "blue" },
    ]);
    expect(results).toMatchObject([
      { ending: finished, calls: [{ callId: "call_1" }], isSent: true },
      { calls: [{ callId: "call_2" }], items: [{ type: "message" }, { type: "call" }] },
      { calls: [], items: [{ content: [{ text: "There." }] }] },
    ]);
  });

  it("is one answer to its client, with one id and one end", async () => {
    const candidate = candidateOf(new ScriptedBackend("house", [called, there]));
    await run([candidate], { seams: between({ outputs: [blue] }).seams });
    expect(client.ids).toHaveLength(1);
    expect(client.endings).toHaveLength(1);
    expect(wordsOf(client.events)).toBe("I look.There.");
    expect(typesOf(client.events)).toContain("output.done");
    expect(client.answer?.items.map(({ type }) => type)).toEqual(["message", "call", "output", "message"]);
    expect(client.wire.filter((words) => words.startsWith("end"))).toHaveLength(1);
  });

  it("never gives an id twice, whatever its backend calls its calls", async () => {
    const again = [...wholeCall(0, '{"at":2}', { callId: "call_1" }), finished];
    await run([candidateOf(new ScriptedBackend("house", [called, again, there]))], {
      seams: between({ outputs: [blue] }, { outputs: [] }).seams,
    });
    const ids = client.events.flatMap((event) => (event.type === "call.started" ? [event.callId] : []));
    expect(new Set(ids).size).toBe(2);
  });

  it("adds up what its rounds cost", async () => {
    const usage = {
      ...{ inputTokens: 1, outputTokens: 2, totalTokens: 3 },
      ...{ cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 },
    };
    const script: BackendEvent[] = [{ type: "usage.reported", usage }, ...called];
    const { results, seams } = between({ outputs: [blue] });
    const ending = await run([candidateOf(new ScriptedBackend("house", [script]))], { seams });
    expect(ending.usage).toMatchObject({ inputTokens: 2, outputTokens: 4, totalTokens: 6 });
    expect(results.map((result) => result.usage)).toEqual([usage, usage]);
  });

  it("may choose tools otherwise in a later round", async () => {
    const turn: Turn = { ...askingTurn, choice: { mode: "required" } };
    const backend = new ScriptedBackend("house", [called, there]);
    const candidate = candidateOf(backend, turn);
    const { seams } = between({ outputs: [blue], choice: { mode: "auto" } });
    expect((await run([candidate], { turn, seams })).status).toBe("completed");
    expect(candidate.asks.map(({ choice }) => choice)).toEqual([undefined, { mode: "auto" }]);
    expect(backend.turns.map(({ choice }) => choice.mode)).toEqual(["required", "auto"]);
  });

  it("is over where the model was cut: nobody runs calls of half an answer", async () => {
    const cut = [...wholeCall(0, "{}"), { type: "round.finished", reason: "length" }] satisfies BackendEvent[];
    const { results, seams } = between({ outputs: [] });
    const ending = await run([candidateOf(new ScriptedBackend("house", [cut, there]))], { seams });
    expect(ending.status).toBe("incomplete");
    expect(results).toEqual([]);
  });

  it("lets the client read what was said while tools run", async () => {
    const { promise, resolve } = pending<NextRound | undefined>();
    const candidate = candidateOf(new ScriptedBackend("house", [called]));
    const turn = run([candidate], { seams: { ownerOf, nextRound: () => promise }, keepAlive: 100 });
    await vi.advanceTimersByTimeAsync(250);
    expect(client.wire).toEqual([
      "open",
      "write open message.started text.delta message.done call.started call.arguments call.done",
      "write alive",
    ]);
    resolve(undefined);
    await turn;
  });
});

describe("a later round that fails", () => {
  it("before its first content is tried again: what earlier rounds sent stays", async () => {
    const failing = andThenFailure(overloaded(), { type: "message.started" });
    const backend = new ScriptedBackend("house", [called, failing, there]);
    const turn = run([candidateOf(backend, askingTurn, { retries: 1 })], { seams: between({ outputs: [blue] }).seams });
    await vi.advanceTimersByTimeAsync(1_000);
    expect((await turn).status).toBe("completed");
    expect(wordsOf(client.events)).toBe("I look.There.");
    expect(client.events.filter(({ type }) => type === "message.started")).toHaveLength(2);
  });

  it("before its first content is tried elsewhere, with the same history", async () => {
    const house = candidateOf(new ScriptedBackend("house", [called, andThenFailure(broken())]));
    const spare = candidateOf(new ScriptedBackend("spare", [there]));
    const ending = await run([house, spare], { seams: between({ outputs: [blue] }).seams });
    expect(ending.status).toBe("completed");
    expect(spare.asks).toEqual([house.asks[1]]);
    expect(typesOf(spare.asks[0]?.history ?? [])).toEqual(["message", "call", "output"]);
  });

  it("after its first content fails the turn, behind what was sent", async () => {
    const error = overloaded();
    const backend = new ScriptedBackend("house", [called, andThenFailure(error, text("The"))]);
    const ending = await run([candidateOf(backend, askingTurn, { retries: 3 })], {
      seams: between({ outputs: [blue] }).seams,
    });
    expect(ending).toMatchObject({ status: "failed", error, opened: true });
    expect(wordsOf(client.events)).toBe("I look.The");
    expect(backend.turns).toHaveLength(2);
  });

  it("is tried again also after content, where the answer is not streamed", async () => {
    const backend = new ScriptedBackend("house", [called, andThenFailure(overloaded(), text("No")), there]);
    const turn = run([candidateOf(backend, whole, { retries: 1 })], {
      turn: whole,
      seams: between({ outputs: [blue] }).seams,
    });
    await vi.advanceTimersByTimeAsync(1_000);
    expect((await turn).status).toBe("completed");
    expect(client.answer?.items).toMatchObject([
      { content: [{ text: "I look." }] },
      { type: "call" },
      { type: "output" },
      { content: [{ text: "There." }] },
    ]);
  });
});

it("a candidate that failed in an earlier round is not asked again", async () => {
  const first = new ScriptedBackend("first", [andThenFailure(broken())]);
  const second = new ScriptedBackend("second", [called, andThenFailure(broken("later"))]);
  const third = new ScriptedBackend("third", [there]);
  const candidates = [first, second, third].map((backend) => candidateOf(backend));
  const { seams } = between({ outputs: [blue] });
  expect((await run(candidates, { seams })).status).toBe("completed");
  expect([first, second, third].map(({ turns }) => turns.length)).toEqual([1, 2, 1]);
});

describe("what happens between rounds", () => {
  it("can fail: then the turn fails, behind what was sent", async () => {
    const error = new TurnError("overloaded", "too many tools at once");
    const nextRound = () => Promise.reject(error);
    const ending = await run([candidateOf(new ScriptedBackend("house", [called]))], { seams: { nextRound } });
    expect(ending).toMatchObject({ status: "failed", error, opened: true });
    expect(client.wire.at(-1)).toBe("end turn.failed");
  });

  it("can throw at once, which is no other failure", async () => {
    const nextRound = () => {
      throw new Error("a tool is broken");
    };
    const ending = await run([candidateOf(new ScriptedBackend("house", [called]))], { seams: { nextRound } });
    expect(ending).toMatchObject({ status: "failed", error: { code: "internal_error" } });
  });

  it("does not keep a turn whose client has left", async () => {
    const cancellation = new Cancellation();
    const left = new TurnError("client_closed", "The client has left.");
    let told: TurnError | undefined;
    const nextRound: TurnSeams["nextRound"] = (_result, turn) => {
      turn.onCancel(() => {
        told = turn.reason;
      });
      return new Promise(() => {});
    };
    const backend = new ScriptedBackend("house", [called]);
    const turn = run([candidateOf(backend)], { seams: { nextRound }, cancellation });
    await vi.advanceTimersByTimeAsync(10);
    cancellation.cancel(left);
    expect(await turn).toMatchObject({ status: "cancelled", error: left });
    expect(told).toBe(left);
    expect(backend.turns).toHaveLength(1);
  });

  it("does not take longer than the turn may", async () => {
    const seams: TurnSeams = { nextRound: () => new Promise(() => {}) };
    const turn = run([candidateOf(new ScriptedBackend("house", [called]))], { seams, total: 1_000 });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await turn).toMatchObject({ status: "failed", error: { code: "upstream_timeout" } });
  });

  it("shares the turn's time with its rounds", async () => {
    const backend = new ScriptedBackend("house", [called, andThenSilence()]);
    const turn = run([candidateOf(backend)], { seams: between({ outputs: [blue] }).seams, total: 1_000 });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await turn).toMatchObject({ error: { code: "upstream_timeout" }, totalMs: 1_000 });
    expect(backend.turns).toHaveLength(2);
  });
});

function pending<T>() {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((resolved) => {
    resolve = resolved;
  });
  return { promise, resolve };
}
