import type { Log } from "../turn/index.ts";
import type { ArgumentOf, Database, OperationName, ResultOf } from "./database.ts";
import { OperationError, toStoreError } from "./failures.ts";
import { isWrite } from "./operations/index.ts";
import { isUnhurried } from "./pending.ts";
import type { StoreError, StoreFailure } from "./store.ts";

/** Milliseconds between two attempts while the database does not work. */
const pause = 1000;

/** Failures of writes that leave reads possible. */
const ofWritesOnly: ReadonlySet<StoreFailure> = new Set(["full", "locked", "refused"]);

export interface HealthOptions {
  log: Log;
  /** Why the database did not work when it was opened. */
  trouble?: StoreError | undefined;
  now?: () => number;
}

/**
 * A database whose failures are noticed. While it does not work, one operation a second is tried and the others fail at once, so that
 * requests do not wait for it. An attempt is made without requests, too.
 */
export class MonitoredDatabase implements Database {
  readonly #database: Database;
  readonly #log: Log;
  readonly #now: () => number;
  #trouble: StoreError | undefined;
  #nextAttempt = 0;
  #isAttempting = false;
  #timer: NodeJS.Timeout | undefined;
  #probe: Promise<void> | undefined;
  #isClosed = false;

  constructor(database: Database, { log, trouble, now }: HealthOptions) {
    this.#database = database;
    this.#log = log;
    this.#now = now ?? (() => performance.now());
    if (trouble) this.#begin(trouble);
  }

  get queue(): number {
    return this.#database.queue;
  }

  /** Why the database cannot be used at present; `null` if it works as far as is known. */
  get trouble(): string | null {
    return this.#trouble?.message ?? null;
  }

  async run<Name extends OperationName>(name: Name, argument: ArgumentOf<Name>): Promise<ResultOf<Name>> {
    const writes = isWrite(name);
    const trouble = this.#trouble;
    if (!trouble || (!writes && ofWritesOnly.has(trouble.failure))) return this.#run(name, argument, writes);
    // An attempt must end soon: until then all other operations fail.
    if (isUnhurried(name) || this.#isAttempting || this.#now() < this.#nextAttempt) throw trouble;
    this.#isAttempting = true;
    try {
      return await this.#run(name, argument, writes);
    } finally {
      this.#isAttempting = false;
      this.#nextAttempt = this.#now() + pause;
    }
  }

  /** Resolves if something could just be written. Requests at the same time share one attempt. */
  async ready(): Promise<void> {
    this.#probe ??= this.#write();
    await this.#probe;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#database.close();
  }

  async #write(): Promise<void> {
    try {
      await this.run("probe", { at: Date.now() });
    } finally {
      this.#probe = undefined;
    }
  }

  async #run<Name extends OperationName>(
    name: Name,
    argument: ArgumentOf<Name>,
    writes: boolean,
  ): Promise<ResultOf<Name>> {
    try {
      const result = await this.#database.run(name, argument);
      this.#succeed(writes);
      return result;
    } catch (cause) {
      const error = toStoreError(cause, "of the store");
      if (!(error instanceof OperationError) && !isSlowItself(name, error)) this.#begin(error);
      throw error;
    }
  }

  #succeed(writes: boolean): void {
    if (!this.#trouble || (!writes && ofWritesOnly.has(this.#trouble.failure))) return;
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
      this.#write().then(later, later);
    }, pause).unref();
  }
}

/** To count a large database takes long, though it works for others. */
function isSlowItself(name: string, { failure }: StoreError): boolean {
  return failure === "slow" && isUnhurried(name);
}
