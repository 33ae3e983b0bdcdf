import { createHash } from "node:crypto";
import { createConnection, createServer } from "node:net";
import { hostname } from "node:os";
import { join } from "node:path";

/** How long a connection to a lock may take. The system answers for a process that is busy or stopped. */
const patience = 1_000;

/**
 * The lock is a socket that listens in the folder. The system closes it when the process ends, however it ends, so a refused
 * connection proves that the owner is gone; a process id may have a new owner, and means nothing in another container. The name
 * has the machine in it, because a socket in a folder of the network refuses all other machines.
 */
function lockOf(folder: string): string {
  const machine = createHash("sha256").update(hostname()).digest("hex").slice(0, 12);
  return join(folder, `owner-${machine}`);
}

/** Marks a folder as used for as long as this process lives, or until `release`. Without a lock the folder is never swept. */
export async function lockFolder(folder: string): Promise<{ release(): void }> {
  // Windows has no sockets in folders.
  if (process.platform === "win32") return { release() {} };
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => {
    // For example, if the path is too long for a socket.
    server.on("error", () => resolve());
    server.listen(lockOf(folder), resolve);
  });
  server.unref();
  return { release: () => void server.close(() => {}) };
}

/** Whether the folder was locked on this machine, by a process that is gone. */
export function isAbandoned(folder: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(lockOf(folder));
    const settle = (isGone: boolean) => {
      resolve(isGone);
      socket.destroy();
    };
    socket.setTimeout(patience, () => settle(false));
    socket.on("connect", () => settle(false));
    socket.on("error", (error: NodeJS.ErrnoException) => settle(error.code === "ECONNREFUSED"));
  });
}
