import type { Config } from "./config.ts";
import { crossCheck } from "./cross-checks.ts";
import { defaultBackends, defaultModel } from "./defaults.ts";
import { type Environment, expandEnvironment } from "./environment.ts";
import { isMapping, type Mapping } from "./mapping.ts";
import { ConfigError, type Mistake } from "./mistake.ts";
import { resolveSettings } from "./resolve.ts";
import type { Settings } from "./schema.ts";
import { findUnbuilt, type Parts } from "./unbuilt.ts";
import { validate } from "./validate.ts";
import { parseYaml } from "./yaml.ts";

export interface ParseOptions extends Parts {
  environment: Environment;
  /** The base of relative paths. */
  directory: string;
  /** From the command line; it overrides the file. */
  listen?: { host?: string; port?: number };
}

/** Parses the text of a configuration file. Throws only a ConfigError, which lists every mistake. */
export function parseConfig(text: string, options: ParseOptions): Config {
  return toConfig(parseYaml(text), options);
}

/** Reads a configuration from plain values. Throws a ConfigError that lists every mistake. */
export function toConfig(value: unknown, options: ParseOptions): Config {
  const { dialects, environment, directory } = options;
  const expanded = expandEnvironment(value ?? {}, environment);
  const written = complete(expanded.value, options);
  const { settings, mistakes: invalid } = validate(written, expanded.failed);

  const mistakes = [...expanded.mistakes, ...invalid];
  if (settings !== undefined) {
    const parts = { dialects };
    const mistaken = (key: keyof Settings) => mistakes.some(({ path }) => isUnder(path, key));
    mistakes.push(...findUnbuilt(settings), ...crossCheck({ settings, written, mistaken, parts }));
    if (mistakes.length === 0) return resolveSettings(settings, directory, hasNoBackends(expanded.value));
  }
  const found = sortBySection(onePerKey(mistakes), written);
  throw new ConfigError(
    hasNoBackends(expanded.value) ? found.map((mistake) => atItsSource(mistake, environment)) : found,
  );
}

/** Adds the values of the environment and the command line. */
function complete(written: unknown, { environment, listen = {} }: ParseOptions): unknown {
  if (!isMapping(written)) return written;
  const completed: Mapping = { ...written };
  if (hasNoBackends(written)) {
    completed.backends = defaultBackends(environment).backends;
    completed.default_model = written.default_model ?? defaultModel;
  }
  overlay(completed, "listen", listen);
  if (/^(?:false|0)$/i.test(environment.ENABLE_TOOLS ?? "")) overlay(completed, "tools", { enabled: false });
  return completed;
}

/** Overrides values of a section, unless the section itself is invalid. */
function overlay(written: Mapping, key: string, values: Mapping): void {
  const section = written[key] ?? {};
  if (isMapping(section)) written[key] = { ...section, ...values };
}

function hasNoBackends(written: unknown): boolean {
  if (!isMapping(written)) return false;
  const backends = written.backends ?? {};
  return isMapping(backends) && Object.keys(backends).length === 0;
}

/** A value of a default backend may come from an environment variable. Then the message names the variable. */
function atItsSource({ path, message }: Mistake, environment: Environment): Mistake {
  return { path: defaultBackends(environment).sources.get(path) ?? path, message };
}

function isUnder(path: string, key: string): boolean {
  return path === key || path.startsWith(`${key}.`) || path.startsWith(`${key}[`);
}

/** Further mistakes of the same key mostly follow from the first one. */
function onePerKey(mistakes: readonly Mistake[]): Mistake[] {
  const first = new Map<string, Mistake>();
  for (const mistake of mistakes) if (!first.has(mistake.path)) first.set(mistake.path, mistake);
  return [...first.values()];
}

/** Sorts mistakes by the order of the sections in the file, not by the order of the checks. */
function sortBySection(mistakes: readonly Mistake[], written: unknown): Mistake[] {
  const sections = new Map(Object.keys(isMapping(written) ? written : {}).map((name, index) => [name, index]));
  const position = ({ path }: Mistake) => sections.get(path.split(/[.[]/, 1)[0] ?? "") ?? -1;
  return mistakes.toSorted((a, b) => position(a) - position(b));
}
