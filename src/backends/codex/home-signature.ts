import { stat } from "node:fs/promises";
import { join } from "node:path";

/** The files that Codex reads from a home, and those that must be hidden from it. */
const files = ["auth.json", "config.toml", ".env", "AGENTS.md", "AGENTS.override.md"];

/** Changes when the operator logs in, sets another provider, or writes instructions. */
export function signatureOf(home: string): Promise<string> {
  return signatures(files.map((name) => join(home, name)));
}

export async function signatures(paths: readonly string[]): Promise<string> {
  const found = paths.map((path) =>
    stat(path).then(
      ({ mtimeMs, size }) => `${mtimeMs}:${size}`,
      () => "none",
    ),
  );
  return (await Promise.all(found)).join(" ");
}
