import type { Pool, PoolClient, PoolConfig } from "pg";
import type { Log } from "../turn/index.ts";
import type { ArgumentOf, Database, OperationName, ResultOf } from "./database.ts";
import { isConflict, isConnectionLoss, isSchemaMissing, OperationError, toStoreError } from "./failures.ts";
import type { ExportedPage } from "./operations/export-pages.ts";
import { isWrite } from "./operations/index.ts";
import { type Pending, type PendingLimits, PendingOperations } from "./pending.ts";
import { exportPostgres } from "./postgres-export.ts";
import { migratePostgres, vacuumPostgres } from "./postgres-migration.ts";
import { connectionConfig, createPool, mostConnections, nameOfServer } from "./postgres-pool.ts";
import { runRead, runWrite, UnknownCommit } from "./postgres-transaction.ts";
import type { StoreError } from "./store.ts";

/** Fewer than all, so that reads find a free connection. */
const mostWriters = 8;
/** How often an operation that conflicts with another transaction runs. */
const mostRuns = 3;
/** How often an operation runs again because its connection was lost. If there is no new connection, it does not. */
const mostLosses = 3;

export interface PostgresOptions {
  url: string;
  log: Log;
  limits?: Partial<PendingLimits>;
}

/** An operation, and how it fared so far. */
interface Job {
  readonly pending: Pending;
  runs: number;
  lostConnections: number;
}

/**
 * Runs operations on a Postgres server, each in a transaction of its own. The server writes the commits of parallel transactions to
 * the disk together. Several operations in one transaction would be only a little faster, and would hold locks in orders that lead to
 * deadlocks between gateways.
 */
export class PostgresDatabase implements Database {
  readonly #config: PoolConfig;
  readonly #where: string;
  readonly #log: Log;
  readonly #pending: PendingOperations;
  readonly #reads: Job[] = [];
  readonly #writes: Job[] = [];
  #pool: Pool;
  #busy = 0;
  #writers = 0;
  #isReadNext = true;
  #isClosed = false;
  #prepared: Promise<void> | undefined;

  constructor({ url, log, limits }: PostgresOptions) {
    this.#config = connectionConfig(url);
    this.#where = nameOfServer(url);
    this.#log = log;
    this.#pending = new PendingOperations(this.#where, limits);
    this.#pool = createPool(this.#config, this.#log);
  }

  get queue(): number {
    return this.#pending.count;
  }

  /** Creates or migrates the tables. */
  async open(): Promise<void> {
    try {
      await this.#prepare();
    } catch (error) {
      throw toStoreError(error, this.#where);
    }
  }

  run<Name extends OperationName>(name: Name, argument: ArgumentOf<Name>): Promise<ResultOf<Name>> {
    if (this.#isClosed) return Promise.reject(this.#closed());
    return this.#pending.add(name, argument, (pending) => {
      const job = { pending, runs: 0, lostConnections: 0 };
      this.#queueOf(job).push(job);
      this.#start();
    });
  }

  async *export(): AsyncGenerator<ExportedPage> {
    if (this.#isClosed) throw this.#closed();
    try {
      await this.#prepare();
      yield* exportPostgres(this.#config);
    } catch (error) {
      throw toStoreError(error, this.#where);
    }
  }

  /** Other gateways can use the tables meanwhile, so only the space at the end of a table's file goes back to the disk. */
  async vacuum(): Promise<void> {
    try {
      await vacuumPostgres(this.#config);
    } catch (error) {
      throw toStoreError(error, this.#where);
    }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#pending.drained();
    await this.#pool.end();
  }

  #closed(): StoreError {
    return new OperationError("lost", `The database ${this.#where} is closed.`);
  }

  #start(): void {
    while (this.#busy < mostConnections) {
      const job = this.#take();
      if (!job) return;
      const writers = isWrite(job.pending.name) ? 1 : 0;
      this.#busy++;
      this.#writers += writers;
      this.#work(job).then(() => {
        this.#busy--;
        this.#writers -= writers;
        this.#start();
      });
    }
  }

  /** Reads and writes take turns. */
  #take(): Job | undefined {
    this.#isReadNext = !this.#isReadNext;
    const writes = this.#writers < mostWriters ? this.#writes : [];
    if (this.#isReadNext) return takeFirst(this.#reads) ?? takeFirst(writes);
    return takeFirst(writes) ?? takeFirst(this.#reads);
  }

  async #work(job: Job): Promise<void> {
    const { pending } = job;
    let pool = this.#pool;
    let client: PoolClient | undefined;
    try {
      await this.#prepare();
      // Another operation may have replaced it meanwhile.
      pool = this.#pool;
      client = await pool.connect();
      job.runs++;
      const result = await (isWrite(pending.name) ? runWrite(client, pending) : runRead(client, pending));
      client.release();
      pending.resolve(result);
    } catch (error) {
      if (!client) return this.#reject(job, error);
      const isLost = error instanceof UnknownCommit || isConnectionLoss(error);
      client.release(isLost || client.getTransactionStatus() !== "I");
      if (isLost && pool === this.#pool) this.#replacePool();
      await this.#recover(job, error);
    }
  }

  async #recover(job: Job, error: unknown): Promise<void> {
    if (!(error instanceof UnknownCommit)) return this.#repeatOrReject(job, error);
    const isCommitted = await this.#isCommitted(error.transaction);
    if (isCommitted === undefined) return this.#reject(job, error.cause);
    if (isCommitted) job.pending.resolve(error.result);
    else this.#repeatOrReject(job, error.cause);
  }

  /** Only for an operation that is known not to be committed. */
  #repeatOrReject(job: Job, error: unknown): void {
    if (isSchemaMissing(error)) this.#prepared = undefined;
    if (this.#mayRepeat(job, error)) this.#queueOf(job).unshift(job);
    else this.#reject(job, error);
  }

  #mayRepeat(job: Job, error: unknown): boolean {
    if (!isConnectionLoss(error)) return isConflict(error) && job.runs < mostRuns;
    job.lostConnections++;
    return toStoreError(error, this.#where).failure === "lost" && job.lostConnections <= mostLosses;
  }

  /** The server remembers how its latest transactions ended. Of an older one it says `null`: nobody knows. */
  async #isCommitted(transaction: string): Promise<boolean | undefined> {
    for (let attempt = 0; attempt < 20; attempt++) {
      const status = await this.#statusOf(transaction);
      if (status === null) return undefined;
      if (status !== undefined && status !== "in progress") return status === "committed";
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return undefined;
  }

  async #statusOf(transaction: string): Promise<string | null | undefined> {
    try {
      const sql = "SELECT txid_status($1::bigint) AS status";
      return (await this.#pool.query<{ status: string | null }>(sql, [transaction])).rows[0]?.status;
    } catch {
      return undefined;
    }
  }

  #queueOf(job: Job): Job[] {
    return isWrite(job.pending.name) ? this.#writes : this.#reads;
  }

  #reject(job: Job, error: unknown): void {
    job.pending.reject(toStoreError(error, this.#where));
  }

  #prepare(): Promise<void> {
    this.#prepared ??= migratePostgres(this.#config, this.#where).catch((error: unknown) => {
      this.#prepared = undefined;
      throw error;
    });
    return this.#prepared;
  }

  /** When one connection is lost, the idle ones probably are, too. */
  #replacePool(): void {
    const old = this.#pool;
    this.#pool = createPool(this.#config, this.#log);
    old.end().catch(() => {});
  }
}

function takeFirst(queue: Job[]): Job | undefined {
  let job = queue.shift();
  // Its caller did not want to wait any longer.
  while (job?.pending.isSettled) job = queue.shift();
  return job;
}
