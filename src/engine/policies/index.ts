export { DropReasoning } from "./drop-reasoning.ts";
export { type Decision, decide, type FailedAttempt, type Policy } from "./policy.ts";
export { BlameCorrection, Reask } from "./reask.ts";
export { Retry } from "./retry.ts";
export { Rewrite } from "./rewrite.ts";
