import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** Bytes of all files in a folder and below it. */
export function sizeOf(folder) {
  const files = readdirSync(folder, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile());
  return files.reduce((sum, { parentPath, path, name }) => sum + bytesOf(join(parentPath ?? path, name)), 0);
}

/** Codex removes files at any time. */
function bytesOf(file) {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
