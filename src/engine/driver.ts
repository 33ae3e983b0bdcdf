import { ArgumentChecks, demandsCall, promptTurn } from "../tools/index.ts";
import {
  Cancellation,
  type Clock,
  type Encoder,
  type Ids,
  type Item,
  type ReplyStream,
  type Turn,
  TurnError,
  type TurnFailed,
  type TurnFinished,
  type TurnSummary,
  toTurnError,
} from "../turn/index.ts";
import { Answer } from "./answer.ts";
import { type Candidate, firstDelay, mayWorkElsewhere, retryDelay } from "./candidate.ts";
import type { Continuity } from "./continuity.ts";
import { dropReasoning } from "./drop-reasoning.ts";
import { InvalidCall } from "./invalid-call.ts";
import type { Observer } from "./observer.ts";
import { Round } from "./round.ts";
import { settleCalls } from "./stages/calls.ts";
import { keepChoice } from "./stages/choice.ts";
import { Cutoff, noteCutoff } from "./stages/cutoff.ts";
import { holdWords } from "./stages/hold.ts";
import { inOrder } from "./stages/in-order.ts";
import { mendArguments } from "./stages/mend.ts";
import { recoverCalls } from "./stages/recover.ts";
import { type RememberCalls, rememberCalls } from "./stages/remember.ts";
import { offeredNames, restoreTools } from "./stages/restore-tools.ts";
import { keepStrict } from "./stages/strict.ts";

export interface TurnPlan {
  /** The request as the client made it. */
  turn: Turn;
  /** In the order in which they are tried; the first is what was asked for. */
  candidates: readonly Candidate[];
  createEncoder: () => Encoder;
  ids: Ids;
  continuity: Continuity;
  observer: Observer;
  clock: Clock;
  /** When the request came in, by the same clock. */
  receivedAt: number;
  /** Milliseconds. */
  keepAlive: number;
  total: number;
  /** Over when the client leaves or the gateway stops. */
  cancellation: Cancellation;
  /** Whether the client understands a failure only in a stream, though nothing was sent yet. */
  isToldInStream?: ((error: TurnError) => boolean) | undefined;
}

/** How a turn ended. Unless the stream was opened, the caller still has everything to send: the body, or the error. */
export interface Ending extends TurnSummary {
  opened: boolean;
  body: string;
}

/** Runs one turn to its one end. Never rejects: whatever happens is an ending. */
export function runTurn(plan: TurnPlan, reply: ReplyStream): Promise<Ending> {
  return new Driver(plan, reply).run();
}

/** What takes time between rounds happens here: waiting, asking again, asking another. */
class Driver {
  readonly #plan: TurnPlan;
  readonly #answer: Answer;
  /** Over when the plan's is, or when time is up. */
  readonly #cancellation = new Cancellation();
  #askedAt: number | undefined;
  /** The one that was taken last, and what was asked there. */
  #candidate: Candidate | undefined;
  #asked: Turn | undefined;
  #remembering: RememberCalls | undefined;

  constructor(plan: TurnPlan, reply: ReplyStream) {
    this.#plan = plan;
    this.#answer = new Answer(plan.createEncoder, reply, plan.clock);
  }

