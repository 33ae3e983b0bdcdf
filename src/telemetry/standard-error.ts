import type { DestinationStream } from "pino";
import { standardDisk } from "./disk.ts";
import { LineWriter } from "./line-writer.ts";

/** Milliseconds that the end of a gateway waits for the reader of its log, and that the end of the process may block for it. */
const [closeWithin, exitWithin] = [1_000, 250];

/** All gateways of a process share one writer: two would cut each other's lines when standard error is full. */
let writer: LineWriter | undefined;

/**
 * A destination that never waits for the reader of standard error. What is still buffered when the process ends is written then.
 * `missing` formats the line that reports how many lines were dropped.
 */
export function standardError(missing: (count: number) => string): DestinationStream & { flushSync(): void } {
  writer ??= create(missing);
  const lines = writer;
  return {
    write: (line) => lines.write(line.endsWith("\n") ? line.slice(0, -1) : line),
    // pino calls this after a fatal line.
    flushSync: () => lines.flushNow(exitWithin),
  };
}

/** Resolves when the reader of standard error has all log lines, or after a second. */
export async function flushLog(): Promise<void> {
  await writer?.flush(closeWithin);
}

export function droppedLogLines(): number {
  return writer?.dropped ?? 0;
}

function create(missing: (count: number) => string): LineWriter {
  // A log that cannot be written can tell nobody; the metric counts the lines.
  const created = new LineWriter({ disk: standardDisk(2), missing, onError: () => {} });
  process.on("exit", () => created.flushNow(exitWithin));
  return created;
}
