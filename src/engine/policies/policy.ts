import type { Item, NextStep, TurnError } from "../../turn/index.ts";

/** An attempt that failed before anything of it was sent to the client. */
export interface FailedAttempt {
  error: TurnError;
  /** Whether the request was sent to the backend. If not, the attempt failed before that. */
  wasAsked: boolean;
  /** The client disconnected, or the turn's time is up. */
  isCancelled: boolean;
  /** The model's text and reasoning, as far as a correction may quote them. */
  said: string;
  thought: string;
}

export type Decision =
  /** Make another attempt at the same backend. */
  | { next: NextStep & { action: "retry" | "rewrite" | "reask" }; corrections?: readonly Item[] }
  /** The candidate fails with this error. */
  | { fail: TurnError };

/** One reason to make another attempt, or not to. A policy remembers its decisions, so that attempts are bounded. */
export interface Policy {
  /** `undefined` if the policy does not apply. */
  decide(attempt: FailedAttempt): Decision | undefined | Promise<Decision | undefined>;
}

/** The decision of the first policy that applies. If none applies, the candidate fails with the attempt's error. */
export async function decide(policies: readonly Policy[], attempt: FailedAttempt): Promise<Decision> {
  for (const policy of policies) {
    const decision = await policy.decide(attempt);
    if (decision) return decision;
  }
  return { fail: attempt.error };
}
