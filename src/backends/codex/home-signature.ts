import { stat } from "node:fs/promises";
import { join } from "node:path";

/** What Codex reads of a home, and what must be kept from it. */
const files = ["auth.json", "config.toml", ".env", "AGENTS.md", "AGENTS.override.md"];

/** Changes when somebody logs in, sets another provider, or writes instructions. */
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
