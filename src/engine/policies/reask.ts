import type { TurnError } from "../../turn/index.ts";
import { InvalidCall } from "../invalid-call.ts";
import type { Decision, FailedAttempt, Policy } from "./policy.ts";

/** Tells the model what was wrong with its call, and lets it try again. */
export class Reask implements Policy {
  readonly #quotesThoughts: boolean;
  #left: number;
  /** The last invalid call. */
  #invalid: InvalidCall | undefined;

  /** `quotesThoughts`: the provider requires the model's reasoning before its call. */
  constructor(reasks: number, quotesThoughts: boolean) {
    this.#left = reasks;
    this.#quotesThoughts = quotesThoughts;
  }

  decide({ error, wasAsked, isCancelled, said, thought }: FailedAttempt): Decision | undefined {
    if (!(error instanceof InvalidCall) || !wasAsked || isCancelled || this.#left <= 0) return undefined;
    this.#left--;
    this.#invalid = error;
    return { next: { action: "reask" }, corrections: error.correction(said, this.#quotesThoughts ? thought : "") };
  }

  /** The invalid call that the model was asked to correct, if there was one. */
  get corrected(): TurnError | undefined {
    return this.#invalid;
  }
}

/**
 * If the provider rejects a correction or the time runs out, the provider is not to blame: the candidate fails with the model's
 * invalid call.
 */
export class BlameCorrection implements Policy {
  readonly #reask: Reask;
  readonly #isOverdue: (error: TurnError) => boolean;

  /** `isOverdue`: whether the error means that the turn's time is up. */
  constructor(reask: Reask, isOverdue: (error: TurnError) => boolean) {
    this.#reask = reask;
    this.#isOverdue = isOverdue;
  }

  decide({ error }: FailedAttempt): Decision | undefined {
    const { corrected } = this.#reask;
    if (!corrected || (error.code !== "upstream_rejected" && !this.#isOverdue(error))) return undefined;
    return { fail: corrected };
  }
}
