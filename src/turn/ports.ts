import type { TurnError } from "./errors.ts";
import type { JsonValue } from "./json.ts";

/** Keeps requests away from a backend that fails, so that neither side waits in vain. */
export interface Breaker {
  /**
   * Lets the backend be asked, or throws a `TurnError` while it is left alone. `ask` resolves once the backend shows that it
   * works, and rejects with what went wrong before that.
   */
  watch(ask: () => Promise<void>): Promise<void>;
  /** An answer that had begun well broke off later. */
  failed(error: TurnError): void;
}

/** Milliseconds that only move forward. */
export interface Clock {
  now(): number;
}

/** What a telemetry event may hold. */
export interface EventFields {
  [field: string]: JsonValue | undefined;
}

/** Where telemetry events go. `on` is false when nobody looks, so that nothing is made in vain. */
export interface EventSink {
  readonly on: boolean;
  /** Whether redaction is off, so that values are worth gathering. */
  readonly keepsValues: boolean;
  /** `values` (arguments, results) are written only where redaction is off. Without a request: `null`. */
  write(event: string, requestId: string | null, fields: EventFields, values?: EventFields): void;
}

/** The log, as far as the engine speaks to it. */
export interface Log {
  isLevelEnabled(level: string): boolean;
  debug(fields: EventFields, message: string): void;
  info(fields: EventFields, message: string): void;
  warn(fields: EventFields, message: string): void;
  error(fields: { err?: unknown; [field: string]: unknown }, message: string): void;
}
