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
  /** What relative paths are relative to. */
  directory: string;
  /** From the command line; they win over the file. */
  listen?: { host?: string; port?: number };
}

/** A configuration from the text of its file. Throws a ConfigError with every mistake in it, and nothing else. */
export function parseConfig(text: string, options: ParseOptions): Config {
  return toConfig(parseYaml(text), options);
}

/** A configuration from plain values, such as YAML gives. Throws a ConfigError with every mistake in it. */
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

/** What the environment and the command line add to what is written. */
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

/** Lays values over a section, unless the section is a mistake itself. */
function overlay(written: Mapping, key: string, values: Mapping): void {
  const section = written[key] ?? {};
  if (isMapping(section)) written[key] = { ...section, ...values };
}

function hasNoBackends(written: unknown): boolean {
  if (!isMapping(written)) return false;
  const backends = written.backends ?? {};
  return isMapping(backends) && Object.keys(backends).length === 0;
}

/** A value of the default backends may come from a variable, and is to be mended there. */
function atItsSource({ path, message }: Mistake, environment: Environment): Mistake {
  return { path: defaultBackends(environment).sources.get(path) ?? path, message };
}

function isUnder(path: string, key: string): boolean {
  return path === key || path.startsWith(`${key}.`) || path.startsWith(`${key}[`);
}

/** The first mistake of a key is the cause of those that follow. */
function onePerKey(mistakes: readonly Mistake[]): Mistake[] {
  const first = new Map<string, Mistake>();
  for (const mistake of mistakes) if (!first.has(mistake.path)) first.set(mistake.path, mistake);
  return [...first.values()];
}

/** By section, as the file has them; the order of the checks is nothing to a reader. */
function sortBySection(mistakes: readonly Mistake[], written: unknown): Mistake[] {
  const sections = new Map(Object.keys(isMapping(written) ? written : {}).map((name, index) => [name, index]));
  const place = ({ path }: Mistake) => sections.get(path.replace(/[.[].*$/s, "")) ?? -1;
  return mistakes.toSorted((a, b) => place(a) - place(b));
}
