import type { ErrorBody } from "../turn/index.ts";

/** The body of every error, on every path. */
export function errorEnvelope(error: ErrorBody): string {
  return JSON.stringify({ error });
}
