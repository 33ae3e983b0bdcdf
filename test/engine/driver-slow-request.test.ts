import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type Ending, runTurn, type TurnPlan } from "../../src/engine/index.ts";
import { Cancellation, TurnError } from "../../src/turn/index.ts";
import { FakeClient } from "./fake-client.ts";
import { askingTurn, candidateOf, planOf, ScriptedBackend } from "./scripted-backend.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A candidate's request reads the short-lived memory, which may be a database that does not answer. */
function start(more: Partial<TurnPlan>): () => Ending | undefined {
  const request = () => new Promise<never>(() => {});
  const candidate = candidateOf(new ScriptedBackend("house", []), askingTurn, { request });
  const client = new FakeClient();
  let ending: Ending | undefined;
  void runTurn(planOf(client, [candidate], more), client.reply).then((ended) => {
    ending = ended;
  });
  return () => ending;
}

it("a turn whose request is never made ends when its time is over", async () => {
  const ending = start({ total: 1_000 });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(ending()).toMatchObject({ status: "failed" });
});

it("a turn whose request is never made ends when its client leaves", async () => {
  const cancellation = new Cancellation();
  const ending = start({ cancellation });
  await vi.advanceTimersByTimeAsync(10);
  cancellation.cancel(new TurnError("client_closed", "The client has left."));
  await vi.advanceTimersByTimeAsync(10);
  expect(ending()).toMatchObject({ status: "cancelled" });
});
