import type { TextRepair } from "../dialect.ts";

/** What a span of the message is. The spans, in order, are the message. */
export type SpanKind = "text" | "reasoning" | "call" | "markup";

export interface RepairReport {
  repair: TextRepair;
  /** Offset in the message. */
  offset: number;
  dialect: string;
  /** Index of the call, if the repair belongs to one. */
  call?: number | undefined;
}

/** A block that named a tool, or began like a call in the prompted format, but is text. */
export interface RejectReport {
  dialect: string;
  name: string | undefined;
  reason: string;
  offset: number;
}

/** Receives the parts of the message, in order. Calls are numbered from 0. */
export interface Sink {
  span(kind: SpanKind, text: string): void;
  callStarted(call: number, name: string, dialect: string, id: string | undefined): void;
  /** More of its arguments, as JSON text. */
  callArguments(call: number, delta: string): void;
  /** The call is complete. A call without this event was cut off. */
  callDone(call: number): void;
  repaired(report: RepairReport): void;
  rejected(report: RejectReport): void;
}
