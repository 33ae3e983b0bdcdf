import { Worker } from "node:worker_threads";
import { giveLoopBack } from "../turn/index.ts";
import { OperationError, toStoreError } from "./failures.ts";
import type { Pending } from "./pending.ts";
import { join, mostInPortion, type Portion, split } from "./portions.ts";
import { prepareSqliteFile } from "./sqlite-file.ts";
import { StoreError } from "./store.ts";
import type {
  OperationOutcome,
  ReportedFailure,
  WorkerReply,
  WorkerRequest,
  WorkerSettings,
} from "./worker-messages.ts";

const closeTimeout = 5000;

export interface ThreadListener {
  opened(): void;
  /** Reads without an outcome did not run. `isLast`: the thread ends. */
  done(outcomes: readonly OperationOutcome[], isLast: boolean): void;
  vacuumed(error: StoreError | undefined): void;
  /** The file was removed or replaced: what was sent last did not run. The thread ends. */
  moved(): void;
  /** The database could not be opened, or the thread crashed. */
  failed(error: StoreError): void;
}

/** A thread that has a SQLite database open. It does not keep the process alive once it has opened the database. */
export class SqliteThread {
  readonly #path: string;
  readonly #worker: Worker;
  readonly #listener: ThreadListener;
  readonly #ended: Promise<void>;
  #isOpen = false;
  /** Outcomes of which portions are missing. */
  #done: Extract<WorkerReply, { type: "done" }> | undefined;
  /** Later messages of the thread are ignored. */
  #isOver = false;

  /** Throws a `StoreError` if there can be no such file. */
  constructor(path: string, listener: ThreadListener) {
    this.#path = path;
    this.#listener = listener;
    try {
      prepareSqliteFile(path);
      const settings: WorkerSettings = { path };
      this.#worker = new Worker(workerUrl(), { workerData: settings, name: "toolwire-store", execArgv: [] });
    } catch (error) {
      throw toStoreError(error, path);
    }
    this.#worker.on("message", (reply: WorkerReply) => this.#receive(reply));
    this.#worker.on("error", (error: unknown) => this.#crash(error));
    this.#ended = new Promise((resolve) => {
      this.#worker.on("exit", (code) => {
        this.#crash(new Error(`exit code ${code}`));
        resolve();
      });
    });
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Large arguments are copied in portions, between which the event loop is given back. */
  async run(operations: readonly Pending[]): Promise<void> {
    const portions: Portion[] = [];
    const requests = operations.map(({ name, argument, size }, index) => {
      if (size <= mostInPortion) return { name, argument };
      const parts = split(argument, [index, "argument"]);
      for (const portion of parts.portions) portions.push(portion);
      return { name, argument: parts.rest };
    });
    this.#post({ type: "run", requests, portions: portions.length });
    for (const portion of portions) {
      await giveLoopBack();
      if (this.#isOver) return;
      this.#post({ type: "portion", portion });
    }
  }

  vacuum(): void {
    this.#post({ type: "vacuum" });
  }

  /** Resolves when the database is closed. */
  async close(): Promise<void> {
    this.#isOver = true;
    this.#worker.ref();
    const timer = setTimeout(() => this.#worker.terminate(), closeTimeout);
    this.#post({ type: "close" });
    await this.#ended;
    clearTimeout(timer);
  }

  #post(request: WorkerRequest): void {
    this.#worker.postMessage(request);
  }

  #receive(reply: WorkerReply): void {
    if (this.#isOver) return;
    switch (reply.type) {
      case "opened":
        this.#isOpen = true;
        this.#worker.unref();
        this.#listener.opened();
        break;
      case "done":
        this.#done = { ...reply };
        this.#finishOrAsk(this.#done);
        break;
      case "portion":
        if (!this.#done) break;
        join(this.#done.outcomes, reply.portion);
        this.#done.portions--;
        this.#finishOrAsk(this.#done);
        break;
      case "vacuumed":
        this.#listener.vacuumed(reply.failure ? errorOf(reply.failure) : undefined);
        break;
      case "moved":
        this.#isOver = true;
        this.#listener.moved();
        break;
      case "refused":
        this.#isOver = true;
        this.#listener.failed(errorOf(reply));
        break;
    }
  }

  #finishOrAsk(done: Extract<WorkerReply, { type: "done" }>): void {
    if (done.portions > 0) {
      this.#post({ type: "more" });
      return;
    }
    this.#done = undefined;
    this.#isOver = done.isLast;
    this.#listener.done(done.outcomes, done.isLast);
  }

  #crash(cause: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const message = `The thread of the database ${this.#path} ended unexpectedly (${cause instanceof Error ? cause.message : String(cause)}).`;
    this.#listener.failed(new StoreError("broken", message, cause));
  }
}

export function errorOf({ failure, message, isOfOperation }: ReportedFailure): StoreError {
  return isOfOperation ? new OperationError(failure, message) : new StoreError(failure, message);
}

/** A thread needs JavaScript: if the sources run as they are, as in tests, it is the one that `npm run build` made. */
function workerUrl(): URL {
  const here = import.meta.url;
  return here.endsWith(".ts") ? new URL("../../dist/store/worker.js", here) : new URL("./worker.js", here);
}
