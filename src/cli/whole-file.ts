import { randomBytes } from "node:crypto";
import { createWriteStream, openSync, rmSync } from "node:fs";
import { rename } from "node:fs/promises";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Writes a file that only its owner can read. It gets its name when it is complete and on the disk; otherwise nothing is left of it. */
export async function writeWholeFile(text: Readable, path: string): Promise<void> {
  const unfinished = `${path}.${randomBytes(4).toString("hex")}.part`;
  const remove = () => rmSync(unfinished, { force: true });
  const ignoreSignals = onSignal(remove);
  try {
    // Opened without a pause, so that no signal comes before the file is there.
    const fd = openSync(unfinished, "wx", 0o600);
    await pipeline(text, createWriteStream(unfinished, { fd, flush: true }));
    await rename(unfinished, path);
  } catch (error) {
    remove();
    throw error;
  } finally {
    ignoreSignals();
  }
}

/** Cleans up at a signal that ends the process, which then ends as it would have without. Returns what undoes it. */
function onSignal(cleanUp: () => void): () => void {
  const undo = () => {
    for (const signal of signals) process.off(signal, end);
  };
  const end = (signal: NodeJS.Signals) => {
    cleanUp();
    undo();
    process.kill(process.pid, signal);
  };
  for (const signal of signals) process.on(signal, end);
  return undo;
}
