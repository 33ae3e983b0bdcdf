import { isAbsolute, relative } from "node:path";
import {
  ConfigError,
  type LoadedConfig,
  type LoadOptions,
  loadConfig,
  type Mistake,
  mistakeLine,
} from "../config/index.ts";
import { parts } from "../gateway/parts.ts";

/** Loads the configuration, or prints its mistakes, one per line, and returns null. */
export async function loadOrExplain(options: Pick<LoadOptions, "file" | "listen">): Promise<LoadedConfig | null> {
  try {
    return await loadConfig({ ...options, ...parts });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    printMistakes(error.file, error.mistakes);
    return null;
  }
}

export function printMistakes(file: string | null, mistakes: readonly Mistake[]): void {
  const source = file === null ? "toolwire" : displayPath(file);
  process.stderr.write(mistakes.map((mistake) => `${source}: ${mistakeLine(mistake)}\n`).join(""));
}

/** The path relative to the working directory, if the file is inside it. */
export function displayPath(file: string): string {
  const short = relative(process.cwd(), file);
  return short === "" || short.startsWith("..") || isAbsolute(short) ? file : short;
}
