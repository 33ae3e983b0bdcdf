import { isWrite } from "./operations/index.ts";
import type { Pending } from "./pending.ts";

/** Of one batch: copying it to a thread holds the event loop, and what comes later waits for it. */
const mostWrites = 500;
const mostReads = 32;
const mostCharacters = 1024 * 1024;

/**
 * Operations that wait for a database which runs one batch at a time. Batches of writes, which are committed together, and batches of
 * reads take turns, so that neither wait long for the others. A read is taken after all writes that were queued before it.
 */
export class WaitingOperations {
  #queued: Pending[] = [];
  /** They come before all writes of `#queued`. */
  #reads: Pending[] = [];
  #isReadNext = false;

  get count(): number {
    return this.#queued.length + this.#reads.length;
  }

  add(pending: Pending): void {
    this.#queued.push(pending);
  }

  /** The next batch: only writes or only reads. */
  take(): readonly Pending[] {
    // Some callers did not want to wait any longer.
    this.dropSettled();
    if (this.#isReadNext && this.#reads.length > 0) return this.#takeReads();
    const writes = this.#takeWrites();
    return writes.length > 0 ? writes : this.#takeReads();
  }

  /** Operations of the last batch that did not run. */
  putBack(operations: readonly Pending[]): void {
    if (operations.length === 0) return;
    this.#queued = [...operations, ...this.#reads, ...this.#queued];
    this.#reads = [];
  }

  dropSettled(): void {
    this.#queued = this.#queued.filter(isUnsettled);
    this.#reads = this.#reads.filter(isUnsettled);
  }

  clear(): void {
    this.#queued = [];
    this.#reads = [];
  }

  #takeWrites(): readonly Pending[] {
    const batch = new Batch(mostWrites);
    const isStaying = (pending: Pending) => isWrite(pending.name) && !batch.add(pending);
    const end = this.#queued.findIndex(isStaying);
    const passed = this.#queued.splice(0, end < 0 ? this.#queued.length : end);
    for (const pending of passed) if (!isWrite(pending.name)) this.#reads.push(pending);
    this.#isReadNext = true;
    return batch.operations;
  }

  #takeReads(): readonly Pending[] {
    const batch = new Batch(mostReads);
    const end = this.#reads.findIndex((pending) => !batch.add(pending));
    this.#reads.splice(0, end < 0 ? this.#reads.length : end);
    this.#isReadNext = false;
    return batch.operations;
  }
}

class Batch {
  readonly operations: Pending[] = [];
  readonly #most: number;
  #characters = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Returns whether it fits. The first one always does. */
  add(pending: Pending): boolean {
    this.#characters += pending.size;
    const isFull = this.operations.length >= this.#most || this.#characters > mostCharacters;
    if (isFull && this.operations.length > 0) return false;
    this.operations.push(pending);
    return true;
  }
}

function isUnsettled({ isSettled }: Pending): boolean {
  return !isSettled;
}
