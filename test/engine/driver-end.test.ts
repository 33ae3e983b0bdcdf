import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Continuity } from "../../src/engine/continuity.ts";
import { runTurn, type TurnPlan, type TurnSeams } from "../../src/engine/index.ts";
import { type Item, type TurnEnding, TurnError } from "../../src/turn/index.ts";
import { finished, text, wholeCall } from "./events.ts";
import { FakeClient } from "./fake-client.ts";
import { andThenFailure, askingTurn, broken, candidateOf, planOf, ScriptedBackend } from "./scripted-backend.ts";

let client: FakeClient;
let told: unknown[];

beforeEach(() => {
  vi.useFakeTimers();
  client = new FakeClient();
  told = [];
});

afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

const listener = { beforeEndFailed: (error: unknown) => void told.push(error) };
const saysYes = () => candidateOf(new ScriptedBackend("house", [[text("Yes"), finished]]));

const run = (seams: TurnSeams, more: Partial<TurnPlan> = {}) =>
  runTurn(planOf(client, [saysYes()], { seams, listener, ...more }), client.reply);

/** A step that takes so long. */
const lasting = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

describe("what must happen before the end", () => {
  it("is waited for: the client has all of the answer but its end, and is kept company", async () => {
    const turn = run({ beforeEnd: () => lasting(500) }, { keepAlive: 200 });
    await vi.advanceTimersByTimeAsync(499);
    expect(client.wire).toEqual(["open", "write open message.started text.delta message.done", "write alive"]);
    await vi.advanceTimersByTimeAsync(1);
    expect((await turn).status).toBe("completed");
    expect(client.wire.at(-1)).toBe("end turn.finished");
    expect(told).toEqual([]);
  });

  it("is told how the turn ends and what the answer is, also where it fails", async () => {
    const seen: [TurnEnding, readonly Item[]][] = [];
    const seams: TurnSeams = {
      beforeEnd: async ({ ending, answer }) => void seen.push([ending, [...answer.items]]),
    };
    await run(seams);
    const error = broken();
    const failing = candidateOf(new ScriptedBackend("house", [andThenFailure(error)]));
    await runTurn(planOf(new FakeClient(), [failing], { seams }), client.reply);
    expect(seen).toMatchObject([
      [{ type: "turn.finished", reason: "stop" }, [{ content: [{ text: "Yes" }] }]],
      [{ type: "turn.failed", error }, []],
    ]);
  });

  it("happens when the answer has its id, and once", async () => {
    const ids: (readonly string[])[] = [];
    const turn = { ...askingTurn, stream: false };
    const candidates = [candidateOf(new ScriptedBackend("house", [[text("Yes"), finished]]), turn)];
    await run({ beforeEnd: async () => void ids.push([...client.ids]) }, { turn, candidates });
    expect(ids).toEqual([[expect.stringMatching(/^answer_/)]]);
  });

  it("is waited for no longer than two seconds: the turn ends as it would have", async () => {
    const turn = run({ beforeEnd: () => new Promise(() => {}) });
    await vi.advanceTimersByTimeAsync(1_999);
    expect(client.endings).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect((await turn).status).toBe("completed");
    expect(told).toEqual([expect.any(Error)]);
  });

  it("may be given more time, or less", async () => {
    const turn = run({ beforeEnd: () => lasting(5_000), beforeEndLimit: 6_000 });
    await vi.advanceTimersByTimeAsync(5_000);
    expect((await turn).status).toBe("completed");
    expect(told).toEqual([]);
    const short = run({ beforeEnd: () => new Promise(() => {}), beforeEndLimit: 10 });
    await vi.advanceTimersByTimeAsync(10);
    expect((await short).status).toBe("completed");
    expect(told).toHaveLength(1);
  });

  it("can fail the turn with an error for the client, behind what was sent", async () => {
    const error = new TurnError("overloaded", "The answer could not be stored.");
    const ending = await run({ beforeEnd: () => Promise.reject(error) });
    expect(ending).toMatchObject({ status: "failed", error, opened: true });
    expect(client.endings).toMatchObject([{ type: "turn.failed", error }]);
    expect(told).toEqual([]);
  });

  it("can fail the turn without a stream, where the answer is not streamed", async () => {
    const error = new TurnError("overloaded", "The answer could not be stored.");
    const turn = { ...askingTurn, stream: false };
    const candidates = [candidateOf(new ScriptedBackend("house", [[text("Yes"), finished]]), turn)];
    const ending = await run({ beforeEnd: () => Promise.reject(error) }, { turn, candidates });
    expect(ending).toMatchObject({ status: "failed", error, opened: false });
    expect(client.wire).toEqual([]);
    expect(client.endings).toEqual([]);
  });

  it("can fail in other ways, which are told to listeners and change nothing for the client", async () => {
    const error = new Error("the database is gone");
    expect(await run({ beforeEnd: () => Promise.reject(error) })).toMatchObject({ status: "completed" });
    const throws = () => {
      throw error;
    };
    expect(await run({ beforeEnd: throws })).toMatchObject({ status: "completed" });
    expect(told).toEqual([error, error]);
  });

  it("can fail when nobody waits for it any more, which means nothing", async () => {
    const late = lasting(3_000).then(() => Promise.reject(new TurnError("overloaded", "late")));
    const turn = run({ beforeEnd: () => late });
    await vi.advanceTimersByTimeAsync(2_000);
    expect((await turn).status).toBe("completed");
    await vi.advanceTimersByTimeAsync(1_000);
    expect(client.endings).toHaveLength(1);
  });
});

