export * from "./argument-checks.ts";
export * from "./strict-schemas.ts";
export type { Mismatch } from "./wording.ts";
