export type { RoundResult } from "./attempt.ts";
export type { BackendRequest, Candidate, Recovery } from "./candidate.ts";
export { Continuity, usualTimeToLive } from "./continuity.ts";
export { runTurn } from "./driver.ts";
export { GivenCalls, type GivenCallsOptions } from "./given-calls.ts";
export { OutstandingCalls } from "./outstanding.ts";
export { restoreTurn } from "./restore.ts";
export { Transcript } from "./transcript.ts";
export type { Ending, NextRound, TurnEnd, TurnPlan, TurnSeams } from "./turn-plan.ts";
