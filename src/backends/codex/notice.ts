import type { JsonValue } from "../../turn/index.ts";

/** What a person who runs the gateway should hear. */
export type Notice = (
  level: "info" | "warn" | "error",
  fields: { [field: string]: JsonValue },
  message: string,
) => void;
