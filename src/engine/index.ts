export { type Ending, runTurn, type TurnPlan } from "./driver.ts";
export { Observer } from "./observer.ts";
