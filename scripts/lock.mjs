import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** The holder touches its lock this often; one that was not touched for `abandoned` belongs to nobody. */
const heartbeat = 2_000;
const abandoned = 20_000;
const poll = 100;

/**
 * Runs one thing at a time in a checkout, whoever starts it. The lock is a folder, because making one either succeeds or says that
 * it is there, on every file system.
 */
export async function withLock(folder, onWait, task) {
  const owner = await acquire(folder, onWait);
  const release = () => {
    if (readOwner(folder) === owner) rmSync(folder, { recursive: true, force: true });
  };
  const beat = setInterval(() => touch(folder), heartbeat);
  process.once("exit", release);
  try {
    return await task();
  } finally {
    clearInterval(beat);
    process.removeListener("exit", release);
    release();
  }
}

async function acquire(folder, onWait) {
  const owner = JSON.stringify({ host: hostname(), pid: process.pid, id: randomUUID() });
  mkdirSync(dirname(folder), { recursive: true });
  for (let waited = 0; ; waited += poll) {
    try {
      mkdirSync(folder);
      writeFileSync(join(folder, "owner"), owner);
      return owner;
    } catch (error) {
      if (error.code !== "EEXIST" && error.code !== "ENOENT") throw error;
    }
    const holder = readOwner(folder);
    if (isAbandoned(folder, holder)) takeAway(folder, holder);
    else {
      if (waited === 10 * poll) onWait();
      await sleep(poll);
    }
  }
}

function isAbandoned(folder, holder) {
  try {
    if (Date.now() - statSync(folder).mtimeMs > abandoned) return true;
  } catch {
    return false;
  }
  if (holder === null) return false;
  const { host, pid } = JSON.parse(holder);
  return host === hostname() && !isRunning(pid);
}

/** Renaming takes a lock away from all others at once; if its owner has changed meanwhile, it is given back. */
function takeAway(folder, holder) {
  const aside = `${folder}.${randomUUID()}`;
  try {
    renameSync(folder, aside);
  } catch {
    return;
  }
  if (readOwner(aside) !== holder && !existsSync(folder)) renameSync(aside, folder);
  else rmSync(aside, { recursive: true, force: true });
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

function readOwner(folder) {
  try {
    return readFileSync(join(folder, "owner"), "utf8") || null;
  } catch {
    return null;
  }
}

function touch(folder) {
  const now = new Date();
  try {
    utimesSync(folder, now, now);
  } catch {
    // Somebody removed the lock by hand; the work goes on.
  }
}
