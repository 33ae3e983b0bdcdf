import type { ErrorBody } from "../turn/index.ts";

/** The error body, the same on every path. */
export function errorEnvelope(error: ErrorBody): string {
  return JSON.stringify({ error });
}