  async run(): Promise<Ending> {
    const { observer, turn, keepAlive, total, cancellation } = this.#plan;
    observer.turnStarted(turn);
    const onCancel = () => {
      if (cancellation.reason) this.#cancellation.cancel(cancellation.reason);
    };
    onCancel();
    cancellation.onCancel(onCancel);
    const limit = setTimeout(() => this.#cancellation.cancel(this.#overdue()), total);
    const ticks = this.#answer.streams ? setInterval(() => this.#answer.keepAlive(), keepAlive) : undefined;
    const error = await this.#tryCandidates().catch(toTurnError);
    if (error) this.#fail(error);
    clearTimeout(limit);
    clearInterval(ticks);
    cancellation.offCancel(onCancel);
    await this.#remember();
    return this.#ending();
  }

  /** Until a candidate gives an answer. Where none does, what the first of them failed with: it is what the client asked for. */
  async #tryCandidates(): Promise<TurnError | undefined> {
    const { candidates, observer } = this.#plan;
    let first: TurnError | undefined;
    let last: TurnError | undefined;
    for (const candidate of candidates) {
      if (last) observer.attemptFailed(observer.backend, last, { action: "fallback", backend: candidate.backend.name });
      last = await this.#tryCandidate(candidate);
      if (last === undefined) return undefined;
      first ??= last;
      if (this.#answer.committed || this.#answer.ended || this.#cancellation.reason || !mayWorkElsewhere(last)) break;
    }
    if (last) observer.attemptFailed(observer.backend, last, { action: "end" });
    return this.#answer.committed || this.#cancellation.reason || last instanceof InvalidCall ? last : first;
  }

  /** The breaker sees whether the candidate leads to an answer, however many attempts that takes, and hears when it then breaks off. */
  async #tryCandidate(candidate: Candidate): Promise<TurnError | undefined> {
    let round: Round | undefined;
    try {
      await candidate.breaker.watch(async () => {
        round = await this.#begin(candidate);
      });
    } catch (thrown) {
      return toTurnError(thrown);
    }
    const error = await round?.ended;
    if (error) candidate.breaker.failed(error);
    return error;
  }

