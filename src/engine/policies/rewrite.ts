import { wantsRewrite } from "../../turn/index.ts";
import type { Decision, FailedAttempt, Policy } from "./policy.ts";

/** A provider has few forms of a request. One that asks for another form each time accepts none. */
const mostRewrites = 4;

/** Sends the request in another form, if the backend has learnt from the refusal which form its provider wants. */
export class Rewrite implements Policy {
  #left = mostRewrites;

  decide({ error, wasAsked, isCancelled }: FailedAttempt): Decision | undefined {
    if (!wantsRewrite(error) || !wasAsked || isCancelled || this.#left-- <= 0) return undefined;
    return { next: { action: "rewrite" } };
  }
}