describe("what a later request needs", () => {
  const candidate = () =>
    candidateOf(new ScriptedBackend("house", [[...wholeCall(0, "{}", { callId: "functions.look:0" }), finished]]));

  it("is kept before the end", async () => {
    const written: string[] = [];
    const write = async () => {
      await lasting(100);
      written.push("kept");
    };
    const continuity = new Continuity({ read: async () => [], write }, "ann");
    const turn = runTurn(planOf(client, [candidate()], { continuity, listener }), client.reply);
    await vi.advanceTimersByTimeAsync(99);
    expect(client.endings).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect((await turn).status).toBe("completed");
    expect(written).toEqual(["kept"]);
  });

  it("does not keep the client waiting for long where the memory is slow", async () => {
    const continuity = new Continuity({ read: async () => [], write: () => new Promise(() => {}) }, "ann");
    const turn = runTurn(planOf(client, [candidate()], { continuity, listener }), client.reply);
    await vi.advanceTimersByTimeAsync(2_000);
    expect((await turn).status).toBe("completed");
    expect(told).toHaveLength(1);
  });

  it("does not hide that the turn must fail", async () => {
    const continuity = new Continuity({ read: async () => [], write: () => new Promise(() => {}) }, "ann");
    const beforeEnd = async () => {
      await lasting(1_900);
      throw new TurnError("store_unavailable", "The store is away.");
    };
    const turn = runTurn(planOf(client, [candidate()], { continuity, listener, seams: { beforeEnd } }), client.reply);
    await vi.advanceTimersByTimeAsync(1_900);
    expect(await turn).toMatchObject({ status: "failed", error: { code: "store_unavailable" } });
  });
});

describe("nothing that happens makes a turn reject", () => {
  const fails = async (more: Partial<TurnPlan>, expected: object = { code: "internal_error" }) => {
    const ending = await runTurn(planOf(client, [saysYes()], more), client.reply);
    expect(ending).toMatchObject({ status: "failed", error: expected });
    return ending;
  };

  it("a candidate whose request cannot be made", async () => {
    const error = new TurnError("unsupported_value", "no such tool");
    const { backend } = saysYes();
    const rejects = candidateOf(backend, askingTurn, { request: () => Promise.reject(error) });
    expect(await fails({ candidates: [rejects] }, error)).toMatchObject({ opened: false });
    const throws = candidateOf(backend, askingTurn, {
      request: () => {
        throw new Error("a bug");
      },
    });
    expect(await fails({ candidates: [throws] })).toMatchObject({ opened: false });
  });

  it("a backend that cannot get ready", async () => {
    const error = new TurnError("upstream_unavailable", "log in first");
    const lifecycle = { prepare: () => Promise.reject(error) };
    await fails({ candidates: [candidateOf(new ScriptedBackend("house", [], {}, lifecycle))] }, error);
  });

  it("no candidate at all", async () => {
    await fails({ candidates: [] });
  });

  it("a breaker that lets nothing through and says nothing", async () => {
    const breaker = { watch: async () => {}, failed() {} };
    await fails({ candidates: [candidateOf(saysYes().backend, askingTurn, { breaker })] });
  });

  it.each(["create", "open", "push"] as const)("an encoder that breaks in a stream: %s", async (step) => {
    client.breaksAt = step;
    const ending = await fails({});
    expect(client.wire.filter((words) => words.startsWith("end"))).toHaveLength(ending.opened ? 1 : 0);
  });

  it("an encoder that breaks at the end", async () => {
    client.breaksAt = "end";
    expect(await fails({})).toMatchObject({ opened: true });
    expect(client.wire).toEqual(["open", "end open message.started text.delta message.done"]);
  });

  it("somebody who cannot say whose a call is", async () => {
    const ownerOf = () => {
      throw new Error("a bug");
    };
    const candidates = [candidateOf(new ScriptedBackend("house", [[...wholeCall(0, "{}"), finished]]))];
    await fails({ candidates, seams: { ownerOf } });
  });
});
