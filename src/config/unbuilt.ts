import { isDeepStrictEqual } from "node:util";
import { isMapping } from "./mapping.ts";
import { formatPath, type Mistake, type Path } from "./mistake.ts";
import { turnDefaults } from "./resolve.ts";
import { type Settings, settingsSchema } from "./schema.ts";

/** What this version supports, as far as other rooms define it. */
export interface Parts {
  /** The names of all dialects. */
  dialects: readonly string[];
}

interface Unbuilt {
  /** `*` matches every entry of a mapping or a list. */
  path: string;
  /** The missing part, as the beginning of a sentence. */
  part: string;
  /** Whether the value does not need the missing part. */
  accepts: (value: unknown) => boolean;
}

const defaults = settingsSchema.parse({});

/** Keys for parts that do not exist yet. They are accepted if they are off or at their default. */
const table: Unbuilt[] = [
  ...row(["keys.*.tools"], "tools of a key are", only()),
  ...row(perTurn("emit"), "<use_tool> blocks are", only("structured", turnDefaults.emit)),
  ...row(["tools.enabled"], "tools that the gateway runs are", only(true, false)),
  ...row(["tools.execution"], "tools that the gateway runs are", only("client", defaults.tools.execution)),
  ...rest("tools", "tools that the gateway runs are"),
  ...rest("use_tool", "<use_tool> blocks are"),
  ...rest("rails", "rails are"),
  ...rest("coordination", "coordination is"),
  ...row(["telemetry.otlp"], "OpenTelemetry is", only(null)),
];

/** Reports the keys that need a part that does not exist yet. */
export function findUnbuilt(settings: Settings): Mistake[] {
  const off = (path: string) => path.startsWith("tools.") && !settings.tools.enabled;
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

/** A row for every other key of a section. It accepts only the default. */
function rest(section: "tools" | "use_tool" | "rails" | "coordination", part: string): Unbuilt[] {
  const own = ["tools.enabled", "tools.execution"];
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

/** All values at a path that may contain `*`. */
function matches(value: unknown, [step, ...rest]: readonly string[], path: Path = []): Match[] {
  if (step === undefined) return value === undefined ? [] : [{ path, value }];
  if (Array.isArray(value))
    return step === "*" ? value.flatMap((entry, at) => matches(entry, rest, [...path, at])) : [];
  if (!isMapping(value)) return [];
  const names = step === "*" ? Object.keys(value) : [step];
  return names.flatMap((name) => matches(value[name], rest, [...path, name]));
}
