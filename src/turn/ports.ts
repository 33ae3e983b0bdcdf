import type { TurnError } from "./errors.ts";
import type { JsonValue } from "./json.ts";

/** A circuit breaker: keeps requests away from a failing backend, so that neither side waits in vain. */
export interface Breaker {
  /**
   * Calls `ask`, or throws a `TurnError` while the breaker is open. `ask` resolves once the backend shows that it works, and
   * rejects with the failure before that.
   */
  watch(ask: () => Promise<void>): Promise<void>;
  /** Reports that an answer broke off after it had begun well. */
  failed(error: TurnError): void;
}

/** A monotonic clock, in milliseconds. */
export interface Clock {
  now(): number;
}

/**
 * Is told when a stretch of synchronous work for a request begins and ends, to find out which request held the event loop. Once for
 * each read from a provider and each step of a turn, never for each token.
 */
export interface WorkMarker {
  begin(): void;
  end(): void;
}

export interface EventFields {
  [field: string]: JsonValue | undefined;
}

/** Where telemetry events are written. `on` is false if nothing reads them, so that callers need not build them. */
export interface EventSink {
  readonly on: boolean;
  /** Whether redaction is off, so that values are worth collecting. */
  readonly keepsValues: boolean;
  /** `values` (arguments, results) are written only if redaction is off. `requestId` is `null` for an event without a request. */
  write(event: string, requestId: string | null, fields: EventFields, values?: EventFields): void;
}

/** What one turn keeps in memory, as a part of the budget that all turns of the gateway share. */
export interface Holding {
  /** Counts bytes that the turn keeps in memory. Throws a `TurnError` ("overloaded") if the gateway's budget is used up. */
  add(bytes: number): void;
}

/** The fields of a log line. `err` may be anything that was thrown. */
export interface LogFields {
  err?: unknown;
  [field: string]: unknown;
}

/** The part of the logger that the engine and the listeners use. */
export interface Log {
  isLevelEnabled(level: string): boolean;
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
}
