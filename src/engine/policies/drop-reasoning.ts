import type { TurnError } from "../../turn/index.ts";
import type { Decision, FailedAttempt, Policy } from "./policy.ts";

/** Sends the request once more without the reasoning that the provider cannot decrypt. */
export class DropReasoning implements Policy {
  readonly #drop: (error: TurnError) => boolean | Promise<boolean>;
  #hasDropped = false;

  /** `drop` resolves to whether there was any that could be left out, and is from now on. */
  constructor(drop: (error: TurnError) => boolean | Promise<boolean>) {
    this.#drop = drop;
  }

  async decide({ error, wasAsked, isCancelled }: FailedAttempt): Promise<Decision | undefined> {
    if (this.#hasDropped || !wasAsked || isCancelled || !(await this.#drop(error))) return undefined;
    this.#hasDropped = true;
    return { next: { action: "rewrite" } };
  }
}