  /** A round that has begun well. Until then nothing was sent, so that a failure can be met with another question. */
  async #begin(candidate: Candidate): Promise<Round> {
    const { observer, ids, cancellation } = this.#plan;
    const corrections: Item[] = [];
    let invalid: InvalidCall | undefined;
    let hasDropped = false;
    let delay = firstDelay();
    for (let { retries, reask } = candidate; ; retries--) {
      this.#answer.startOver();
      ids.startOver();
      const unready = await candidate.backend.lifecycle
        ?.prepare?.(this.#cancellation)
        .then(() => undefined, toTurnError);
      const round = unready ? undefined : await this.#ask(candidate, corrections);
      const error = round ? await round.begun.then(() => undefined, toTurnError) : unready;
      if (round && error === undefined) return round;
      if (error === undefined) throw new Error("a backend was neither asked nor refused");
      if (round && error instanceof InvalidCall && reask > 0 && !this.#cancellation.reason) {
        reask--;
        retries++;
        invalid = error;
        corrections.push(
          ...error.correction(round.heard, candidate.backend.capabilities.quirks.wantsReasoning ? round.thought : ""),
        );
        observer.attemptFailed(candidate.backend.name, error, { action: "reask" });
        continue;
      }
      const drops: boolean = !error.otherwise && !hasDropped && (await this.#drops(candidate, error));
      if (round && !this.#cancellation.reason && (error.otherwise || drops)) {
        hasDropped ||= drops;
        retries++;
        observer.attemptFailed(candidate.backend.name, error, { action: "rewrite" });
        continue;
      }
      // A provider that does not take the correction, or has no time left for it, is not to blame.
      const isOfCorrection =
        error.code === "upstream_rejected" || (error === this.#cancellation.reason && error !== cancellation.reason);
      if (invalid && isOfCorrection) throw invalid;
      delay = delay.next(undefined);
      const wait = retries > 0 && !this.#cancellation.reason ? retryDelay(error, delay.duration) : undefined;
      if (wait === undefined) throw error;
      observer.attemptFailed(candidate.backend.name, error, { action: "retry", waitMs: wait });
      await this.#cancellation.pause(wait);
      if (this.#cancellation.reason) throw this.#cancellation.reason;
    }
  }

  async #drops({ backend }: Candidate, error: TurnError): Promise<boolean> {
    if (!this.#asked) return false;
    return dropReasoning(error, this.#asked, backend.capabilities.quirks, this.#plan.continuity);
  }

  async #ask(candidate: Candidate, corrections: readonly Item[]): Promise<Round> {
    const { ids, observer, continuity, clock } = this.#plan;
    const { turn, prompted, recovery, form } = await candidate.request(corrections);
    const isWhole = !turn.stream && !candidate.backend.capabilities.alwaysStreams;
    const cutoff = prompted ? new Cutoff(turn, observer, isWhole) : undefined;
    // What was said cannot be taken back when the call that must come does not.
    const holds = candidate.reask > 0 && demandsCall(turn.choice);
    const checks = new ArgumentChecks(turn.tools);
    // A backend that knows nothing of calls misses nothing of them.
    this.#remembering = prompted
      ? undefined
      : rememberCalls(continuity, candidate.backend, turn, this.#plan.turn.input);
    const stages = [
      cutoff?.ear,
      recoverCalls(turn, recovery, observer, turn.stream && !holds),
      cutoff?.stage,
      form ? offeredNames(form) : undefined,
      keepChoice(turn, observer),
      candidate.repair ? mendArguments(turn) : undefined,
      inOrder(observer),
      keepStrict(turn, checks, observer),
      form ? restoreTools(form) : undefined,
      settleCalls(ids, checks, observer),
      holds ? holdWords() : undefined,
      this.#remembering?.stage,
      !prompted && candidate.backend.capabilities.endsAtCalls ? noteCutoff(observer) : undefined,
    ].filter((stage) => stage !== undefined);
    this.#askedAt ??= clock.now();
    observer.attemptStarted(candidate.backend.name);
    const asked = prompted ? promptTurn(turn) : turn;
    this.#asked = asked;
    this.#candidate = candidate;
    return new Round(candidate, asked, stages, this.#answer, this.#cancellation, () => observer.roundCommitted());
  }

  /** Content that was sent is never taken back, so the failure is told behind it: as one, or as what the assistant says. */
  #fail(error: TurnError): void {
    const isSaid = error instanceof InvalidCall && this.#candidate?.strictFailure === "message";
    if (isSaid && this.#answer.say(error.message)) this.#answer.end({ type: "turn.finished", reason: "stop" });
    else this.#answer.end({ type: "turn.failed", error }, this.#plan.isToldInStream?.(error));
  }

  /** What a later request may need of the calls, and of a response that it names and does not repeat. */
  async #remember(): Promise<void> {
    const { continuity, ids } = this.#plan;
    const { uncarried, keptId } = this.#answer;
    const { upstreamIds: callIds, lastNumber } = ids;
    const isOfInterest = uncarried !== undefined || callIds.size + lastNumber > 0;
    const kept = { upstreamId: uncarried?.upstreamId, callIds, lastNumber };
    const response = keptId !== undefined && isOfInterest ? continuity.keepResponse(keptId, kept) : undefined;
    await Promise.all([this.#remembering?.pending(), response]);
  }

  /** Whose fault it is that the time is over: a client that reads slowly makes its backend slow. */
  #overdue(): TurnError {
    const { total, observer } = this.#plan;
    return this.#answer.waited > total / 2 ? tooSlow(total) : tooLong(observer.backend, total);
  }

  #ending(): Ending {
    const { receivedAt, observer, clock } = this.#plan;
    const { last, usage, firstContentAt, endedAt, opened, body } = this.#answer;
    const error = last?.type === "turn.failed" ? last.error : undefined;
    const now = clock.now();
    const ending: Ending = {
      status: statusOf(last),
      usage,
      firstContentMs: firstContentAt === undefined ? null : firstContentAt - receivedAt,
      overheadMs: (this.#askedAt ?? now) - receivedAt + (now - endedAt),
      totalMs: now - receivedAt,
      opened,
      body,
      error,
    };
    observer.turnFinished(ending);
    return ending;
  }
}

function statusOf(last: TurnFinished | TurnFailed | undefined): TurnSummary["status"] {
  if (last?.type === "turn.finished") return last.reason === "stop" ? "completed" : "incomplete";
  return last?.error.code === "client_closed" ? "cancelled" : "failed";
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
