export type { Candidate, Recovery } from "./candidate.ts";
export { Continuity } from "./continuity.ts";
export { type Ending, runTurn, type TurnPlan } from "./driver.ts";
export { Observer } from "./observer.ts";
export { OutstandingCalls } from "./outstanding.ts";
export { restoreTurn } from "./restore.ts";
