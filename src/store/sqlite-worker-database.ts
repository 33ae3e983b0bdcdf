import type { Log } from "../turn/index.ts";
import type { ArgumentOf, Database, OperationName, ResultOf } from "./database.ts";
import { OperationError, toStoreError } from "./failures.ts";
import type { ExportedPage } from "./operations/export-pages.ts";
import { type Pending, type PendingLimits, PendingOperations } from "./pending.ts";
import { exportSqlite } from "./sqlite-export.ts";
import { errorOf, SqliteThread } from "./sqlite-thread.ts";
import type { StoreError } from "./store.ts";
import { WaitingOperations } from "./waiting.ts";
import type { OperationOutcome } from "./worker-messages.ts";

export interface SqliteWorkerOptions {
  path: string;
  log: Log;
  limits?: Partial<PendingLimits>;
}

/** Called when the thread has done something, or could not. */
type DoneListener = (error: StoreError | undefined) => void;

/**
 * SQLite in a thread. What was queued while the thread worked is sent to it as one message and committed together. A thread that has
 * ended is started again by the next operation; `MonitoredDatabase` sees to it that this does not happen too often.
 */
export class SqliteWorkerDatabase implements Database {
  readonly #path: string;
  readonly #log: Log;
  readonly #pending: PendingOperations;
  readonly #waiting = new WaitingOperations();
  /** What the thread works on. */
  #sent: readonly Pending[] | undefined;
  #thread: SqliteThread | undefined;
  readonly #openListeners: DoneListener[] = [];
  readonly #vacuumListeners: DoneListener[] = [];
  #isScheduled = false;
  #isClosed = false;

  constructor({ path, log, limits }: SqliteWorkerOptions) {
    this.#path = path;
    this.#log = log;
    this.#pending = new PendingOperations(path, limits);
  }

  get queue(): number {
    return this.#pending.count;
  }

  /** Opens the file, and creates or migrates the tables. */
  open(): Promise<void> {
    if (this.#thread?.isOpen) return Promise.resolve();
    return waitFor(this.#openListeners, () => this.#start());
  }

  /** Waits for what was sent before. Operations that come later wait for it. */
  async vacuum(): Promise<void> {
    await this.open();
    await waitFor(this.#vacuumListeners, () => this.#thread?.vacuum());
  }

  run<Name extends OperationName>(name: Name, argument: ArgumentOf<Name>): Promise<ResultOf<Name>> {
    if (this.#isClosed) return Promise.reject(this.#closed());
    return this.#pending.add(name, argument, (pending) => {
      this.#waiting.add(pending);
      this.#dropSettled();
      this.#schedule();
    });
  }

  async *export(): AsyncGenerator<ExportedPage> {
    if (this.#isClosed) throw this.#closed();
    yield* exportSqlite(this.#path);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#pending.drained();
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.close();
  }

  #closed(): StoreError {
    return new OperationError("lost", `The database ${this.#path} is closed.`);
  }

  /** Operations of the same tick are sent together. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      this.#send();
    });
  }

  #send(): void {
    if (this.#sent || this.#waiting.count === 0) return;
    const thread = this.#start();
    if (!thread?.isOpen) return;
    const batch = this.#waiting.take();
    if (batch.length === 0) return;
    this.#sent = batch;
    thread.run(batch).catch((error: unknown) => this.#rejectSent(thread, error));
  }

  /**
   * While the thread is stuck, nothing is taken. What is overdue no longer counts in `#pending`, so it must not stay in memory either.
   * Operations become overdue many at a time, so the list is rarely searched.
   */
  #dropSettled(): void {
    const sent = this.#sent ?? [];
    if (this.#waiting.count + sent.length <= this.#pending.count) return;
    const working = sent.filter(({ isSettled }) => !isSettled).length;
    if (this.#waiting.count + working > this.#pending.count) this.#waiting.dropSettled();
  }

  #start(): SqliteThread | undefined {
    if (this.#thread) return this.#thread;
    try {
      this.#thread = new SqliteThread(this.#path, {
        opened: () => this.#open(),
        vacuumed: (error) => tell(this.#vacuumListeners, error),
        done: (outcomes, isLast) => this.#finish(outcomes, isLast),
        moved: () => this.#startAgain(),
        failed: (error) => this.#fail(error),
      });
      return this.#thread;
    } catch (error) {
      this.#fail(toStoreError(error, this.#path));
      return undefined;
    }
  }

  #open(): void {
    tell(this.#openListeners, undefined);
    this.#send();
  }

  #finish(outcomes: readonly OperationOutcome[], isLast: boolean): void {
    if (isLast) this.#thread = undefined;
    const sent = this.#sent ?? [];
    this.#sent = undefined;
    this.#waiting.putBack(sent.slice(outcomes.length));
    // First, so that the thread works while the results are processed here.
    this.#send();
    for (const [index, outcome] of outcomes.entries()) {
      if (outcome.type === "result") sent[index]?.resolve(outcome.value);
      else sent[index]?.reject(errorOf(outcome));
    }
  }

  /** An argument that cannot be copied. The thread may have got a part of it, so another one is used. */
  #rejectSent(thread: SqliteThread, error: unknown): void {
    const sent = this.#sent ?? [];
    if (this.#thread === thread) this.#thread = undefined;
    thread.close();
    this.#sent = undefined;
    for (const pending of sent) pending.reject(toStoreError(error, this.#path));
    this.#send();
  }

  /** What was stored is gone unless someone brings the file back, so this must not pass unnoticed. */
  #startAgain(): void {
    this.#log.error({}, `The database file ${this.#path} was removed or replaced; a new one was opened.`);
    this.#thread = undefined;
    this.#waiting.putBack(this.#sent ?? []);
    this.#sent = undefined;
    this.#send();
  }

  #fail(error: StoreError): void {
    this.#thread = undefined;
    this.#sent = undefined;
    this.#waiting.clear();
    tell(this.#openListeners, error);
    tell(this.#vacuumListeners, error);
    this.#pending.rejectAll(error);
  }
}

function waitFor(listeners: DoneListener[], begin: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    listeners.push((error) => (error ? reject(error) : resolve()));
    begin();
  });
}

function tell(listeners: DoneListener[], error: StoreError | undefined): void {
  for (const listener of listeners.splice(0)) listener(error);
}
