import type { Item, NextStep, TurnError } from "../../turn/index.ts";

/** An attempt of which nothing was sent. */
export interface FailedAttempt {
  error: TurnError;
  /** Whether the backend was asked at all; otherwise it could not be. */
  wasAsked: boolean;
  /** The client has left, or the turn's time is over. */
  isCancelled: boolean;
  /** What the model has said and thought, as far as anybody wants to quote it. */
  said: string;
  thought: string;
}

export type Decision =
  /** Another attempt at the same backend. */
  | { next: NextStep & { action: "retry" | "rewrite" | "reask" }; corrections?: readonly Item[] }
  /** This is what the candidate has failed with. */
  | { fail: TurnError };

/** One reason to make another attempt, or not to. It remembers what it has decided, so that nothing goes on for ever. */
export interface Policy {
  /** Nothing where it has no say in the matter. */
  decide(attempt: FailedAttempt): Decision | undefined | Promise<Decision | undefined>;
}

/** What is done about a failed attempt: what the first policy says that has a say. */
export async function decide(policies: readonly Policy[], attempt: FailedAttempt): Promise<Decision> {
  for (const policy of policies) {
    const decision = await policy.decide(attempt);
    if (decision) return decision;
  }
  return { fail: attempt.error };
}
