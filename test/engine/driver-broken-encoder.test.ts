import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { runTurn } from "../../src/engine/index.ts";
import { text } from "./events.ts";
import { FakeClient } from "./fake-client.ts";
import { andThenSilence, candidateOf, planOf, ScriptedBackend } from "./scripted-backend.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** An encoder that throws in a keep-alive ends the turn: the round is cancelled, and `end` is the last call that the encoder gets. */
it("when an answer is ended because its encoder broke, its backend is stopped and its encoder is told nothing more", async () => {
  const client = new FakeClient();
  const backend = new ScriptedBackend("house", [andThenSilence()]);
  const turn = runTurn(planOf(client, [candidateOf(backend)], { keepAlive: 100, total: 5_000 }), client.reply);
  await vi.advanceTimersByTimeAsync(100);
  client.breaksAt = "keepAlive";
  await vi.advanceTimersByTimeAsync(100);
  expect(client.wire.at(-1)).toBe("end turn.failed");
  client.breaksAt = undefined;
  backend.rounds[0]?.emit(text("Yes"));
  const { reason } = backend.rounds[0]?.cancellation ?? {};
  await vi.advanceTimersByTimeAsync(5_000);
  expect((await turn).status).toBe("failed");
  expect(client.events).toEqual([]);
  expect(reason).toBeDefined();
});
