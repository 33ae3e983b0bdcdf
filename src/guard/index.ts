export * from "./hosts.ts";
export * from "./keys.ts";
export * from "./origins.ts";
