export * from "./admission.ts";
export * from "./breaker.ts";
export * from "./hosts.ts";
export { type Key, type KeyEntry, knownKey, type StoredKeyEntry } from "./key-entry.ts";
export * from "./keys.ts";
export * from "./memory-budget.ts";
export * from "./origins.ts";
export * from "./rate-limits.ts";
