import type { Log } from "../turn/index.ts";
import type { ArgumentOf, Database, OperationName, ResultOf } from "./database.ts";
import { OperationError, toStoreError } from "./failures.ts";
import type { ExportedPage } from "./operations/export-pages.ts";
import { isWrite } from "./operations/index.ts";
import { newProbe } from "./operations/probe.ts";
import { unhurriedPatience } from "./pending.ts";
import type { StoreError, StoreFailure } from "./store.ts";

/** Milliseconds between two attempts while the database does not work. */
const pause = 1000;

/** Failures of writes that leave reads possible. */
const ofWritesOnly: ReadonlySet<StoreFailure> = new Set(["full", "locked", "refused"]);

export interface HealthOptions {
  log: Log;
  /** Why the database did not work when it was opened. */
  trouble?: StoreError | undefined;
}

/**
 * A database whose failures are noticed. While it does not work, it is tried once a second, and all operations fail at once, so that
 * requests do not wait for it.
 */
export class MonitoredDatabase implements Database {
  readonly #database: Database;
  readonly #log: Log;
  #trouble: StoreError | undefined;
  #timer: NodeJS.Timeout | undefined;
  #probe: Promise<void> | undefined;
  #isClosed = false;

  constructor(database: Database, { log, trouble }: HealthOptions) {
    this.#database = database;
    this.#log = log;
    if (trouble) this.#begin(trouble);
  }

  get queue(): number {
    return this.#database.queue;
  }

  /** Why the database cannot be used at present; `null` if it works as far as is known. */
  get trouble(): StoreFailure | null {
    return this.#trouble?.failure ?? null;
  }

  async run<Name extends OperationName>(name: Name, argument: ArgumentOf<Name>): Promise<ResultOf<Name>> {
    if (this.#trouble && !isSpared(name, this.#trouble)) throw this.#trouble;
    return this.#run(name, argument);
  }

  export(): AsyncIterable<ExportedPage> {
    return this.#database.export();
  }

  /** Resolves if something could just be written. Whoever asks at the same time shares one attempt. */
  ready(): Promise<void> {
    this.#probe ??= this.#run("probe", newProbe()).finally(() => {
      this.#probe = undefined;
    });
    return this.#probe;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#database.close();
  }

  async #run<Name extends OperationName>(name: Name, argument: ArgumentOf<Name>): Promise<ResultOf<Name>> {
    try {
      const result = await this.#database.run(name, argument);
      this.#succeed(name);
      return result;
    } catch (cause) {
      const error = toStoreError(cause, "of the store");
      if (!(error instanceof OperationError) && !isSlowItself(name, error)) this.#begin(error);
      throw error;
    }
  }

  #succeed(name: OperationName): void {
    if (!this.#trouble || isSpared(name, this.#trouble)) return;
    this.#trouble = undefined;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#log.info({}, "The store works again.");
  }

  #begin(error: StoreError): void {
    if (!this.#trouble) this.#log.error({ failure: error.failure }, error.message);
    this.#trouble = error;
    this.#scheduleAttempt();
  }

  #scheduleAttempt(): void {
    if (!this.#trouble || this.#isClosed) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const later = () => this.#scheduleAttempt();
      this.ready().then(later, later);
    }, pause).unref();
  }
}

/** Whether an operation works in spite of the trouble, and so does not show that it is over. */
function isSpared(name: OperationName, { failure }: StoreError): boolean {
  return !isWrite(name) && ofWritesOnly.has(failure);
}

/** To count a large database takes long, though it works for others. */
function isSlowItself(name: string, { failure }: StoreError): boolean {
  return failure === "slow" && unhurriedPatience(name) !== undefined;
}
