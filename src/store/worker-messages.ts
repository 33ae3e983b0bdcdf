import type { OperationName } from "./database.ts";
import type { Portion } from "./portions.ts";
import type { StoreFailure } from "./store.ts";

/** What the thread of a SQLite database gets when it starts. */
export interface WorkerSettings {
  path: string;
}

export interface OperationRequest {
  name: OperationName;
  argument: unknown;
}

export type WorkerRequest =
  /** Only writes or only reads. Portions of the requests follow. The thread runs them after the last one. */
  | { type: "run"; requests: OperationRequest[]; portions: number }
  | { type: "portion"; portion: Portion }
  /** Asks for the next portion of the outcomes. */
  | { type: "more" }
  | { type: "vacuum" }
  | { type: "close" };

/** An error as plain data. */
export interface ReportedFailure {
  failure: StoreFailure;
  message: string;
  /** It says nothing about other operations. */
  isOfOperation: boolean;
}

export type OperationOutcome = { type: "result"; value: unknown } | ({ type: "failure" } & ReportedFailure);

export type WorkerReply =
  | { type: "opened" }
  /** The database cannot be opened. The thread ends. */
  | ({ type: "refused" } & ReportedFailure)
  /**
   * In the order of the requests. The last reads have no outcome if the results of the others are large: they are to be sent again.
   * Portions of the outcomes are asked for, because all messages that are there are copied at once.
   * `isLast`: the thread ends after them, because the next one should open the database anew.
   */
  | { type: "done"; outcomes: OperationOutcome[]; portions: number; isLast: boolean }
  | { type: "portion"; portion: Portion }
  | { type: "vacuumed"; failure: ReportedFailure | null }
  /** The file was removed or replaced, so nothing was run. The thread ends. */
  | { type: "moved" };
