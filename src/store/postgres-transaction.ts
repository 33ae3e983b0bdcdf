import type { ClientBase, QueryResult } from "pg";
import { isConnectionLoss, OperationError } from "./failures.ts";
import type { Operation, OperationDefinition, Row, Statement } from "./operation.ts";
import { operations } from "./operations/index.ts";
import { type Pending, unhurriedPatience } from "./pending.ts";
import { prepareStatement } from "./postgres-statement.ts";

const definitions: Readonly<Record<string, OperationDefinition<unknown, unknown>>> = operations;

/** Milliseconds of one statement of an operation that may take as long as it takes. */
const longestTimeout = 10 * 60_000;
/** The server ends a statement that takes too long; the connection waits a little longer for this answer. */
const answerDelay = 1000;

/** The connection failed while the server was committing: only the server knows whether it has. */
export class UnknownCommit extends Error {
  /** The server's id of the transaction. */
  readonly transaction: string;
  /** What the operation returned. */
  readonly result: unknown;

  constructor(transaction: string, result: unknown, cause: unknown) {
    super("The connection was lost during a commit.", { cause });
    this.transaction = transaction;
    this.result = result;
  }
}

/** Resolves when the operation is committed. */
export async function runWrite(client: ClientBase, pending: Pending): Promise<unknown> {
  const timeout = timeoutOf(pending);
  // It is sent together with the first statement: the connection sends queries without waiting for the results of earlier ones.
  const begun = client.query(`BEGIN; ${limitOf(timeout)}SELECT txid_current()::text AS id`);
  begun.catch(() => {});
  const sent = new SentStatements();
  let result: unknown;
  let transaction: string;
  try {
    result = await runOperation(client, start(pending), sent, timeout);
    transaction = transactionOf(await begun);
  } catch (error) {
    throw await endFailed(client, begun, error);
  }
  await commit(client, sent, transaction, result);
  return result;
}

/** Every statement of a read sees the same state. */
export async function runRead(client: ClientBase, pending: Pending): Promise<unknown> {
  const timeout = timeoutOf(pending);
  const begun = client.query(`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${limitOf(timeout)}`);
  begun.catch(() => {});
  const sent = new SentStatements();
  try {
    const result = await runOperation(client, start(pending), sent, timeout, () => refuseAbandoned(pending));
    await sent.done();
    await begun;
    await client.query("COMMIT");
    return result;
  } catch (error) {
    throw await endFailed(client, begun, error);
  }
}

/**
 * Returns the cause of the failure. If the transaction did not begin, for example because the server is a standby, the statements
 * after it fail, too, and their errors do not tell why.
 */
async function endFailed(client: ClientBase, begun: Promise<unknown>, error: unknown): Promise<unknown> {
  const cause = await begun.then(
    () => error,
    (first: unknown) => first,
  );
  if (!isConnectionLoss(cause)) await rollBack(client);
  return cause;
}

/** Each statement has a limit of its own. All together would hold the connection, and the end of the process, for longer. */
function refuseAbandoned({ name, isSettled }: Pending): void {
  if (isSettled) throw new OperationError("slow", `Nobody waits for the operation ${name} any more.`);
}

function timeoutOf({ name }: Pending): number | undefined {
  const patience = unhurriedPatience(name);
  return patience === undefined ? undefined : Math.min(patience, longestTimeout);
}

/** If this fails, the connection is not used again: its transaction is still open. */
async function rollBack(client: ClientBase): Promise<void> {
  await client.query("ROLLBACK").catch(() => {});
}

function limitOf(timeout: number | undefined): string {
  return timeout === undefined ? "" : `SET LOCAL statement_timeout TO ${timeout}; `;
}

function start({ name, argument }: Pending): Operation<unknown> {
  const definition = definitions[name];
  if (!definition) throw new OperationError("refused", `There is no operation ${name}.`);
  return definition.run(argument);
}

/** Characters that are sent without waiting: to write more at once would hold the event loop. */
const mostSent = 64 * 1024;

/** Statements whose results nobody has waited for yet. */
class SentStatements {
  #results: Promise<unknown>[] = [];
  #characters = 0;

  add(result: Promise<unknown>, { values }: Statement): void {
    // The failure is seen by whoever waits for all.
    result.catch(() => {});
    this.#results.push(result);
    for (const value of values) if (typeof value === "string") this.#characters += value.length;
  }

  get areMany(): boolean {
    return this.#characters > mostSent;
  }

  /** Rejects with the first failure. */
  async done(): Promise<void> {
    const results = this.#results;
    this.#results = [];
    this.#characters = 0;
    for (const result of results) await result;
  }
}

async function runOperation(
  client: ClientBase,
  operation: Operation<unknown>,
  sent: SentStatements,
  timeout?: number,
  beforeStatement: () => void = () => {},
): Promise<unknown> {
  const limits = timeout === undefined ? {} : { query_timeout: timeout + answerDelay };
  let step = advance(operation, undefined);
  while (!step.done) {
    beforeStatement();
    const { value: statement } = step;
    const result = client.query<Row>({ ...prepareStatement(statement), ...limits, values: [...statement.values] });
    sent.add(result, statement);
    if (!statement.isBlind || sent.areMany) await sent.done();
    step = advance(operation, statement.isBlind ? [] : rowsOf(await result, statement));
  }
  return step.value;
}

function rowsOf({ rows, rowCount }: QueryResult<Row>, { isCounted }: Statement): Row[] {
  return isCounted ? [{ changes: rowCount }] : rows;
}

/** What an operation throws itself is not a failure of the connection. */
function advance(operation: Operation<unknown>, rows: Row[] | undefined): IteratorResult<Statement, unknown> {
  try {
    return operation.next(rows ?? []);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new OperationError("refused", `An operation of the store failed (${message}).`, error);
  }
}

/** A query of several statements has a list of results, which its type does not say. */
function transactionOf(result: unknown): string {
  const last: unknown = Array.isArray(result) ? result.at(-1) : result;
  const rows = typeof last === "object" && last !== null && "rows" in last && Array.isArray(last.rows) ? last.rows : [];
  const row: unknown = rows[0];
  if (typeof row === "object" && row !== null && "id" in row && typeof row.id === "string") return row.id;
  throw new OperationError("refused", "The database did not begin a transaction.");
}

/** It is sent right after the last statements. If one of them failed, the server rolls back. */
async function commit(client: ClientBase, sent: SentStatements, transaction: string, result: unknown): Promise<void> {
  const committed = client.query("COMMIT");
  committed.catch(() => {});
  try {
    await sent.done();
  } catch (error) {
    if (isConnectionLoss(error)) throw new UnknownCommit(transaction, result, error);
    await committed.catch(() => {});
    throw error;
  }
  let command: string;
  try {
    ({ command } = await committed);
  } catch (error) {
    if (isConnectionLoss(error)) throw new UnknownCommit(transaction, result, error);
    throw error;
  }
  // The server answers a COMMIT of a failed transaction without an error.
  if (command !== "COMMIT") throw new OperationError("refused", "The database rolled a transaction back.");
}
