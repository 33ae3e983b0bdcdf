import type { TextRepair } from "../dialect.ts";

/** What a character of the message is. The spans, in order, are the message. */
export type SpanKind = "text" | "reasoning" | "call" | "markup";

export interface RepairReport {
  repair: TextRepair;
  /** Where in the message. */
  offset: number;
  dialect: string;
  /** The number of the call, where it is about one. */
  call?: number | undefined;
}

/** A block that named a declared tool, or looked just as if it did, and was text after all. */
export interface RejectReport {
  dialect: string;
  name: string | undefined;
  reason: string;
  offset: number;
}

/** Is told what the message is made of, in order. Calls are numbered from 0. */
export interface Sink {
  span(kind: SpanKind, text: string): void;
  callStarted(call: number, name: string, dialect: string, id: string | undefined): void;
  /** More of its arguments, as JSON text. */
  callArguments(call: number, delta: string): void;
  /** The call is whole. A call without this was cut off. */
  callDone(call: number): void;
  repaired(report: RepairReport): void;
  rejected(report: RejectReport): void;
}
