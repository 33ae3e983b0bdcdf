import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { Log } from "../turn/index.ts";
import type { Database } from "./database.ts";
import { MonitoredDatabase } from "./health.ts";
import { MemoryDatabase } from "./memory-database.ts";
import type { DatabaseKind } from "./operations/stats.ts";
import { PostgresDatabase } from "./postgres-database.ts";
import { Retention } from "./retention.ts";
import { SqlStore } from "./sql-store.ts";
import { SqliteWorkerDatabase } from "./sqlite-worker-database.ts";
import { type Store, StoreError, type StoreFailure } from "./store.ts";

export interface OpenStoreOptions {
  /** `memory:`, `sqlite:PATH` or `postgres://…`. */
  url: string;
  /** The folder to which a path of a file is relative; that of the process by default. */
  directory?: string | undefined;
  /** Milliseconds for which something that is not used is kept; `null`: for ever. */
  keep: number | null;
  log: Log;
}

/** A database that is not open yet. */
interface Candidate {
  kind: DatabaseKind;
  database: Database;
  open?(): Promise<void>;
  vacuum?(): Promise<void>;
  /** Failures which do not go away by themselves, so that it is better not to start. */
  lasting: ReadonlySet<StoreFailure>;
}

/**
 * Opens a store. Rejects with a `StoreError` "refused" if the database can never be used as it is, for example because its version is
 * newer. If it merely cannot be used at present, the store is opened, has `trouble`, and tries again by itself.
 */
export async function openStore(options: OpenStoreOptions): Promise<Store> {
  const candidate = candidateOf(options);
  const trouble = await tryToOpen(candidate);
  return new OpenStore(candidate, options, trouble);
}

class OpenStore extends SqlStore {
  readonly #database: MonitoredDatabase;
  readonly #retention: Retention;

  constructor({ kind, database, vacuum }: Candidate, { keep, log }: OpenStoreOptions, trouble: StoreError | undefined) {
    const monitored = new MonitoredDatabase(database, { log, trouble });
    super(monitored, { kind, trouble: () => monitored.trouble, vacuum });
    this.#database = monitored;
    this.#retention = new Retention(this, { keep, log });
  }

  override ready(): Promise<void> {
    return this.#database.ready();
  }

  override async close(): Promise<void> {
    this.#retention.stop();
    await super.close();
  }
}

async function tryToOpen({ database, open, lasting }: Candidate): Promise<StoreError | undefined> {
  try {
    await open?.();
    return undefined;
  } catch (error) {
    if (error instanceof StoreError && !lasting.has(error.failure)) return error;
    await database.close();
    throw error instanceof StoreError ? new StoreError("refused", error.message, error) : error;
  }
}

function candidateOf({ url, directory, log }: OpenStoreOptions): Candidate {
  if (url === "memory:") return { kind: "memory", database: new MemoryDatabase(), lasting: new Set() };
  if (url.startsWith("sqlite:")) return sqlite(pathOf(url, directory), log);
  if (url.startsWith("postgres://") || url.startsWith("postgresql://")) return postgres(url, log);
  throw new StoreError("refused", "store.url must be memory:, sqlite:PATH or postgres://USER@HOST/DATABASE.");
}

function sqlite(path: string, log: Log): Candidate {
  const database = new SqliteWorkerDatabase({ path, log });
  return {
    kind: "sqlite",
    database,
    open: () => database.open(),
    vacuum: () => database.vacuum(),
    lasting: new Set(["refused", "broken", "lost"]),
  };
}

function postgres(url: string, log: Log): Candidate {
  const database = new PostgresDatabase({ url, log });
  return {
    kind: "postgres",
    database,
    open: () => database.open(),
    vacuum: () => database.vacuum(),
    lasting: new Set(["refused"]),
  };
}

/** `sqlite:PATH`, `sqlite:///PATH` and `sqlite:~/PATH`. */
function pathOf(url: string, directory: string | undefined): string {
  const path = url.slice("sqlite:".length).replace(/^\/\/(?=\/)/, "");
  if (path === "") throw new StoreError("refused", "store.url names no file: write sqlite:PATH.");
  if (path.startsWith("~/")) return join(homedir(), path.slice(2));
  return resolve(directory ?? "", path);
}
