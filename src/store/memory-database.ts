import { paced } from "../turn/index.ts";
import type { ArgumentOf, Database, OperationName, ResultOf } from "./database.ts";
import type { ExportedPage } from "./operations/export-pages.ts";
import { type BatchEntry, type Outcome, SqliteConnection } from "./sqlite-database.ts";
import { StoreError } from "./store.ts";

const mostBytes = 256 * 1024 * 1024;
/** The part of its bytes that the database keeps when it was too large. */
const kept = 0.9;

interface Waiting {
  entry: BatchEntry;
  settle(outcome: Outcome): void;
}

/**
 * A database of this process only, lost when the process ends. It is bounded in size: if it is too large, the conversations that
 * were used least recently are deleted. It gives the event loop back between statements.
 */
export class MemoryDatabase implements Database {
  readonly #mostBytes: number;
  #connection: SqliteConnection | undefined;
  #waiting: Waiting[] = [];
  #running = 0;
  #worker: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: { mostBytes?: number } = {}) {
    this.#mostBytes = options.mostBytes ?? mostBytes;
  }

  get queue(): number {
    return this.#waiting.length + this.#running;
  }

  run<Name extends OperationName>(name: Name, argument: ArgumentOf<Name>): Promise<ResultOf<Name>> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(new StoreError("lost", "The store is closed."));
      const settle = (outcome: Outcome) => {
        // The operation of this name has made the result.
        if (outcome.ok) resolve(outcome.result as ResultOf<Name>);
        else reject(outcome.error);
      };
      this.#waiting.push({ entry: { name, argument }, settle });
      this.#worker ??= Promise.resolve().then(() => this.#work());
    });
  }

  async *export(): AsyncGenerator<ExportedPage> {
    yield* await this.run("exportAll", null);
  }

  async #work(): Promise<void> {
    while (this.#waiting.length > 0) await this.#runWaiting();
    this.#worker = undefined;
  }

  /** Runs what has come in together. */
  async #runWaiting(): Promise<void> {
    const batch = this.#waiting;
    this.#waiting = [];
    this.#running = batch.length;
    try {
      this.#connection ??= new SqliteConnection(":memory:");
      const outcomes = await paced(this.#connection.batch(batch.map(({ entry }) => entry)));
      await this.#makeRoom(this.#connection);
      for (const [at, outcome] of outcomes.entries()) batch[at]?.settle(outcome);
    } catch (thrown) {
      const error = thrown instanceof StoreError ? thrown : new StoreError("broken", String(thrown), thrown);
      for (const { settle } of batch) settle({ ok: false, error });
    }
    this.#running = 0;
  }

  async #makeRoom(connection: SqliteConnection): Promise<void> {
    if (connection.bytes <= this.#mostBytes) return;
    while (connection.bytes > kept * this.#mostBytes) {
      const [outcome] = await paced(connection.batch([{ name: "evict", argument: null }]));
      if (!outcome?.ok || outcome.result === 0) return;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#worker;
    this.#connection?.close();
    this.#connection = undefined;
  }
}
