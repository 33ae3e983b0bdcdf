import Database from "libsql";
import { finished, type Steps } from "../turn/index.ts";
import type { OperationName } from "./database.ts";
import { newerVersion, toStoreError } from "./failures.ts";
import { latestVersion, migrations } from "./migrations.ts";
import type { OperationDefinition, Row, Statement } from "./operation.ts";
import { type ExportedPage, exportPages } from "./operations/export-pages.ts";
import { isWrite, operations } from "./operations/index.ts";
import type { StoreError } from "./store.ts";

/** An operation by its name, and its argument. */
export interface BatchEntry {
  name: OperationName;
  argument: unknown;
}

/** What became of an operation. */
export type Outcome = { ok: true; result: unknown } | { ok: false; error: StoreError };

/** How long to wait for another process that writes to the same file, in milliseconds. One that migrates it may take longer. */
const busyTimeout = 1_500;
const migrationTimeout = 10_000;
/** Lists of different lengths are different statements. */
const mostPrepared = 400;

const usedBytes = `SELECT (page_count - freelist_count) * page_size AS bytes
  FROM pragma_page_count, pragma_freelist_count, pragma_page_size`;
const tableBytes = "SELECT SUM(pgsize) AS bytes FROM dbstat WHERE name = ? AND aggregate = 1";

type Prepared = ReturnType<Database.Database["prepare"]>;

/** A SQLite database. It works synchronously, so it belongs into a thread of its own unless it is in memory. */
export class SqliteConnection {
  readonly #path: string;
  readonly #database: Database.Database;
  readonly #prepared = new Map<string, Prepared>();

  /** Opens a file or `:memory:`, and brings its schema up to date. Throws a `StoreError`. */
  constructor(path: string) {
    this.#path = path;
    try {
      this.#database = new Database(path);
    } catch (thrown) {
      throw toStoreError(thrown, path);
    }
    try {
      this.#configure();
      this.#migrate();
      this.#database.pragma(`busy_timeout = ${busyTimeout}`);
    } catch (thrown) {
      this.close();
      throw toStoreError(thrown, path);
    }
  }

