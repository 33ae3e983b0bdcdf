import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Continuity, unreadable } from "../../src/engine/continuity.ts";
import { runTurn, type TurnPlan } from "../../src/engine/index.ts";
import {
  type BackendEvent,
  type Item,
  type JsonValue,
  type Memory,
  noQuirks,
  type Turn,
  TurnError,
  type TurnEvent,
  type TurnListener,
} from "../../src/turn/index.ts";
import { finished, started, text, typesOf, wholeCall, wordsOf } from "./events.ts";
import { FakeClient } from "./fake-client.ts";
import {
  andThenFailure,
  askingTurn,
  broken,
  candidateOf,
  overloaded,
  planOf,
  ScriptedBackend,
} from "./scripted-backend.ts";
import { slipsIn } from "./slips.ts";

let client: FakeClient;
let heard: string[];

beforeEach(() => {
  vi.useFakeTimers();
  client = new FakeClient();
  heard = [];
});

afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

const listener: TurnListener = {
  turnStarted: ({ model }) => void heard.push(`turn started ${model}`),
  attemptStarted: (backend) => void heard.push(`attempt started ${backend}`),
  attemptFailed: (backend, { code }, { action }) => void heard.push(`attempt failed ${backend} ${code} ${action}`),
  roundCommitted: () => void heard.push("round committed"),
  callDone: ({ name }) => void heard.push(`call done ${name}`),
  turnFinished: ({ status }) => void heard.push(`turn finished ${status}`),
};

const run = (candidates: TurnPlan["candidates"], more: Partial<TurnPlan> = {}) =>
  runTurn(planOf(client, candidates, { listener, ...more }), client.reply);

const yes: BackendEvent[] = [text("Yes"), finished];
const called: BackendEvent[] = [...wholeCall(0, "{}", { callId: "call_1" }), finished];
const rewritable = new TurnError("upstream_rejected", "another form", {
  failure: { by: "backend", phase: "refusal", remedy: "rewrite" },
});

describe("a listener hears", () => {
  it("every attempt, what is done about its failure, and when what it says is final", async () => {
    const house = new ScriptedBackend("house", [andThenFailure(overloaded()), andThenFailure(broken())]);
    const spare = new ScriptedBackend("spare", [andThenFailure(rewritable), yes]);
    const turn = run([candidateOf(house, askingTurn, { retries: 1 }), candidateOf(spare)]);
    await vi.advanceTimersByTimeAsync(1_000);
    await turn;
    expect(heard).toEqual([
      "turn started m",
      "attempt started house",
      "attempt failed house upstream_rate_limited retry",
      "attempt started house",
      "attempt failed house upstream_error fallback",
      "attempt started spare",
      "attempt failed spare upstream_rejected rewrite",
      "attempt started spare",
      "round committed",
      "turn finished completed",
    ]);
  });

  it("that the last attempt failed, before the turn is finished", async () => {
    await run([candidateOf(new ScriptedBackend("house", [andThenFailure(broken(), text("Ye"))]))]);
    expect(heard.slice(2)).toEqual([
      "round committed",
      "attempt failed house upstream_error end",
      "turn finished failed",
    ]);
  });

  it("that a round is committed when another follows it, also where nothing is streamed", async () => {
    const turn: Turn = { ...askingTurn, stream: false };
    const rounds = [{ outputs: [] }];
    await run([candidateOf(new ScriptedBackend("house", [called, yes]), turn)], {
      turn,
      seams: { nextRound: async () => rounds.shift() },
    });
    expect(heard.slice(1)).toEqual([
      ...["attempt started house", "call done look", "round committed"],
      ...["attempt started house", "turn finished completed"],
    ]);
  });

  it("nothing of a commitment where the answer is not streamed", async () => {
    const turn: Turn = { ...askingTurn, stream: false };
    await run([candidateOf(new ScriptedBackend("house", [yes]), turn)], { turn });
    expect(heard).toEqual(["turn started m", "attempt started house", "turn finished completed"]);
  });

  it("no attempt at a backend that could not be asked", async () => {
    const error = new TurnError("upstream_unavailable", "log in first");
    const lifecycle = { prepare: () => Promise.reject(error) };
    await run([candidateOf(new ScriptedBackend("house", [], {}, lifecycle))]);
    expect(heard.slice(1)).toEqual(["attempt failed house upstream_unavailable end", "turn finished failed"]);
  });
});

it("a request is made anew for every attempt, so that it can take another form", async () => {
  const candidate = candidateOf(new ScriptedBackend("house", [andThenFailure(rewritable), yes]));
  expect((await run([candidate])).status).toBe("completed");
  expect(candidate.asks).toHaveLength(2);
});

