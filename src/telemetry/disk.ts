import type { Buffer } from "node:buffer";
import { close, closeSync, constants, fstatSync, openSync, statSync, write, writeSync } from "node:fs";
import { isatty } from "node:tty";
import { promisify } from "node:util";
import { isMainThread } from "node:worker_threads";

/**
 * Where lines are written. A write may be partial: its result is the number of bytes written. It fails with the code `EAGAIN`
 * while there is no room.
 */
export interface Disk {
  write(bytes: Buffer, from: number): number | Promise<number>;
  /** The same without waiting, for the last lines of a process. Absent if it could block the process. */
  writeNow?(bytes: Buffer, from: number): number;
  close(): Promise<void>;
}

const writeTo = promisify(write);
const closeFile = promisify(close);

/** Such a write to a pipe is never mixed with another process's, and is done as a whole or not at all (PIPE_BUF). */
const atomicWrite = 4_096;
const largestWrite = 65_536;
const newline = 0x0a;

/** Flags that Windows does not have are 0 there. */
const { O_WRONLY, O_APPEND, O_CREAT, O_NONBLOCK = 0, O_NOCTTY = 0 } = constants;
const forAppending = O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY;

/** A regular file. A disk may be slow, so the event loop does not wait for it. */
function fileDisk(fd: number): Disk {
  return {
    write: async (bytes, from) => (await writeTo(fd, bytes, from)).bytesWritten,
    writeNow: (bytes, from) => writeSync(fd, bytes, from),
    close: async () => (fd > 2 ? closeFile(fd) : undefined),
  };
}

/**
 * A descriptor whose writes fail with `EAGAIN` rather than wait. They are synchronous on purpose: a write that waits in libuv's
 * thread pool keeps the process from ending for as long as the reader is stopped.
 */
function pipeDisk(fd: number): Disk {
  const some = (bytes: Buffer, from: number) => writeSync(fd, bytes, from, pieceSize(bytes, from));
  return { write: some, writeNow: some, close: async () => (fd > 2 ? closeFile(fd) : undefined) };
}

/** A descriptor that may block, and cannot be changed. Only a thread of the pool waits for it. */
function blockingDisk(fd: number): Disk {
  return {
    write: async (bytes, from) => (await writeTo(fd, bytes, from)).bytesWritten,
    // At the end of the process the last lines matter more than a reader that may have stopped.
    writeNow: (bytes, from) => writeSync(fd, bytes, from),
    close: async () => {},
  };
}

/** As many whole lines as one atomic write can take, or a part of a longer line. */
function pieceSize(bytes: Buffer, from: number): number {
  const whole = bytes.subarray(from, from + atomicWrite).lastIndexOf(newline) + 1;
  if (whole > 0) return whole;
  const long = bytes.subarray(from, from + largestWrite);
  return long.indexOf(newline) + 1 || long.length;
}

/** A named pipe. While no program reads it, there is no room: its reader may start later, or start again. */
class NamedPipe implements Disk {
  readonly #path: string;
  readonly #onNoReader: () => void;
  #fd: number | undefined;
  #wasMissed = false;

  /** `fd`: the open pipe; `undefined` while nothing reads it. */
  constructor(path: string, fd: number | undefined, onNoReader: () => void) {
    this.#path = path;
    this.#fd = fd;
    this.#onNoReader = onNoReader;
    if (fd === undefined) this.#missReader();
  }

  write(bytes: Buffer, from: number): number {
    try {
      this.#fd ??= openSync(this.#path, forAppending);
      return writeSync(this.#fd, bytes, from, pieceSize(bytes, from));
    } catch (error) {
      if (!hasCode(error, "ENXIO", "EPIPE")) throw error;
      this.#missReader();
      throw Object.assign(new Error(`no program reads ${this.#path}`, { cause: error }), { code: "EAGAIN" });
    }
  }

  writeNow(bytes: Buffer, from: number): number {
    return this.write(bytes, from);
  }

  async close(): Promise<void> {
    if (this.#fd !== undefined) closeSync(this.#fd);
  }

  #missReader(): void {
    if (!this.#wasMissed) this.#onNoReader();
    this.#wasMissed = true;
  }
}

/** Opens a path to append to, without waiting. Only its owner can read a new file: it may contain what people wrote. */
export function openDisk(path: string, onNoReader: () => void): Disk {
  let fd: number;
  try {
    fd = openSync(path, forAppending | O_CREAT, 0o600);
  } catch (error) {
    // A socket gives the same error, and never has a reader at this path.
    if (hasCode(error, "ENXIO") && statSync(path).isFIFO()) return new NamedPipe(path, undefined, onNoReader);
    throw error;
  }
  const found = fstatSync(fd);
  if (found.isFIFO()) return new NamedPipe(path, fd, onNoReader);
  return found.isCharacterDevice() ? pipeDisk(fd) : fileDisk(fd);
}

/** Standard output or standard error, whatever it is connected to. */
export function standardDisk(fd: 1 | 2): Disk {
  let found: ReturnType<typeof fstatSync>;
  try {
    found = fstatSync(fd);
  } catch {
    // It is closed: writes fail and are counted.
    return pipeDisk(fd);
  }
  if (found.isFile()) return fileDisk(fd);
  // Other processes share the descriptor's flags and may change them, so one of our own is better. Linux alone gives one.
  const own = process.platform === "linux" ? reopened(fd) : undefined;
  if (own !== undefined) return pipeDisk(own);
  if (process.platform === "win32" || !isMainThread || isatty(fd)) return blockingDisk(fd);
  // Node makes pipes and sockets non-blocking when it creates its stream for them.
  void (fd === 1 ? process.stdout : process.stderr);
  return found.isFIFO() || found.isSocket() ? pipeDisk(fd) : blockingDisk(fd);
}

/** `undefined` for a socket, and for what belongs to another user. */
function reopened(fd: number): number | undefined {
  try {
    return openSync(`/proc/self/fd/${fd}`, forAppending);
  } catch {
    return undefined;
  }
}

function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && "code" in error && codes.some((code) => error.code === code);
}