  /** `FULL` means that a commit is on the disk when it returns, also if the machine loses its power. */
  #configure(): void {
    this.#database.pragma(`busy_timeout = ${migrationTimeout}`);
    this.#database.pragma("journal_mode = WAL");
    this.#database.pragma("synchronous = FULL");
    this.#database.pragma("temp_store = MEMORY");
  }

  #migrate(): void {
    if (this.#version === latestVersion) return;
    this.#database.exec("BEGIN IMMEDIATE");
    // Another process may have migrated the file meanwhile.
    const version = this.#version;
    if (version > latestVersion) throw newerVersion(this.#path, version, latestVersion);
    for (const migration of migrations) {
      if (migration.version <= version) continue;
      for (const text of migration.sqlite) this.#database.exec(text);
    }
    this.#database.pragma(`user_version = ${latestVersion}`);
    this.#database.exec("COMMIT");
  }

  get #version(): number {
    const [row] = this.#execute({ sql: "PRAGMA user_version", values: [] });
    return Number(row?.user_version ?? 0);
  }

  /**
   * Runs operations in one transaction: only writes or only reads. The outcomes are in the order of the entries. An operation that fails
   * does not affect the others.
   */
  runBatch(entries: readonly BatchEntry[]): Outcome[] {
    return finished(this.batch(entries));
  }

  /** The same, with a step after each statement. No other batch may begin in between. */
  *batch(entries: readonly BatchEntry[]): Steps<Outcome[]> {
    const writes = entries.some(({ name }) => isWrite(name));
    try {
      this.#database.exec(writes ? "BEGIN IMMEDIATE" : "BEGIN");
    } catch (thrown) {
      // It has waited for the lock already, so the entries are not tried one by one.
      return this.#failed(entries, thrown);
    }
    try {
      const outcomes = yield* this.#attempts(entries, writes);
      this.#database.exec("COMMIT");
      return outcomes;
    } catch (thrown) {
      if (this.#database.inTransaction) this.#database.exec("ROLLBACK");
      const { failure } = toStoreError(thrown, this.#path);
      // The failure of one may have ended the transaction of all. But if the file is locked or lost, each one would wait in vain.
      const isOfOne = entries.length > 1 && failure !== "locked" && failure !== "lost";
      return isOfOne ? yield* this.#oneByOne(entries) : this.#failed(entries, thrown);
    }
  }

  *#attempts(entries: readonly BatchEntry[], writes: boolean): Steps<Outcome[]> {
    const outcomes: Outcome[] = [];
    const isShared = writes && entries.length > 1;
    for (const entry of entries) {
      const outcome = yield* isShared ? this.#saved(entry) : this.#attempt(entry);
      // The only write of a transaction has no savepoint, so the whole transaction is undone.
      if (!outcome.ok && writes && !isShared) throw outcome.error;
      outcomes.push(outcome);
    }
    return outcomes;
  }

  *#oneByOne(entries: readonly BatchEntry[]): Steps<Outcome[]> {
    const outcomes: Outcome[] = [];
    for (const entry of entries) for (const outcome of yield* this.batch([entry])) outcomes.push(outcome);
    return outcomes;
  }

  #failed(entries: readonly BatchEntry[], thrown: unknown): Outcome[] {
    const error = toStoreError(thrown, this.#path);
    return entries.map(() => ({ ok: false, error }));
  }

  /** A write inside a savepoint, so that only its own changes are undone if it fails. */
  *#saved(entry: BatchEntry): Steps<Outcome> {
    this.#database.exec("SAVEPOINT entry");
    const outcome = yield* this.#attempt(entry);
    // SQLite has ended the whole transaction, for example because the disk is full.
    if (!outcome.ok && !this.#database.inTransaction) throw outcome.error;
    if (!outcome.ok) this.#database.exec("ROLLBACK TO entry");
    this.#database.exec("RELEASE entry");
    return outcome;
  }

  *#attempt(entry: BatchEntry): Steps<Outcome> {
    try {
      return { ok: true, result: yield* this.#run(entry) };
    } catch (thrown) {
      return { ok: false, error: toStoreError(thrown, this.#path) };
    }
  }

  *#run({ name, argument }: BatchEntry): Steps<unknown> {
    // `Database.run` has checked that the argument is that of the operation.
    const definition = operations[name] as OperationDefinition<unknown, unknown>;
    const operation = definition.run(argument);
    let step = operation.next();
    while (!step.done) {
      const rows = this.#execute(step.value);
      yield;
      step = operation.next(rows);
    }
    return step.value;
  }

  /** Every row of every table, in one transaction. Nothing else may run meanwhile. */
  *export(): Generator<ExportedPage, void, void> {
    this.#database.exec("BEGIN");
    try {
      const pages = exportPages();
      for (let step = pages.next(); !step.done; ) {
        const rows = this.#execute(step.value);
        yield { table: step.value.table, rows };
        step = pages.next(rows);
      }
    } finally {
      if (this.#database.inTransaction) this.#database.exec("ROLLBACK");
    }
  }

  #execute({ sql, values, isCounted }: Statement): Row[] {
    const prepared = this.#prepare(sql);
    if (prepared.reader) return prepared.all(values) as Row[];
    const { changes } = prepared.run(values);
    return isCounted ? [{ changes }] : [];
  }

  /** The least recently used statement is forgotten first. */
  #prepare(sql: string): Prepared {
    const known = this.#prepared.get(sql);
    const prepared = known ?? this.#database.prepare(sql);
    if (known) this.#prepared.delete(sql);
    this.#prepared.set(sql, prepared);
    for (const oldest of this.#prepared.keys()) {
      if (this.#prepared.size <= mostPrepared) break;
      this.#prepared.delete(oldest);
    }
    return prepared;
  }

  /** Gives unused space back to the disk. Throws a `StoreError`. */
  vacuum(): void {
    try {
      this.#database.exec("VACUUM");
      this.#database.pragma("wal_checkpoint(TRUNCATE)");
    } catch (thrown) {
      throw toStoreError(thrown, this.#path);
    }
  }

  /** Bytes of the pages in use. */
  get bytes(): number {
    const [row] = this.#execute({ sql: usedBytes, values: [] });
    return Number(row?.bytes ?? 0);
  }

  /** Bytes of the pages of a table. */
  bytesOf(table: string): number {
    const [row] = this.#execute({ sql: tableBytes, values: [table] });
    return Number(row?.bytes ?? 0);
  }

  close(): void {
    this.#prepared.clear();
    this.#database.close();
  }
}
