import type { TurnError } from "../../turn/index.ts";
import type { Decision, FailedAttempt, Policy } from "./policy.ts";

/** Sends the request once more without the reasoning that the provider cannot decrypt. */
export class DropReasoning implements Policy {
  readonly #drop: (error: TurnError) => boolean | Promise<boolean>;
  #hasDropped = false;

  /** `drop` excludes the reasoning from later requests, and resolves to whether there was any to exclude. */
  constructor(drop: (error: TurnError) => boolean | Promise<boolean>) {
    this.#drop = drop;
  }

  async decide({ error, wasAsked, isCancelled }: FailedAttempt): Promise<Decision | undefined> {
    if (this.#hasDropped || !wasAsked || isCancelled || !(await this.#drop(error))) return undefined;
    this.#hasDropped = true;
    return { next: { action: "rewrite" } };
  }
}
