import { paced } from "../turn/index.ts";
import type { ArgumentOf, Database, OperationName, ResultOf } from "./database.ts";
import { toStoreError } from "./failures.ts";
import type { ExportedPage } from "./operations/export-pages.ts";
import { type Pending, PendingOperations } from "./pending.ts";
import { SqliteConnection } from "./sqlite-database.ts";
import { StoreError } from "./store.ts";
import { WaitingOperations } from "./waiting.ts";

const mostBytes = 256 * 1024 * 1024;
/** The part of its bytes that the database keeps when it was too large. */
const kept = 0.9;

/**
 * A database of this process only, lost when the process ends. It is bounded in size: if it is too large, the conversations that
 * were used least recently are deleted, or the records that expire first. It gives the event loop back between statements.
 */
export class MemoryDatabase implements Database {
  readonly #mostBytes: number;
  readonly #pending = new PendingOperations("in memory", { patience: Number.POSITIVE_INFINITY });
  readonly #waiting = new WaitingOperations();
  #connection: SqliteConnection | undefined;
  #worker: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: { mostBytes?: number } = {}) {
    this.#mostBytes = options.mostBytes ?? mostBytes;
  }

  get queue(): number {
    return this.#pending.count;
  }

  run<Name extends OperationName>(name: Name, argument: ArgumentOf<Name>): Promise<ResultOf<Name>> {
    if (this.#isClosed) return Promise.reject(new StoreError("lost", "The store is closed."));
    return this.#pending.add(name, argument, (pending) => {
      this.#waiting.add(pending);
      this.#worker ??= Promise.resolve().then(() => this.#work());
    });
  }

  async *export(): AsyncGenerator<ExportedPage> {
    yield* await this.run("exportAll", null);
  }

  async #work(): Promise<void> {
    while (this.#waiting.count > 0) await this.#runBatch(this.#waiting.take());
    this.#worker = undefined;
  }

  async #runBatch(batch: readonly Pending[]): Promise<void> {
    try {
      this.#connection ??= new SqliteConnection(":memory:");
      const outcomes = await paced(this.#connection.batch(batch));
      await this.#makeRoom(this.#connection);
      for (const [at, outcome] of outcomes.entries()) {
        if (outcome.ok) batch[at]?.resolve(outcome.result);
        else batch[at]?.reject(outcome.error);
      }
    } catch (thrown) {
      for (const pending of batch) pending.reject(toStoreError(thrown, "in memory"));
    }
  }

  async #makeRoom(connection: SqliteConnection): Promise<void> {
    if (connection.bytes <= this.#mostBytes) return;
    // The larger part shrinks: the records of one owner must not displace the conversations of all others.
    const argument = connection.bytesOf("records") > connection.bytes / 2 ? "records" : "conversations";
    while (connection.bytes > kept * this.#mostBytes) {
      const [outcome] = await paced(connection.batch([{ name: "evict", argument }]));
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
