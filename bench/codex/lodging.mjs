import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder that is there until this process ends. */
export function createFolder() {
  const folder = mkdtempSync(join(tmpdir(), "toolwire-bench-codex-"));
  // Codex may still be writing its last lines.
  process.once("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  return folder;
}

/**
 * A folder for a Codex and everything that it writes: its home, with the scripted provider as the home's own, and the folder for
 * temporary files of this process and those that it starts.
 */
export function createLodging(provider) {
  const folder = createFolder();
  const [home, temporary] = ["home", "temporary"].map((name) => join(folder, name));
  for (const made of [home, temporary]) mkdirSync(made);
  writeFileSync(join(home, "config.toml"), configOf(provider));
  process.env.TMPDIR = temporary;
  return { folder, home, temporary };
}

function configOf(provider) {
  return `model = "bench-model"
model_provider = "bench"

[model_providers.bench]
name = "Bench"
base_url = "${provider}/v1"
wire_api = "responses"
experimental_bearer_token = "provider-secret"
`;
}
