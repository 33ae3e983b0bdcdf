export * from "./events.ts";
export * from "./log.ts";
export * from "./metrics.ts";
export * from "./redact.ts";
