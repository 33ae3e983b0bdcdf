/** What both databases take and give. Times are milliseconds since 1970; JSON and booleans (0, 1) are stored as text and integers. */
export type SqlValue = string | number | null;

export type Row = Record<string, SqlValue>;

/** One statement. Its parameters are `?`, in the order of the values. */
export interface Statement {
  sql: string;
  values: readonly SqlValue[];
  /** It returns no rows, so the next statement may be sent before this one has run. If it fails, the operation fails. */
  isBlind?: boolean;
  /** A SELECT whose rows other transactions may not change until this one ends. SQLite has one writer at a time anyway. */
  isLocking?: boolean;
  /** Instead of rows of its own it gives one row: `changes`, how many rows it has changed. */
  isCounted?: boolean;
}

/**
 * A unit of work: a generator that yields statements and gets their rows. It runs in one transaction: synchronously on SQLite,
 * asynchronously on Postgres. It must not depend on anything but its argument and the rows, because it may run again.
 */
export type Operation<Result> = Generator<Statement, Result, Row[]>;

/** Operations by name. Their arguments and results are plain data, because they may be sent to a worker thread. */
export interface OperationDefinition<Argument, Result> {
  /** Writes of several turns may be committed together; a failure of one does not affect the others. */
  writes: boolean;
  run(argument: Argument): Operation<Result>;
}
