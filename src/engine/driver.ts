import { ArgumentChecks, promptTurn } from "../tools/index.ts";
import {
  type Backend,
  Cancellation,
  type Item,
  type ReplyStream,
  type ToolChoice,
  type Turn,
  type TurnEnding,
  TurnError,
  type TurnFailed,
  type TurnSummary,
  toTurnError,
} from "../turn/index.ts";
import { Answer } from "./answer.ts";
import { waitBeforeEnd } from "./before-end.ts";
import { type Ask, type Candidate, mayWorkElsewhere } from "./candidate.ts";
import { dropReasoning } from "./drop-reasoning.ts";
import { InvalidCall } from "./invalid-call.ts";
import { BlameCorrection, DropReasoning, decide, type Policy, Reask, Retry, Rewrite } from "./policies/index.ts";
import { Round, type RoundResult } from "./round.ts";
import { Settle } from "./settle/index.ts";
import { stagesOf } from "./stages/index.ts";
import { RememberedCalls } from "./stages/remember.ts";
import type { Transcript } from "./transcript.ts";
import type { Ending, NextRound, TurnPlan, TurnSeams } from "./turn-plan.ts";

/** Runs one turn. Never rejects: every failure becomes an ending. */
export function runTurn(plan: TurnPlan, reply: ReplyStream): Promise<Ending> {
  return new Driver(plan, reply).run();
}

/**
 * Owns everything between the rounds of a turn: it starts rounds, retries them, falls back to other candidates, starts the next
 * round, waits for what must be stored, and ends the turn.
 */
class Driver {
  readonly #plan: TurnPlan;
  readonly #answer: Answer;
  /** Cancelled with the plan's cancellation, or when the turn's time is up. */
  readonly #cancellation = new Cancellation();
  #askedAt: number | undefined;
  /** The candidate that was tried last, and the turn as it was sent to it. */
  #candidate: Candidate | undefined;
  #asked: Turn | undefined;
  /** What later requests may need to know about the calls in this turn. */
  #remembered = nothingRemembered;

  constructor(plan: TurnPlan, reply: ReplyStream) {
    this.#plan = plan;
    const { createEncoder, turn, sink, ids, idForm, clock } = plan;
    const isRead = plan.seams !== undefined;
    this.#answer = new Answer({ createEncoder, streams: turn.stream, sink, reply, ids, idForm, clock, isRead });
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
        const result = await this.#playRound(candidates, ask);
        const { ending } = result;
        if (ending.type === "round.failed") return { type: "turn.failed", error: ending.error };
        const { reason, endTurn } = ending;
        const next = reason === "stop" ? await this.#nextRound(result) : undefined;
        if (!next) return { type: "turn.finished", reason, endTurn };
        ask.history.push(...result.items, ...this.#addBetween(next));
        ask.choice = next.choice;
        // A candidate that failed in an earlier round is not tried again.
        candidates = candidates.slice(this.#candidate ? candidates.indexOf(this.#candidate) : 0);
      }
    } catch (thrown) {
      return { type: "turn.failed", error: toTurnError(thrown) };
    }
  }

