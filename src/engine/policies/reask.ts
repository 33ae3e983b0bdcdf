import type { TurnError } from "../../turn/index.ts";
import { InvalidCall } from "../invalid-call.ts";
import type { Decision, FailedAttempt, Policy } from "./policy.ts";

/** Tells the model what was wrong with its call, and lets it try again. */
export class Reask implements Policy {
  readonly #quotesThoughts: boolean;
  #left: number;
  /** The last call that was wrong. */
  #invalid: InvalidCall | undefined;

  /** `quotesThoughts`: the provider would miss what the model thought before its call. */
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

  /** What the model did wrong, where it was told so. */
  get corrected(): TurnError | undefined {
    return this.#invalid;
  }
}

/** Whose fault it is when a correction is not taken: a provider that refuses it, or has no time left for it, is not to blame. */
export class BlameCorrection implements Policy {
  readonly #reask: Reask;
  readonly #isOverdue: (error: TurnError) => boolean;

  /** `isOverdue` tells whether the error says that the turn's time is over. */
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
