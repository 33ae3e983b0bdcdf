import type { Decision, FailedAttempt, Policy } from "./policy.ts";

/** A provider has few forms of a request; one that wants another each time wants none. */
const mostRewrites = 4;

/** Sends the request in another form, where the backend has learnt from the refusal which form its provider wants. */
export class Rewrite implements Policy {
  #left = mostRewrites;

  decide({ error, wasAsked, isCancelled }: FailedAttempt): Decision | undefined {
    if (!error.otherwise || !wasAsked || isCancelled || this.#left-- <= 0) return undefined;
    return { next: { action: "rewrite" } };
  }
}