  /** Adds what happened after a round to the answer. A failure of a later round rolls back neither this nor the round. */
  #addBetween({ events }: NextRound): Item[] {
    this.#plan.listener.roundCommitted?.();
    this.#answer.beginRound();
    for (const event of events) this.#answer.receive(event);
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
    const next = await this.#cancellation.race(seams.nextRound(result, this.#cancellation));
    if (next) await this.#waitForMemory();
    return next;
  }

  /** The next round's request reads what this round has stored. A memory that is slow or fails does not stop the turn. */
  async #waitForMemory(): Promise<void> {
    const writes = this.#pendingWrites();
    if (writes.length === 0) return;
    await this.#cancellation.race(waitBeforeEnd(writes)).catch((error: unknown) => {
      if (error instanceof TurnError) throw error;
    });
  }

  #pendingWrites(): Promise<void>[] {
    const writes: Promise<void>[] = [];
    for (const { pending } of this.#remembered) if (pending) writes.push(pending);
    return writes;
  }

  /** Tries the candidates in order. If all of them fail, the client gets the error of the first: that is the model it asked for. */
  async #playRound(candidates: readonly Candidate[], ask: Ask): Promise<RoundResult> {
    const { listener } = this.#plan;
    let first: RoundResult | undefined;
    let last: RoundResult | undefined;
    for (const candidate of candidates) {
      if (this.#candidate && last?.ending.type === "round.failed") {
        const next = { action: "fallback", backend: candidate.backend.name } as const;
        listener.attemptFailed?.(this.#candidate.backend.name, last.ending.error, next);
      }
      this.#candidate = candidate;
      const begun = await this.#tryCandidate(candidate, ask);
      last = begun instanceof Round ? await begun.result : nothingSent(begun);
      if (last.ending.type === "round.finished") return last;
      if (begun instanceof Round) candidate.breaker.failed(last.ending.error);
      first ??= last;
      if (this.#answer.isCommitted || this.#cancellation.reason || !mayWorkElsewhere(last.ending.error)) break;
    }
    if (!first || last?.ending.type !== "round.failed") throw new Error("a turn needs a candidate");
    const { error } = last.ending;
    listener.attemptFailed?.(this.#candidate?.backend.name ?? "", error, { action: "end" });
    const isLast = this.#answer.isCommitted || this.#cancellation.reason || error instanceof InvalidCall;
    return isLast ? last : first;
  }

  /** The breaker counts one result however many attempts the candidate needs, and one failure if the answer breaks off. */
  async #tryCandidate(candidate: Candidate, ask: Ask): Promise<Round | TurnError> {
    let round: Round | undefined;
    try {
      await candidate.breaker.watch(async () => {
        round = await this.#begin(candidate, ask);
      });
    } catch (thrown) {
      return toTurnError(thrown);
    }
    if (!round) throw new Error("a breaker let a request through and did not make it");
    return round;
  }

  /** Makes attempts until a round has begun. Nothing of a failed attempt was sent, so the policies may allow another. */
  async #begin(candidate: Candidate, { history, choice }: Ask): Promise<Round> {
    const { listener } = this.#plan;
    const policies = this.#policiesFor(candidate);
    const corrections: Item[] = [];
    for (;;) {
      this.#answer.rollBack();
      const ask = { history: corrections.length > 0 ? [...history, ...corrections] : history, choice };
      const round = await this.#attempt(candidate, ask).catch(toTurnError);
      const error = round instanceof Round ? await round.begun.then(() => undefined, toTurnError) : round;
      if (error === undefined && round instanceof Round) return round;
      if (error === undefined) throw new Error("a backend was neither asked nor refused");
      const output = round instanceof Round ? { said: round.said, thought: round.thought } : { said: "", thought: "" };
      const isCancelled = this.#cancellation.reason !== undefined;
      const decision = await decide(policies, { error, wasAsked: round instanceof Round, isCancelled, ...output });
      if ("fail" in decision) throw decision.fail;
      listener.attemptFailed?.(candidate.backend.name, error, decision.next);
      corrections.push(...(decision.corrections ?? []));
      if (decision.next.action === "retry") await this.#cancellation.pause(decision.next.waitMs);
      if (this.#cancellation.reason) throw this.#cancellation.reason;
    }
  }

  /** The first policy with a decision wins. */
  #policiesFor({ backend, retries, reask }: Candidate): Policy[] {
    const { cancellation } = this.#plan;
    const reasks = new Reask(reask, backend.capabilities.quirks.wantsReasoning);
    const isOverdue = (error: TurnError) => error === this.#cancellation.reason && error !== cancellation.reason;
    return [
      reasks,
      new Rewrite(),
      new DropReasoning((error) => this.#dropsReasoning(backend, error)),
      new BlameCorrection(reasks, isOverdue),
      new Retry(retries),
    ];
  }

  async #dropsReasoning({ capabilities }: Backend, error: TurnError): Promise<boolean> {
    if (!this.#asked) return false;
    const dropped = dropReasoning(error, this.#asked, capabilities.quirks, this.#plan.continuity);
    return this.#cancellation.race(dropped);
  }

  async #attempt(candidate: Candidate, ask: Ask): Promise<Round> {
    const { ids, listener, continuity, clock, seams } = this.#plan;
    const { backend } = candidate;
    const ready = backend.lifecycle?.prepare?.(this.#cancellation);
    if (ready) await ready;
    const made = candidate.request(ask);
    const request = made instanceof Promise ? await this.#cancellation.race(made) : made;
    const { turn, prompted } = request;
    const checks = new ArgumentChecks(turn.tools);
    const asked = prompted ? promptTurn(turn) : turn;
    this.#askedAt ??= clock.now();
    listener.attemptStarted?.(backend.name);
    this.#asked = asked;
    // A prompted backend gets its history as text: it needs no ids or reasoning back.
    const remembered = prompted ? undefined : new RememberedCalls(continuity, backend, turn, this.#plan.turn.input);
    if (remembered) this.#remembered = this.#remembered.concat(remembered);
    return new Round({
      candidate,
      turn: asked,
      stages: stagesOf(request, candidate, checks, listener),
      calls: { ids, checks, listener, ownerOf: seams?.ownerOf?.bind(seams) },
      answer: this.#answer,
      cancellation: this.#cancellation,
      onEvent: remembered && ((event) => remembered.hear(event)),
      endsAtCalls: !prompted && backend.capabilities.endsAtCalls === true,
      onCommit: () => listener.roundCommitted?.(),
    });
  }

  /** The one place where a turn ends. */
  async #end(ending: TurnEnding): Promise<void> {
    const said = ending.type === "turn.failed" && this.#say(ending.error);
    const { usage } = this.#answer;
    const final: TurnEnding = said ? { type: "turn.finished", reason: "stop", usage } : { ...ending, usage };
    this.#answer.name(final);
    const refused = await this.#waitBeforeEnd(final);
    const last = refused ?? final;
    const isInStream = last.type === "turn.failed" && this.#plan.isToldInStream?.(last.error);
    this.#answer.end(last, isInStream);
  }

  /** With `strict_failure: message`, adds the failure to the answer as assistant text. Returns whether it could. */
  #say(error: TurnError): boolean {
    if (!(error instanceof InvalidCall) || this.#candidate?.strictFailure !== "message") return false;
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
    const work = this.#pendingWrites();
    const response = this.#rememberResponse();
    if (response) work.push(response);
    if (seams?.beforeEnd) work.push(startBeforeEnd(seams, ending, this.#answer.transcript));
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

  /** Stores what a later request needs if it refers to this response by its id. */
  #rememberResponse(): Promise<void> | undefined {
    const { continuity, ids } = this.#plan;
    const { uncarriedId: upstreamId, keptId } = this.#answer;
    const { upstreamIds: callIds, lastNumber } = ids;
    if (keptId === undefined) return undefined;
    if (upstreamId === undefined && callIds.size + lastNumber === 0) return undefined;
    return continuity.keepResponse(keptId, { upstreamId, callIds, lastNumber });
  }

  /** A client that reads slowly slows down its backend. In that case the client caused the timeout. */
  #overdue(): TurnError {
    const { total, candidates } = this.#plan;
    const backend = (this.#candidate ?? candidates[0])?.backend.name ?? "";
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
      overheadMs: (this.#askedAt ?? now) - receivedAt + (now - endedAt),
      totalMs: now - receivedAt,
      opened: isOpened,
      body,
    };
    listener.turnFinished?.(ending);
    return ending;
  }
}

const nothingRemembered: readonly RememberedCalls[] = [];

/** Being `async`, turns a synchronous exception of the seam into a rejection. */
async function startBeforeEnd(seams: TurnSeams, ending: TurnEnding, answer: Transcript): Promise<void> {
  await seams.beforeEnd?.(ending, answer);
}

function nothingSent(error: TurnError): RoundResult {
  return { ending: { type: "round.failed", error }, items: [], calls: [], usage: undefined, isSent: false };
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
