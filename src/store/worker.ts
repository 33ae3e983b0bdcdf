import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import { OperationError, toStoreError } from "./failures.ts";
import { isWrite } from "./operations/index.ts";
import { join, type Portion, sizeOf, split } from "./portions.ts";
import { type Outcome, SqliteConnection } from "./sqlite-database.ts";
import { identityOf } from "./sqlite-file.ts";
import { StoreError } from "./store.ts";
import type {
  OperationOutcome,
  OperationRequest,
  ReportedFailure,
  WorkerReply,
  WorkerRequest,
  WorkerSettings,
} from "./worker-messages.ts";

/** With less than this, an error of the disk means that it is full. SQLite does not always say so. */
const leastFreeBytes = 1024 * 1024;
/** Characters after which the reads of a message end. */
const mostInResults = 1024 * 1024;

type RunRequest = Extract<WorkerRequest, { type: "run" }>;

/** The thread of a SQLite database: it opens the file, and then runs what it is sent. */
class DatabaseThread {
  readonly #path: string;
  readonly #connection: SqliteConnection;
  readonly #identity: string | undefined;
  /** Requests of which portions are missing. */
  #received: RunRequest | undefined;
  /** Of outcomes. */
  readonly #portions: Portion[] = [];
  #isLast = false;

  constructor(path: string) {
    this.#path = path;
    this.#connection = new SqliteConnection(path);
    this.#identity = identityOf(this.#path);
  }

  receive(request: WorkerRequest): void {
    switch (request.type) {
      case "run":
        this.#received = { ...request };
        this.#answerIfComplete(this.#received);
        break;
      case "portion":
        if (!this.#received) break;
        join(this.#received.requests, request.portion);
        this.#received.portions--;
        this.#answerIfComplete(this.#received);
        break;
      case "more":
        this.#sendPortion();
        break;
      case "vacuum":
        this.#vacuum();
        break;
      case "close":
        this.#end();
        break;
    }
  }

  #answerIfComplete({ requests, portions }: RunRequest): void {
    if (portions > 0) return;
    this.#received = undefined;
    // SQLite would go on with a file that nobody finds any more.
    if (identityOf(this.#path) === this.#identity) {
      this.#answer(this.#run(requests));
    } else {
      reply({ type: "moved" });
      this.#end();
    }
  }

  #answer(outcomes: readonly OperationOutcome[]): void {
    this.#isLast = outcomes.some(isFatal);
    const rest = outcomes.map((outcome, index): OperationOutcome => {
      if (outcome.type === "failure") return outcome;
      const parts = split(outcome.value, [index, "value"]);
      for (const portion of parts.portions) this.#portions.push(portion);
      return { type: "result", value: parts.rest };
    });
    reply({ type: "done", outcomes: rest, portions: this.#portions.length, isLast: this.#isLast });
    this.#endIfLast();
  }

  #sendPortion(): void {
    const portion = this.#portions.shift();
    if (portion) reply({ type: "portion", portion });
    this.#endIfLast();
  }

  #endIfLast(): void {
    if (this.#isLast && this.#portions.length === 0) this.#end();
  }

  #vacuum(): void {
    try {
      this.#connection.vacuum();
      reply({ type: "vacuumed", failure: null });
    } catch (error) {
      reply({ type: "vacuumed", failure: report(error, this.#path) });
    }
  }

  /** Writes run together. Reads end when their results are large: memory is bounded, and a write need not wait for all of them. */
  #run(requests: readonly OperationRequest[]): OperationOutcome[] {
    if (requests.some(({ name }) => isWrite(name))) return this.#runBatch(requests);
    const outcomes: OperationOutcome[] = [];
    let characters = 0;
    for (const request of requests) {
      for (const outcome of this.#runBatch([request])) {
        outcomes.push(outcome);
        characters += sizeOf(outcome);
      }
      if (characters > mostInResults) break;
    }
    return outcomes;
  }

  #runBatch(requests: readonly OperationRequest[]): OperationOutcome[] {
    return this.#connection.runBatch(requests).map((outcome) => this.#outcomeOf(outcome));
  }

  #outcomeOf(outcome: Outcome): OperationOutcome {
    if (outcome.ok) return { type: "result", value: outcome.result };
    return { type: "failure", ...report(outcome.error, this.#path) };
  }

  #end(): void {
    try {
      this.#connection.close();
    } finally {
      parentPort?.close();
    }
  }
}

function isFatal(outcome: OperationOutcome): boolean {
  return (
    outcome.type === "failure" && (outcome.failure === "broken" || outcome.failure === "lost") && !outcome.isOfOperation
  );
}

function report(cause: unknown, path: string): ReportedFailure {
  let error = toStoreError(cause, path);
  if (error.failure === "lost" && isDiskFull(path)) {
    error = new StoreError("full", `The disk of the database ${path} has no space left.`);
  }
  return { failure: error.failure, message: error.message, isOfOperation: error instanceof OperationError };
}

function isDiskFull(path: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(dirname(path));
    return bavail * bsize < leastFreeBytes;
  } catch {
    return false;
  }
}

function reply(message: WorkerReply): void {
  parentPort?.postMessage(message);
}

function isSettings(value: unknown): value is WorkerSettings {
  return typeof value === "object" && value !== null && "path" in value && typeof value.path === "string";
}

function start(): void {
  if (!isSettings(workerData)) throw new Error("The thread of a database was started without its settings.");
  const { path } = workerData;
  try {
    const thread = new DatabaseThread(path);
    parentPort?.on("message", (request: WorkerRequest) => thread.receive(request));
    reply({ type: "opened" });
  } catch (error) {
    reply({ type: "refused", ...report(error, path) });
  }
}

start();
