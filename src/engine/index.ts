export type { Candidate, Recovery } from "./candidate.ts";
export { Continuity, type Memory } from "./continuity.ts";
export { type Ending, runTurn, type TurnPlan } from "./driver.ts";
export { GivenCalls, type GivenCallsOptions } from "./given-calls.ts";
export { OutstandingCalls } from "./outstanding.ts";
export { restoreTurn } from "./restore.ts";
