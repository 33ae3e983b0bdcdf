import { createReadStream } from "node:fs";
import { access } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { Config } from "./config.ts";
import type { Environment } from "./environment.ts";
import { ConfigError } from "./mistake.ts";
import { type ParseOptions, parseConfig } from "./parse.ts";
import type { Parts } from "./unbuilt.ts";

export interface LoadOptions extends Parts {
  /** The value of `--config`. */
  file?: string;
  /** From the command line; it overrides the file. */
  listen?: { host?: string; port?: number };
  cwd?: string;
  environment?: Environment;
}

export interface LoadedConfig {
  config: Config;
  /** Null if there is no file and the defaults are used. */
  file: string | null;
}

const usualFile = "toolwire.yaml";
const largestFile = 1_024 ** 2;

/**
 * Reads the configuration from the first of: `--config`, `TOOLWIRE_CONFIG`, `toolwire.yaml` in the working directory, the defaults.
 * Throws a ConfigError that lists every mistake.
 */
export async function loadConfig(options: LoadOptions): Promise<LoadedConfig> {
  const { cwd = process.cwd(), environment = process.env } = options;
  const file = await findFile(options.file, cwd, environment);
  const parsing: ParseOptions = { ...options, environment, directory: file === null ? cwd : dirname(file) };
  try {
    return { config: parseConfig(file === null ? "" : await readText(file), parsing), file };
  } catch (error) {
    throw error instanceof ConfigError ? new ConfigError(error.mistakes, file) : error;
  }
}

async function findFile(named: string | undefined, cwd: string, environment: Environment): Promise<string | null> {
  const chosen = named ?? (environment.TOOLWIRE_CONFIG || undefined);
  if (chosen !== undefined) return resolve(cwd, chosen);
  const usual = resolve(cwd, usualFile);
  return access(usual).then(
    () => usual,
    () => null,
  );
}

/** Reads at most `largestFile` bytes, because a device such as /dev/zero has no end. */
async function readText(file: string): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of createReadStream(file, { end: largestFile })) {
      chunks.push(chunk);
      length += chunk.length;
    }
  } catch (error) {
    throw unreadable(reasonOf(error));
  }
  if (length > largestFile) throw unreadable("it is larger than 1mb");
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw unreadable("it is not UTF-8 text");
  }
}

function unreadable(reason: string): ConfigError {
  return new ConfigError([{ path: "", message: `cannot read the configuration: ${reason}` }]);
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ENOENT") return "there is no such file";
  if (code === "EISDIR") return "it is a folder";
  if (code === "EACCES") return "reading it is not permitted";
  return error instanceof Error ? error.message : String(error);
}
