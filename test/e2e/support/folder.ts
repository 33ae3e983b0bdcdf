import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder of its own, for a SQLite file. */
export interface Folder {
  path: string;
  /** What a configuration has as `store`. */
  store: { url: string };
  remove(): void;
}

export function createFolder(): Folder {
  const path = mkdtempSync(join(tmpdir(), "toolwire-e2e-"));
  return {
    path,
    store: { url: `sqlite:${join(path, "kept.db")}` },
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}
