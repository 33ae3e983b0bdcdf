import type { OperationDefinition } from "./operation.ts";
import type { ExportedPage } from "./operations/export-pages.ts";
import type { operations } from "./operations/index.ts";

export type Operations = typeof operations;
export type OperationName = keyof Operations;
export type ArgumentOf<Name extends OperationName> =
  Operations[Name] extends OperationDefinition<infer Argument, infer _> ? Argument : never;
export type ResultOf<Name extends OperationName> =
  Operations[Name] extends OperationDefinition<infer _, infer Result> ? Result : never;

/** A database that runs operations. */
export interface Database {
  /** Resolves when the operation is committed. */
  run<Name extends OperationName>(name: Name, argument: ArgumentOf<Name>): Promise<ResultOf<Name>>;
  /** Every row of every table, as it was when the first page was read. The connection is freed when the reader ends. */
  export(): AsyncIterable<ExportedPage>;
  /** Operations that wait for the database. */
  readonly queue: number;
  close(): Promise<void>;
}
