export * from "./call-log.ts";
export * from "./events.ts";
export * from "./log.ts";
export * from "./metrics.ts";
export * from "./redact.ts";
export * from "./turn-events.ts";
export * from "./turn-log.ts";
export * from "./turn-metrics.ts";
