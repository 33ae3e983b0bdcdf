import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type Finished, type Running, run, start } from "./program.ts";

export interface StoredPrograms {
  /** The file of the store. */
  file: string;
  folder: string;
  run(...args: string[]): Promise<Finished>;
  start(...args: string[]): Running;
}

/** Programs that share one store. `more` is added to their configuration. */
export function withStore(more = ""): StoredPrograms {
  const folder = mkdtempSync(join(tmpdir(), "toolwire-store-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "kept.db");
  const files = { "toolwire.yaml": `store: { url: "sqlite:${file}" }\n${more}` };
  return { file, folder, run: (...args) => run(args, { files }), start: (...args) => start(args, { files }) };
}
