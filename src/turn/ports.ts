import type { Emit } from "./event.ts";
import type { JsonValue } from "./json.ts";
import type { Tool } from "./tool.ts";
import type { Turn } from "./turn.ts";

/** A model round as a backend sees it: where its events go, and what it must listen to. */
export interface Round {
  emit: Emit;
  /**
   * Called once after each read: hands on what was emitted since the last one. A promise means that the reader is full: the
   * backend stops reading until it resolves.
   */
  flush(): Promise<void> | undefined;
  /** Aborted when the client has left or time is up: the backend closes its connection at once. */
  signal: AbortSignal;
}

/**
 * A way to a model. `run` resolves when the round is over; the last event that it emits is `turn.finished` or `turn.failed`.
 * What it throws, or a missing last event, the engine turns into a failure.
 */
export interface Backend {
  readonly name: string;
  /** Whether a tool of this type can be offered to the model in this turn. */
  carries(tool: Tool, turn: Turn): boolean;
  run(turn: Turn, round: Round): Promise<void>;
  /** Whether the backend can be used now; otherwise a sentence that says what to do. */
  ready?(): Promise<string | null>;
  close(): Promise<void>;
}

/** Milliseconds that only move forward. */
export interface Clock {
  now(): number;
}

/** What a telemetry event may hold; `values` is what redaction takes away. */
export interface EventFields {
  [field: string]: JsonValue | undefined;
}

/** Where telemetry events go. `on` is false when nobody looks, so that nothing is made in vain. */
export interface EventSink {
  readonly on: boolean;
  /** `values` (arguments, results) are written only where redaction is off. */
  write(event: string, requestId: string, fields: EventFields, values?: EventFields): void;
}
