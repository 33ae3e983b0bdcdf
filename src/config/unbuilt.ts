import { isDeepStrictEqual } from "node:util";
import { isMapping } from "./mapping.ts";
import { formatPath, type Mistake, type Path } from "./mistake.ts";
import { turnDefaults } from "./resolve.ts";
import { type Settings, settingsSchema } from "./schema.ts";

/** What this version is made of, as its other rooms know it. */
export interface Parts {
  /** The names of the dialects that there are. */
  dialects: readonly string[];
}

interface Unbuilt {
  /** `*` is every entry of a mapping or a list. */
  path: string;
  /** The part that is missing, as the beginning of a sentence. */
  part: string;
  /** Whether the value asks for nothing that is missing. */
  accepts: (value: unknown) => boolean;
}

const defaults = settingsSchema.parse({});

/** Keys whose part does not exist yet. They may be written where they are off or at their default. */
const table: Unbuilt[] = [
  ...row(["keys.*.tools"], "tools of a key are", only()),
  ...row(perTurn("emit"), "<use_tool> blocks are", only("structured", turnDefaults.emit)),
  ...row(["tools.enabled"], "tools that the gateway runs are", only(true, false)),
  ...row(["tools.execution"], "tools that the gateway runs are", only("client", defaults.tools.execution)),
  ...rest("tools", "tools that the gateway runs are"),
  ...rest("use_tool", "<use_tool> blocks are"),
  ...rest("rails", "rails are"),
  ...row(["store.url"], "the store is", only("memory:", defaults.store.url)),
  ...rest("store", "the store is"),
  ...rest("coordination", "coordination is"),
  ...row(["telemetry.otlp"], "OpenTelemetry is", only(null)),
];

/** The keys that ask for a part that is not there. */
export function findUnbuilt(settings: Settings): Mistake[] {
  const off = (path: string) =>
    (path.startsWith("tools.") && !settings.tools.enabled) ||
    (path.startsWith("store.") && settings.store.url === "memory:");
  const missing = table.filter(({ path }) => !off(path));
  return missing.flatMap(({ path, part, accepts }) =>
    matches(settings, path.split("."))
      .filter(({ value }) => !accepts(value))
      .map((match) => ({
        path: formatPath(match.path),
        message: `${part} not built yet; leave this key out`,
      })),
  );
}

function row(paths: readonly string[], part: string, accepts: (value: unknown) => boolean): Unbuilt[] {
  return paths.map((path) => ({ path, part, accepts }));
}

/** Every key of a section that has no row of its own, at its default only. */
function rest(section: "tools" | "use_tool" | "rails" | "store" | "coordination", part: string): Unbuilt[] {
  const own = ["tools.enabled", "tools.execution", "store.url"];
  return Object.entries(defaults[section])
    .map(([key, value]) => ({ path: `${section}.${key}`, part, accepts: only(value) }))
    .filter(({ path }) => !own.includes(path));
}

function perTurn(key: string): string[] {
  return ["turn", "backends.*", "models.*", "backends.*.turn", "models.*.turn"].map((place) => `${place}.${key}`);
}

function only(...values: unknown[]): (value: unknown) => boolean {
  return (value) => values.some((accepted) => isDeepStrictEqual(value, accepted));
}

interface Match {
  path: Path;
  value: unknown;
}

/** What is written at a path with `*` in it. */
function matches(value: unknown, [step, ...rest]: readonly string[], path: Path = []): Match[] {
  if (step === undefined) return value === undefined ? [] : [{ path, value }];
  if (Array.isArray(value))
    return step === "*" ? value.flatMap((entry, at) => matches(entry, rest, [...path, at])) : [];
  if (!isMapping(value)) return [];
  const names = step === "*" ? Object.keys(value) : [step];
  return names.flatMap((name) => matches(value[name], rest, [...path, name]));
}
