export type { Candidate, Recovery } from "./candidate.ts";
export { Continuity } from "./continuity.ts";
export { type Ending, type NextRound, runTurn, type TurnPlan, type TurnSeams } from "./driver.ts";
export { GivenCalls, type GivenCallsOptions } from "./given-calls.ts";
export { OutstandingCalls } from "./outstanding.ts";
export { restoreTurn } from "./restore.ts";
export type { RoundResult } from "./round.ts";
export { Transcript } from "./transcript.ts";
