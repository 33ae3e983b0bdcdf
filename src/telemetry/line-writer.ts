import { Buffer } from "node:buffer";
import { close, write } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";

/** Where the bytes are written. A write may be partial; it resolves to the number of bytes written. */
export interface Disk {
  write(bytes: Buffer, from: number): Promise<number>;
  close(): Promise<void>;
}

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

const defaultCapacity = 8 * 1024 * 1024;
const retryAfter = 20;
const defaultCloseWithin = 5_000;

const newline = 0x0a;

const writeTo = promisify(write);
const closeFile = promisify(close);

/** Writes to an open file descriptor. Closing leaves the standard streams open. */
export function diskOf(fd: number): Disk {
  return {
    write: async (bytes, from) => (await writeTo(fd, bytes, from)).bytesWritten,
    close: async () => (fd > 2 ? closeFile(fd) : undefined),
  };
}

/** Appends lines without blocking the caller. Lines that do not fit into the buffer are dropped and counted. */
export class LineWriter {
  readonly #disk: Disk;
  readonly #capacity: number;
  readonly #closeWithin: number;
  readonly #missing: (count: number) => string;
  readonly #onError: (error: unknown) => void;
  #lines: string[] = [];
  #bytes = 0;
  #dropped = 0;
  #running: Promise<void> | null = null;
  #closed = false;
  #abandoned = false;
  #failedBefore = false;
  /** Whether the file ends in the middle of a line. Then the next write begins with a line break. */
  #torn = false;

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
      this.#dropped++;
      return;
    }
    this.#lines.push(line);
    this.#bytes += bytes;
    this.#running ??= this.#run();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#dropped > 0) this.#running ??= this.#run();
    const timer = new AbortController();
    const deadline = delay(this.#closeWithin, undefined, { signal: timer.signal }).catch(() => {});
    await Promise.race([this.#running, deadline]);
    timer.abort();
    this.#abandoned = true;
    if (this.#running === null) await this.#disk.close().catch(this.#onError);
  }

  async #run(): Promise<void> {
    // All lines of one tick are written together.
    await new Promise((resolve) => setImmediate(resolve));
    let written: boolean;
    do {
      written = await this.#writeBatch();
    } while (this.#lines.length > 0 || (written && this.#dropped > 0));
    this.#running = null;
  }

  /** Whether the whole batch was written. */
  async #writeBatch(): Promise<boolean> {
    const lines = this.#lines;
    const missing = this.#dropped;
    this.#lines = [];
    this.#dropped = 0;
    const notice = missing > 0 ? `${this.#missing(missing)}\n` : "";
    const head = (this.#torn ? "\n" : "") + notice;
    const batch = Buffer.from(head + lines.map((line) => `${line}\n`).join(""));
    const waited = batch.length - Buffer.byteLength(head);
    let written = 0;
    try {
      while (written < batch.length) written += await this.#writeSome(batch, written);
      this.#torn = false;
      return true;
    } catch (error) {
      if (written > 0) this.#torn = batch[written - 1] !== newline;
      // A partly written line counts as missing, unless it lacks only its line break: the next write begins with one.
      const kept = written > 0 && batch[written] === newline ? written + 1 : written;
      this.#dropped += kept < Buffer.byteLength(head) ? missing + lines.length : lineEnds(batch, kept);
      if (!this.#failedBefore) this.#onError(error);
      this.#failedBefore = true;
      return false;
    } finally {
      this.#bytes -= waited;
    }
  }

  async #writeSome(batch: Buffer, from: number): Promise<number> {
    for (;;) {
      try {
        return await this.#disk.write(batch, from);
      } catch (error) {
        // A full non-blocking pipe reports EAGAIN.
        if (this.#abandoned || !isBusy(error)) throw error;
        await delay(retryAfter);
      }
    }
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EAGAIN";
}

function lineEnds(bytes: Buffer, from: number): number {
  let count = 0;
  for (let at = bytes.indexOf(newline, from); at !== -1; at = bytes.indexOf(newline, at + 1)) count++;
  return count;
}
