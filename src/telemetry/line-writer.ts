import { Buffer } from "node:buffer";
import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";
import type { Disk } from "./disk.ts";

export interface LineWriterOptions {
  disk: Disk;
  /** The most bytes that may be buffered. */
  capacity?: number;
  /** How long closing waits, in milliseconds: a disk that hangs must not keep the process from ending. */
  closeWithin?: number;
  /** Formats the line that reports how many lines are missing. */
  missing: (count: number) => string;
  /** Called at the first failed write only: otherwise a full disk would fill the log as well. */
  onError: (error: unknown) => void;
}

/** Lines that are being written. */
interface Batch {
  bytes: Buffer;
  /** How many bytes are written. */
  at: number;
  /** The size of what comes before the lines: the end of a torn line, and the report of missing lines. */
  head: number;
  lines: readonly string[];
  /** How many missing lines the head reports. */
  missing: number;
}

const defaultCapacity = 8 * 1024 * 1024;
/** The most bytes that are joined at once. */
const batchSize = 256 * 1024;
/** Milliseconds between two attempts at a full pipe. They grow while there is no room. */
const [shortestPause, longestPause] = [1, 50];
const defaultCloseWithin = 2_000;

const newline = 0x0a;

/** Appends lines without blocking the caller. Lines that do not fit into the buffer are dropped and counted. */
export class LineWriter {
  readonly #disk: Disk;
  readonly #capacity: number;
  readonly #closeWithin: number;
  readonly #missing: (count: number) => string;
  readonly #onError: (error: unknown) => void;
  #lines: string[] = [];
  #bytes = 0;
  #batch: Batch | undefined;
  /** Whether a part of the batch is on its way, so that nobody knows how much of it is written. */
  #isInFlight = false;
  /** Lines that are missing and not reported yet. */
  #unreported = 0;
  #running: Promise<void> | null = null;
  #pause = shortestPause;
  #closed = false;
  #abandoned = false;
  #failedBefore = false;
  #failedLast = false;
  /** Whether the file ends in the middle of a line. Then the next write begins with a line break. */
  #torn = false;
  /** All lines that were dropped or could not be written. */
  dropped = 0;

  constructor({ disk, capacity, closeWithin, missing, onError }: LineWriterOptions) {
    this.#disk = disk;
    this.#capacity = capacity ?? defaultCapacity;
    this.#closeWithin = closeWithin ?? defaultCloseWithin;
    this.#missing = missing;
    this.#onError = onError;
  }

  write(line: string): void {
    if (this.#closed) return;
    const bytes = Buffer.byteLength(line) + 1;
    if (this.#bytes + bytes > this.#capacity) {
      this.#lose(1);
      return;
    }
    this.#lines.push(line);
    this.#bytes += bytes;
    this.#running ??= this.#run();
  }

  /** Resolves when everything is written, or when the time is up. */
  async flush(within = this.#closeWithin): Promise<void> {
    if (this.#unreported > 0) {
      this.#failedLast = false;
      this.#running ??= this.#run();
    }
    const timer = new AbortController();
    const deadline = delay(within, undefined, { signal: timer.signal }).catch(() => {});
    await Promise.race([this.#running, deadline]);
    timer.abort();
  }

  /** Writes everything before it returns, unless that takes longer than so many milliseconds. For a process that is about to end. */
  flushNow(within: number): void {
    const until = performance.now() + within;
    // A file takes a write that is on its way as a whole, so what follows it is complete as well.
    if (this.#isInFlight) this.#batch = undefined;
    while (this.#disk.writeNow) {
      this.#batch ??= this.#take();
      if (!this.#batch) return;
      try {
        this.#wrote(this.#batch, this.#disk.writeNow(this.#batch.bytes, this.#batch.at));
      } catch (error) {
        if (!isBusy(error)) this.#fail(this.#batch, error);
        else if (performance.now() >= until) return;
        else Atomics.wait(sleeper, 0, 0, 5);
      }
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.flush();
    this.#abandoned = true;
    // A disk that hangs is closed when its write ends.
    if (this.#running) void this.#running.then(() => this.#disk.close()).catch(this.#onError);
    else await this.#disk.close().catch(this.#onError);
  }

  async #run(): Promise<void> {
    // All lines of one tick are written together.
    await nextTurn();
    while (!this.#abandoned) {
      this.#batch ??= this.#take();
      if (!this.#batch) break;
      await this.#writeSome(this.#batch);
    }
    this.#running = null;
  }

  async #writeSome(batch: Batch): Promise<void> {
    try {
      const some = this.#disk.write(batch.bytes, batch.at);
      if (typeof some === "number") this.#wrote(batch, some);
      else {
        this.#isInFlight = true;
        this.#wrote(batch, await some);
      }
      this.#pause = shortestPause;
      // A batch that a pipe takes at once is many small writes.
      if (typeof some === "number" && this.#batch === undefined) await nextTurn();
    } catch (error) {
      this.#isInFlight = false;
      if (!isBusy(error)) {
        this.#fail(batch, error);
        return;
      }
      // Waiting for a reader keeps no process alive.
      await delay(this.#pause, undefined, { ref: false });
      this.#pause = Math.min(2 * this.#pause, longestPause);
    }
  }

  #take(): Batch | undefined {
    const missing = this.#unreported;
    if (this.#lines.length === 0 && (missing === 0 || this.#failedLast)) return undefined;
    let size = 0;
    let count = 0;
    for (const line of this.#lines) {
      if (size > 0 && size + line.length > batchSize) break;
      size += line.length;
      count++;
    }
    const lines = this.#lines.splice(0, count);
    this.#unreported = 0;
    const head = (this.#torn ? "\n" : "") + (missing > 0 ? `${this.#missing(missing)}\n` : "");
    const bytes = Buffer.from(head + lines.map((line) => `${line}\n`).join(""));
    return { bytes, at: 0, head: Buffer.byteLength(head), lines, missing };
  }

  #wrote(batch: Batch, count: number): void {
    this.#isInFlight = false;
    batch.at += count;
    if (batch.at < batch.bytes.length) return;
    this.#torn = false;
    this.#failedLast = false;
    this.#finish(batch);
  }

  #fail(batch: Batch, error: unknown): void {
    const { bytes, at, head, lines, missing } = batch;
    if (at > 0) this.#torn = bytes[at - 1] !== newline;
    // A line that lacks only its line break is whole: the next write begins with one.
    if (at < head - 1) this.#unreported += missing;
    let end = head;
    const firstLost = lines.findIndex((line) => {
      end += Buffer.byteLength(line) + 1;
      return end - 1 > at;
    });
    if (firstLost !== -1) this.#lose(lines.length - firstLost);
    this.#failedLast = true;
    this.#finish(batch);
    if (!this.#failedBefore) this.#onError(error);
    this.#failedBefore = true;
  }

  #finish(batch: Batch): void {
    this.#bytes -= batch.bytes.length - batch.head;
    if (this.#batch === batch) this.#batch = undefined;
  }

  #lose(lines: number): void {
    this.#unreported += lines;
    this.dropped += lines;
  }
}

const sleeper = new Int32Array(new SharedArrayBuffer(4));

function isBusy(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EAGAIN";
}
