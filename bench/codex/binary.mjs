import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The real Codex, as the end-to-end tests pin it. */
const pinned = fileURLToPath(new URL("../../test/e2e/node_modules/@openai/codex/bin/codex.js", import.meta.url));

export const where = "the one of test/e2e, which npm run test:e2e installs";

/** Throws with a sentence that says how to get it. */
export function findCodex(path = pinned) {
  if (existsSync(path)) return path;
  const mend =
    path === pinned ? "npm run test:e2e installs it, or name one with --codex PATH" : "there is no such file";
  throw new Error(`Codex is not at ${path}: ${mend}`);
}
