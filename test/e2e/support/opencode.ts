import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { isObject, type JsonObject, parseJson } from "../../../src/turn/index.ts";
import type { Api } from "../../support/api.ts";

const opencodePackage = fileURLToPath(new URL("../node_modules/opencode-ai/", import.meta.url));
// Its name is the same on every system.
const binary = join(opencodePackage, "bin", "opencode.exe");
const manifest = parseJson(readFileSync(join(opencodePackage, "package.json"), "utf8"));
export const opencodeVersion = isObject(manifest) ? String(manifest.version) : "";

/** The package of the AI SDK with which opencode speaks an API. Both are in its binary. */
const speakers: Record<Api, string> = { chat: "@ai-sdk/openai-compatible", responses: "@ai-sdk/openai" };

/** What a run printed, and how it ended. */
export interface Run {
  code: number | null;
  output: string;
  errors: string;
}

/** The real opencode, as this package pins it, in a home of its own. */
export interface Opencode {
  /** Where it works: what its tools write is here. */
  folder: string;
  run(model: string, prompt: string): Promise<Run>;
  remove(): void;
}

/** What a person writes into `opencode.json`. */
export function opencodeConfig(gateway: { url: string }, api: Api, models: readonly string[]): JsonObject {
  const options = { baseURL: `${gateway.url}/v1`, apiKey: "none" };
  const known = Object.fromEntries(models.map((model) => [model, {}]));
  return { provider: { toolwire: { npm: speakers[api], name: "Toolwire", options, models: known } } };
}

export function opencode(config: JsonObject): Opencode {
  const place = mkdtempSync(join(tmpdir(), "toolwire-opencode-"));
  const folder = join(place, "work");
  const scratch = join(place, "scratch");
  for (const name of [folder, scratch]) mkdirSync(name);
  const environment = {
    PATH: process.env.PATH,
    ...homesIn(place),
    TMPDIR: scratch,
    OPENCODE_CONFIG_CONTENT: JSON.stringify(config),
    // What it would ask the net for: the list of all models, a newer version, plugins, and the types to write some.
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_PURE: "1",
    npm_config_offline: "true",
  };
  return {
    folder,
    async run(model, prompt) {
      const child = spawn(binary, ["run", "--model", `toolwire/${model}`, prompt], {
        ...{ cwd: folder, env: environment, timeout: 50_000, killSignal: "SIGKILL" },
        stdio: ["ignore", "pipe", "pipe"],
      });
      const ended = once(child, "exit") as Promise<[number | null]>;
      const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
      return { code, output, errors };
    },
    remove: () => rmSync(place, { recursive: true, force: true, maxRetries: 10 }),
  };
}

/** All the places where it keeps something; those of XDG could be set where the tests run. */
function homesIn(place: string): Record<string, string> {
  const names = ["CONFIG", "DATA", "STATE", "CACHE"];
  const homes = names.map((name) => [`XDG_${name}_HOME`, join(place, name.toLowerCase())]);
  return { HOME: place, ...Object.fromEntries(homes) };
}
