export { Continuity, type Memory } from "./continuity.ts";
export { type Ending, runTurn, type TurnPlan } from "./driver.ts";
export { Observer } from "./observer.ts";
export { restoreTurn } from "./restore.ts";
export type { Way } from "./way.ts";
