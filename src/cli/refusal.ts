/** Ends a command with exit code 1 and one sentence on standard error. */
export class Refusal extends Error {}
