import { accessSync, chmodSync, closeSync, constants, mkdirSync, openSync, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import { StoreError } from "./store.ts";

const onlyOwner = 0o600;

/**
 * Creates the file of a database, and its folder, so that only the owner can read it. SQLite creates the files beside it with the same
 * permissions. This must not run in several threads at once: closing a file that another thread has just locked would release the lock.
 * For the same reason a file that exists is not opened here.
 */
export function prepareSqliteFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const stats = statOf(path);
  if (!stats) createFile(path);
  else if (!stats.isFile()) throw new StoreError("refused", `${path} is not a file: store.url must name one.`);
  for (const file of [path, `${path}-wal`, `${path}-shm`]) narrow(file);
  // SQLite does not say why it cannot open a file.
  accessSync(path, constants.R_OK | constants.W_OK);
}

/** What tells a file from another one at the same path. */
export function identityOf(path: string): string | undefined {
  const stats = statOf(path);
  return stats && `${stats.dev}:${stats.ino}`;
}

function createFile(path: string): void {
  try {
    closeSync(openSync(path, "wx", onlyOwner));
  } catch (error) {
    // Another process was faster.
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
}

/** The permissions of a file of someone else are their decision. */
function narrow(path: string): void {
  const stats = statOf(path);
  const isOurs = stats !== undefined && process.getuid?.() === stats.uid;
  if (isOurs && (stats.mode & 0o077) !== 0) chmodSync(path, onlyOwner);
}

function statOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}