it("reasoning that the provider cannot decrypt is left out from then on", async () => {
  const sealed: Item = { type: "reasoning", id: "rs_1", summary: [], encrypted: "sealed" };
  const turn: Turn = { ...askingTurn, input: [...askingTurn.input, sealed] };
  const refused = new TurnError("upstream_rejected", "cannot decrypt");
  const quirks = { ...noQuirks, refusesReasoning: (error: TurnError) => error === refused };
  const backend = new ScriptedBackend("house", [andThenFailure(refused), yes], { quirks });
  const kept = new Map<string, JsonValue>();
  const memory: Memory = {
    read: async (_owner, keys) => keys.map((key) => kept.get(key)),
    write: async (_owner, records) => {
      for (const { key, value } of records) kept.set(key, value);
    },
  };
  const continuity = new Continuity(memory, "ann");
  expect((await run([candidateOf(backend, turn)], { turn, continuity })).status).toBe("completed");
  const { makers } = await continuity.recall([], ["rs_1"]);
  expect(makers.get("rs_1")).toBe(unreadable);
  // It is known to be unreadable now, so that the same refusal is not met a second time.
  const again = new ScriptedBackend("house", [andThenFailure(refused), yes], { quirks });
  expect(await run([candidateOf(again, turn)], { turn, continuity })).toMatchObject({ error: refused });
});

describe("a call that breaks a strict schema", () => {
  const parameters = { type: "object", properties: { at: { type: "string" } }, required: ["at"] };
  const strict: Turn = {
    ...askingTurn,
    tools: [
      { type: "function", name: "look", parameters, strict: true },
      { type: "function", name: "go" },
    ],
  };
  const wrong: BackendEvent[] = [text("I look."), ...wholeCall(0, '{"at":5}'), finished];
  const right: BackendEvent[] = [...wholeCall(0, '{"at":"sea"}'), finished];
  const wrongOnly = wrong.slice(1);

  it("fails the turn", async () => {
    const ending = await run([candidateOf(new ScriptedBackend("house", [wrong]), strict)], { turn: strict });
    expect(ending).toMatchObject({ status: "failed", error: { code: "tool_call_invalid" } });
    expect(typesOf(client.events)).toEqual(["message.started", "text.delta"]);
  });

  it("is told by the assistant, where the settings say so: behind what was said, as a message of its own", async () => {
    const candidate = candidateOf(new ScriptedBackend("house", [wrong]), strict, { strictFailure: "message" });
    const ending = await run([candidate], { turn: strict });
    expect(ending).toMatchObject({ status: "completed", error: undefined });
    expect(slipsIn(client.events)).toEqual([]);
    expect(client.events.filter(({ type }) => type === "message.started")).toHaveLength(2);
    expect(wordsOf(client.events)).toMatch(/^I look\.The model called "look", but not as its strict schema demands/);
    expect(client.endings).toMatchObject([{ type: "turn.finished", reason: "stop" }]);
  });

  it("is told by the assistant also where nothing was said before, and where nothing is streamed", async () => {
    const more = { strictFailure: "message" } as const;
    await run([candidateOf(new ScriptedBackend("house", [wrongOnly]), strict, more)], { turn: strict });
    expect(wordsOf(client.events)).toMatch(/^The model called "look"/);
    const turn = { ...strict, stream: false };
    const ending = await run([candidateOf(new ScriptedBackend("house", [wrongOnly]), turn, more)], { turn });
    expect(ending).toMatchObject({ status: "completed", opened: false });
    expect(client.answer?.items).toMatchObject([{ content: [{ text: expect.stringContaining('"look"') }] }]);
  });

  it("is a failure all the same where a call is open, behind which nothing can be said", async () => {
    const script: BackendEvent[] = [started(0, { name: "go" }), ...wholeCall(1, "{}", { name: "nowhere" })];
    const candidate = candidateOf(new ScriptedBackend("house", [script]), strict, { strictFailure: "message" });
    const ending = await run([candidate], { turn: strict });
    expect(ending).toMatchObject({ status: "failed", error: { code: "tool_call_invalid" } });
  });

  it("does not make the assistant tell of other failures", async () => {
    const script = andThenFailure(broken(), text("I"));
    const candidate = candidateOf(new ScriptedBackend("house", [script]), strict, { strictFailure: "message" });
    expect((await run([candidate], { turn: strict })).status).toBe("failed");
  });

  it("is shown to the model, which may do better: the client sees nothing of it", async () => {
    const candidate = candidateOf(new ScriptedBackend("house", [wrongOnly, right]), strict, { reask: 1 });
    expect((await run([candidate], { turn: strict })).status).toBe("completed");
    expect(candidate.asks[1]?.history).toMatchObject([
      { type: "call", name: "look", arguments: '{"at":5}' },
      { type: "output", output: expect.stringContaining("/at") },
    ]);
    expect(argumentsOf(client.events)).toEqual(['{"at":"sea"}']);
    expect(heard).toContain("attempt failed house tool_call_invalid reask");
  });

  it("is what the client is told where the correction is refused", async () => {
    const refused = andThenFailure(new TurnError("upstream_rejected", "no such role"));
    const candidate = candidateOf(new ScriptedBackend("house", [wrongOnly, refused]), strict, { reask: 1 });
    expect(await run([candidate], { turn: strict })).toMatchObject({ error: { code: "tool_call_invalid" } });
  });

  it("is what the client is told of the candidate that made it, though another failed before", async () => {
    const house = candidateOf(new ScriptedBackend("house", [andThenFailure(broken())]), strict);
    const spare = candidateOf(new ScriptedBackend("spare", [wrongOnly]), strict);
    expect(await run([house, spare], { turn: strict })).toMatchObject({ error: { code: "tool_call_invalid" } });
  });
});

function argumentsOf(events: readonly TurnEvent[]): string[] {
  return events.flatMap((event) => (event.type === "call.done" ? [event.arguments] : []));
}
