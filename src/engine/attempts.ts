import { ArgumentChecks, promptSteps } from "../tools/index.ts";
import {
  type Backend,
  type Cancellation,
  type Item,
  paced,
  type Turn,
  type TurnError,
  toTurnError,
} from "../turn/index.ts";
import type { Answer } from "./answer.ts";
import { Attempt, type RoundResult } from "./attempt.ts";
import { type Ask, type Candidate, mayWorkElsewhere } from "./candidate.ts";
import { dropReasoning } from "./drop-reasoning.ts";
import { InvalidCall } from "./invalid-call.ts";
import { BlameCorrection, DropReasoning, decide, type Policy, Reask, Retry, Rewrite } from "./policies/index.ts";
import { stagesOf } from "./stages/index.ts";
import { RememberedCalls } from "./stages/remember.ts";
import type { TurnPlan } from "./turn-plan.ts";

/** Plays the rounds of a turn one at a time: makes attempts, retries them, and falls back to other candidates. */
export class Attempts {
  readonly #plan: TurnPlan;
  readonly #answer: Answer;
  /** The turn's cancellation. */
  readonly #cancellation: Cancellation;
  #asked: Turn | undefined;
  /** What later requests may need to know about the calls in this turn. */
  #remembered = nothingRemembered;
  /** The candidate that was tried last. */
  candidate: Candidate | undefined;
  /** When the first backend was asked. */
  askedAt: number | undefined;

  constructor(plan: TurnPlan, answer: Answer, cancellation: Cancellation) {
    this.#plan = plan;
    this.#answer = answer;
    this.#cancellation = cancellation;
  }

  /** Writes to the memory that are not finished yet. */
  get pendingWrites(): Promise<void>[] {
    const writes: Promise<void>[] = [];
    for (const { pending } of this.#remembered) if (pending) writes.push(pending);
    return writes;
  }

  /** Tries the candidates in order. If all of them fail, the client gets the error of the first: that is the model it asked for. */
  async play(candidates: readonly Candidate[], ask: Ask): Promise<RoundResult> {
    const { listener } = this.#plan;
    let first: RoundResult | undefined;
    let last: RoundResult | undefined;
    for (const candidate of candidates) {
      if (this.candidate && last?.ending.type === "round.failed") {
        const next = { action: "fallback", backend: candidate.backend.name } as const;
        listener.attemptFailed?.(this.candidate.backend.name, last.ending.error, next);
      }
      this.candidate = candidate;
      const tried = await this.#tryCandidate(candidate, ask);
      last = tried instanceof Attempt ? await tried.result : nothingSent(tried);
      if (last.ending.type === "round.finished") return last;
      if (tried instanceof Attempt) candidate.breaker.failed(last.ending.error);
      first ??= last;
      if (this.#answer.isCommitted || this.#cancellation.reason || !mayWorkElsewhere(last.ending.error)) break;
    }
    if (!first || last?.ending.type !== "round.failed") throw new Error("a turn needs a candidate");
    const { error } = last.ending;
    listener.attemptFailed?.(this.candidate?.backend.name ?? "", error, { action: "end" });
    const isLast = this.#answer.isCommitted || this.#cancellation.reason || error instanceof InvalidCall;
    return isLast ? last : first;
  }

  /** The breaker counts one result however many attempts the candidate needs, and one failure if the answer breaks off. */
  async #tryCandidate(candidate: Candidate, ask: Ask): Promise<Attempt | TurnError> {
    let attempt: Attempt | undefined;
    try {
      await candidate.breaker.watch(async () => {
        attempt = await this.#firstAccepted(candidate, ask);
      });
    } catch (thrown) {
      return toTurnError(thrown);
    }
    if (!attempt) throw new Error("a breaker let a request through and did not make it");
    return attempt;
  }

  /** Makes attempts until one is accepted. Nothing of a failed attempt was sent, so the policies may allow another. */
  async #firstAccepted(candidate: Candidate, { history, choice }: Ask): Promise<Attempt> {
    const { listener } = this.#plan;
    const policies = this.#policiesFor(candidate);
    let corrections: readonly Item[] = [];
    for (;;) {
      this.#answer.rollBack();
      const ask = { history: corrections.length > 0 ? [...history, ...corrections] : history, choice };
      const attempt = await this.#attempt(candidate, ask).catch(toTurnError);
      const error = attempt instanceof Attempt ? await attempt.accepted.then(() => undefined, toTurnError) : attempt;
      if (error === undefined && attempt instanceof Attempt) return attempt;
      if (error === undefined) throw new Error("a backend was neither asked nor refused");
      const output =
        attempt instanceof Attempt ? { said: attempt.said, thought: attempt.thought } : { said: "", thought: "" };
      const isCancelled = this.#cancellation.reason !== undefined;
      const decision = await decide(policies, { error, wasAsked: attempt instanceof Attempt, isCancelled, ...output });
      if ("fail" in decision) throw decision.fail;
      listener.attemptFailed?.(candidate.backend.name, error, decision.next);
      corrections = corrections.concat(decision.corrections ?? []);
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

  async #attempt(candidate: Candidate, ask: Ask): Promise<Attempt> {
    const { ids, listener, continuity, clock, seams, holding, work } = this.#plan;
    const { backend } = candidate;
    const ready = backend.lifecycle?.prepare?.(this.#cancellation);
    if (ready) await ready;
    work?.begin();
    const made = candidate.request(ask);
    const request = made instanceof Promise ? await this.#cancellation.race(made) : made;
    const { turn, prompted } = request;
    const checks = new ArgumentChecks(turn.tools);
    const asked = prompted ? await paced(promptSteps(turn)) : turn;
    this.askedAt ??= clock.now();
    listener.attemptStarted?.(backend.name);
    this.#asked = asked;
    // A prompted backend gets its history as text: it needs no ids or reasoning back.
    const remembered = prompted ? undefined : new RememberedCalls(continuity, backend, turn, this.#plan.turn.input);
    if (remembered) this.#remembered = this.#remembered.concat(remembered);
    const attempt = new Attempt({
      candidate,
      turn: asked,
      stages: stagesOf(request, candidate, checks, listener),
      calls: { ids, checks, listener, ownerOf: seams?.ownerOf?.bind(seams), dropsCutCalls: !turn.stream },
      answer: this.#answer,
      cancellation: this.#cancellation,
      holding,
      onEvent: remembered && ((event) => remembered.hear(event)),
      endsAtCalls: !prompted && backend.capabilities.endsAtCalls === true,
      onCommit: () => listener.roundCommitted?.(),
      work,
    });
    work?.end();
    return attempt;
  }
}

const nothingRemembered: readonly RememberedCalls[] = [];

function nothingSent(error: TurnError): RoundResult {
  return { ending: { type: "round.failed", error }, items: [], calls: [], usage: undefined, isSent: false };
}
