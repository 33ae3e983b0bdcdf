import { ArgumentChecks } from "../tools/index.ts";
import {
  Cancellation,
  giveLoopBack,
  type Item,
  type ReplyStream,
  type ToolChoice,
  type TurnEnding,
  TurnError,
  type TurnFailed,
  type TurnSummary,
  toTurnError,
} from "../turn/index.ts";
import { Answer } from "./answer.ts";
import type { RoundResult } from "./attempt.ts";
import { Attempts } from "./attempts.ts";
import { waitBeforeEnd } from "./before-end.ts";
import { InvalidCall } from "./invalid-call.ts";
import { Settle } from "./settle/index.ts";
import type { Ending, NextRound, TurnEnd, TurnPlan, TurnSeams } from "./turn-plan.ts";

/** In characters. The end of a larger answer, which may repeat all of it, is written in a turn of the event loop of its own. */
const largeAnswer = 1024 * 1024;

/** Runs one turn. Every failure becomes an ending; the promise rejects only if the listener's `turnFinished` throws. */
export function runTurn(plan: TurnPlan, reply: ReplyStream): Promise<Ending> {
  return new Driver(plan, reply).run();
}

/**
 * Owns everything between the rounds of a turn: it starts rounds, waits for what must be stored, and ends the turn. `Attempts`
 * retries a round and tries other candidates.
 */
class Driver {
  readonly #plan: TurnPlan;
  readonly #answer: Answer;
  /** Cancelled with the plan's cancellation, or when the turn's time is up. */
  readonly #cancellation = new Cancellation();
  readonly #attempts: Attempts;

  constructor(plan: TurnPlan, reply: ReplyStream) {
    this.#plan = plan;
    const { createEncoder, turn, sink, ids, idForm, clock, holding } = plan;
    const isRead = plan.seams !== undefined;
    const streams = turn.stream;
    this.#answer = new Answer({ createEncoder, streams, sink, reply, ids, idForm, clock, isRead, holding });
    this.#attempts = new Attempts(plan, this.#answer, this.#cancellation);
  }

  async run(): Promise<Ending> {
    const { keepAlive, total, cancellation } = this.#plan;
    const onCancel = () => {
      if (cancellation.reason) this.#cancellation.cancel(cancellation.reason);
    };
    onCancel();
    cancellation.onCancel(onCancel);
    const limit = setTimeout(() => this.#cancellation.cancel(this.#overdue()), total);
    const ticks = this.#answer.streams ? setInterval(() => this.#keepAlive(), keepAlive) : undefined;
    try {
      await this.#end(await this.#playRounds());
    } catch (thrown) {
      this.#answer.end({ type: "turn.failed", error: toTurnError(thrown) });
    } finally {
      clearTimeout(limit);
      clearInterval(ticks);
      cancellation.offCancel(onCancel);
    }
    return this.#conclude();
  }

  #keepAlive(): void {
    try {
      this.#answer.keepAlive();
    } catch (thrown) {
      this.#cancellation.cancel(toTurnError(thrown));
    }
  }

  /** Runs rounds until a round fails or no further round is wanted. */
  async #playRounds(): Promise<TurnEnding> {
    const ask: { history: Item[]; choice?: ToolChoice | undefined } = { history: [] };
    let { candidates } = this.#plan;
    try {
      this.#plan.listener.turnStarted?.(this.#plan.turn);
      for (;;) {
        this.#answer.beginRound();
        const result = await this.#attempts.play(candidates, ask);
        const { ending } = result;
        if (ending.type === "round.failed") return { type: "turn.failed", error: ending.error };
        const { reason, endTurn } = ending;
        const next = reason === "stop" ? await this.#nextRound(result) : undefined;
        if (!next) return { type: "turn.finished", reason, endTurn };
        ask.history = ask.history.concat(result.items, this.#addOutputs(next));
        ask.choice = next.choice;
        // A candidate that failed in an earlier round is not tried again.
        const { candidate } = this.#attempts;
        candidates = candidates.slice(candidate ? candidates.indexOf(candidate) : 0);
      }
    } catch (thrown) {
      return { type: "turn.failed", error: toTurnError(thrown) };
    }
  }

