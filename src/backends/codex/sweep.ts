import { lstat, opendir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isAbandoned } from "./folder-lock.ts";
import type { Notice } from "./notice.ts";

/** How the names of the folders begin that Codex processes work in. */
export const folderPrefix = "toolwire-codex-";

/** The most folders that one start removes. */
const most = 200;

let swept: Promise<void> | undefined;

/** Removes the folders that killed gateways have left behind. Once a process, in the background; a failure is only logged. */
export function sweepOnce(notice: Notice): Promise<void> {
  const onFailure = (error: unknown) =>
    notice("warn", { why: String(error) }, "could not remove a Codex folder that a killed gateway had left behind");
  swept ??= sweepFolders(tmpdir(), onFailure).then((folders) => {
    if (folders > 0) notice("info", { folders }, "removed Codex folders that killed gateways had left behind");
  }, onFailure);
  return swept;
}

/** Returns how many folders were removed. Only folders of this user whose owner is certainly gone are removed. */
export async function sweepFolders(parent: string, onFailure: (error: unknown) => void): Promise<number> {
  let removed = 0;
  for await (const { name } of await opendir(parent)) {
    const folder = join(parent, name);
    if (!name.startsWith(folderPrefix) || !(await isOurs(folder)) || !(await isAbandoned(folder))) continue;
    try {
      // Links in the folder are removed, and not what they lead to.
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
      removed++;
    } catch (error) {
      onFailure(error);
    }
    if (removed === most) break;
  }
  return removed;
}

/** Whether it is a folder, not a link, and belongs to this user. */
async function isOurs(folder: string): Promise<boolean> {
  const found = await lstat(folder).catch(() => undefined);
  return found?.isDirectory() === true && found.uid === process.getuid?.();
}
