import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import type { Environment } from "./environment.ts";
import type { Mapping } from "./mapping.ts";

const openaiAddress = "https://api.openai.com/v1";

/**
 * What stands in for `backends` where a configuration has none, so that the gateway works before anything is set up: the demo,
 * OpenAI where the environment has a key for it, and Codex where it is installed.
 */
export function defaultBackends(environment: Environment): Mapping {
  const api_key = environment.OPENAI_API_KEY?.trim();
  const base_url = environment.OPENAI_BASE_URL?.trim() || openaiAddress;
  return {
    demo: { kind: "demo" },
    ...(api_key && { openai: { kind: "responses", base_url, api_key } }),
    ...(isCommand("codex", environment) && { codex: codexBackend(environment) }),
  };
}

function codexBackend({ CODEX_HOME: home }: Environment): Mapping {
  return { kind: "codex", ...(home?.trim() && { home: home.trim() }) };
}

/** Whether a shell would find it. */
function isCommand(name: string, { PATH = "" }: Environment): boolean {
  const folders = PATH.split(delimiter).filter(isAbsolute);
  const files = process.platform === "win32" ? [`${name}.exe`, `${name}.cmd`] : [name];
  return folders.some((folder) => files.some((file) => isProgram(join(folder, file))));
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

export const defaultModel = "demo";

/** Where a value of the default backends really comes from, for messages. */
export const defaultSources: ReadonlyMap<string, string> = new Map([
  ["backends.openai.base_url", "OPENAI_BASE_URL"],
  ["backends.openai.api_key", "OPENAI_API_KEY"],
]);
