import type { Environment } from "./environment.ts";
import { backendKinds } from "./kinds/index.ts";
import type { Mapping } from "./mapping.ts";
import { formatPath } from "./mistake.ts";

export const defaultModel = "demo";

export interface DefaultBackends {
  backends: Mapping;
  /** The environment variables that the values come from, by path, for messages. */
  sources: ReadonlyMap<string, string>;
}

/**
 * The backends for a configuration without any: those that the kinds find on this machine. So the gateway works before anything is
 * set up. The backend of the default model comes first.
 */
export function defaultBackends(environment: Environment): DefaultBackends {
  const found = Object.values(backendKinds).flatMap(({ name: kind, find }) => {
    const backend = find?.(environment);
    return backend ? [{ kind, ...backend }] : [];
  });
  const rank = ({ name }: { name: string }) => (name === defaultModel ? 0 : 1);
  const entries = found
    .toSorted((a, b) => rank(a) - rank(b))
    .map(({ kind, name, settings }) => [name, { kind, ...settings }]);
  const sources = found.flatMap(({ name, sources = {} }) =>
    Object.entries(sources).map(([key, variable]): [string, string] => [formatPath(["backends", name, key]), variable]),
  );
  return { backends: Object.fromEntries(entries), sources: new Map(sources) };
}
