import type { JsonValue } from "../../turn/index.ts";

/** Reports something to the operator of the gateway. */
export type Notice = (
  level: "info" | "warn" | "error",
  fields: { [field: string]: JsonValue },
  message: string,
) => void;