  /** Adds the outputs of a round's calls to the answer. A failure of a later round rolls back neither this nor the round. */
  #addOutputs({ outputs }: NextRound): Item[] {
    this.#plan.listener.roundCommitted?.();
    this.#answer.beginRound();
    for (const output of outputs) this.#answer.receive(output);
    this.#answer.finishRound();
    this.#answer.flush();
    const { transcript, roundStart } = this.#answer;
    return transcript.items.slice(roundStart);
  }

  async #nextRound(result: RoundResult): Promise<NextRound | undefined> {
    const { seams } = this.#plan;
    if (!seams?.nextRound) return undefined;
    // The client gets the text of this round before the tools run.
    this.#answer.flush();
    this.#plan.work?.begin();
    const next = await this.#cancellation.race(seams.nextRound(result, this.#cancellation));
    if (next) await this.#waitForMemory();
    return next;
  }

  /** The next round's request reads what this round has stored. A memory that is slow or fails does not stop the turn. */
  async #waitForMemory(): Promise<void> {
    const writes = this.#attempts.pendingWrites;
    if (writes.length === 0) return;
    await this.#cancellation.race(waitBeforeEnd(writes)).catch((error: unknown) => {
      if (error instanceof TurnError) throw error;
    });
  }

  /** The one place where a turn ends. */
  async #end(ending: TurnEnding): Promise<void> {
    this.#plan.work?.begin();
    const said = ending.type === "turn.failed" && this.#say(ending.error);
    const { usage } = this.#answer;
    const final: TurnEnding = said ? { type: "turn.finished", reason: "stop", usage } : { ...ending, usage };
    this.#answer.name(final);
    const refused = await this.#waitBeforeEnd(final);
    if (this.#answer.characters > largeAnswer) {
      this.#answer.flush();
      await giveLoopBack();
    }
    const last = refused ?? final;
    this.#plan.work?.begin();
    const isInStream = last.type === "turn.failed" && this.#plan.isToldInStream?.(last.error);
    this.#answer.end(last, isInStream);
    this.#plan.work?.end();
  }

  /** With `strict_failure: message`, adds the failure to the answer as assistant text. Returns whether it could. */
  #say(error: TurnError): boolean {
    if (!(error instanceof InvalidCall) || this.#attempts.candidate?.strictFailure !== "message") return false;
    const { ids, listener } = this.#plan;
    try {
      if (!this.#answer.closeItem()) return false;
      const settle = new Settle({ ids, listener, checks: new ArgumentChecks([]) }, (event) =>
        this.#answer.receive(event),
      );
      settle.push({ type: "message.started" });
      settle.push({ type: "text.delta", text: error.message });
      settle.finish({ type: "round.finished", reason: "stop" });
    } catch {
      return false;
    }
    return true;
  }

  /**
   * Waits until everything that a later request needs is stored. Keep-alives continue. Returns the failure that replaces the
   * ending, if any.
   */
  async #waitBeforeEnd(ending: TurnEnding): Promise<TurnFailed | undefined> {
    const { seams, listener } = this.#plan;
    const work = this.#attempts.pendingWrites;
    if (seams?.beforeEnd) {
      const { id, transcript: answer } = this.#answer;
      work.push(startBeforeEnd(seams, { ending, answer, id, describe: () => this.#answer.describe(ending) }));
    }
    if (work.length === 0) return undefined;
    this.#answer.flush();
    try {
      await waitBeforeEnd(work, seams?.beforeEndLimit);
    } catch (thrown) {
      if (thrown instanceof TurnError) return { type: "turn.failed", error: thrown };
      listener.beforeEndFailed?.(thrown);
    }
    return undefined;
  }

  /** A client that reads slowly slows down its backend. In that case the client caused the timeout. */
  #overdue(): TurnError {
    const { total, candidates } = this.#plan;
    const backend = (this.#attempts.candidate ?? candidates[0])?.backend.name ?? "";
    return this.#answer.waited > total / 2 ? tooSlow(total) : tooLong(backend, total);
  }

  #conclude(): Ending {
    const { receivedAt, listener, clock } = this.#plan;
    const { ending: last, usage, firstContentAt, endedAt, isOpened, body } = this.#answer;
    const now = clock.now();
    const ending: Ending = {
      status: statusOf(last),
      error: last?.type === "turn.failed" ? last.error : undefined,
      usage,
      firstContentMs: firstContentAt === undefined ? null : firstContentAt - receivedAt,
      overheadMs: (this.#attempts.askedAt ?? now) - receivedAt + (now - endedAt),
      totalMs: now - receivedAt,
      opened: isOpened,
      body,
    };
    listener.turnFinished?.(ending);
    return ending;
  }
}

/** Being `async`, turns a synchronous exception of the seam into a rejection. */
async function startBeforeEnd(seams: TurnSeams, end: TurnEnd): Promise<void> {
  await seams.beforeEnd?.(end);
}

function statusOf(ending: TurnEnding | undefined): TurnSummary["status"] {
  if (ending?.type === "turn.finished") return ending.reason === "stop" ? "completed" : "incomplete";
  return ending?.error.code === "client_closed" ? "cancelled" : "failed";
}

function tooSlow(milliseconds: number): TurnError {
  return new TurnError(
    "request_timeout",
    `The client had not taken the answer after ${milliseconds / 1000} seconds, most of which it let the backend wait.`,
  );
}

function tooLong(backend: string, milliseconds: number): TurnError {
  return new TurnError(
    "upstream_timeout",
    `The backend "${backend}" was not done after ${milliseconds / 1000} seconds.`,
  );
}
