import { homedir } from "node:os";
import { resolve } from "node:path";
import type {
  BackendConfig,
  BreakerConfig,
  Config,
  KeyConfig,
  ModelConfig,
  RateConfig,
  SharedConfig,
  TimeoutsConfig,
  TurnConfig,
} from "./config.ts";
import { kindOf } from "./kinds/index.ts";
import type { ToAbsolute } from "./kinds/kind.ts";
import type { Settings } from "./schema.ts";

export const turnDefaults: TurnConfig = {
  keep_alive: 10_000,
  strict_failure: "error",
  reask: 0,
  repair: true,
  profile: "openai",
  emit: "auto",
  ids: "random",
};

export const timeoutDefaults: TimeoutsConfig = {
  connect: 5_000,
  first_content: 300_000,
  idle: 120_000,
  total: 1_800_000,
};

export const breakerDefaults: BreakerConfig = { failures: 5, window: 30_000, cooldown: 15_000 };

/** The default rate of a key. Without keys there is no default limit. */
export const perKeyDefault: RateConfig = { requests: 600, per: 60_000 };

export const retriesDefault = 2;

type BackendSettings = Settings["backends"][string];
type ModelSettings = Settings["models"][string];
type SharedSettings = Pick<BackendSettings, keyof SharedConfig> & Partial<WrittenTurn>;
type WrittenTurn = Settings["turn"];

/** Merges the levels (defaults, turn, backend, model) and makes every path absolute. */
export function resolveSettings(settings: Settings, directory: string, assumed: boolean): Config {
  const path = (written: string) => absolute(written, directory);
  const turn = merge(turnDefaults, settings.turn);
  const backends = mapValues(settings.backends, (backend) => resolveBackend(backend, turn, path));
  const { tools, rails, store, telemetry, limits, keys } = settings;
  return {
    ...settings,
    keys: keys.map(resolveKey),
    backends,
    models: mapValues(settings.models, (model, name) => resolveModel(model, name, backends, path)),
    assumed,
    turn,
    tools: { ...tools, modules: tools.modules.map(path) },
    rails: { ...rails, apply_patch: rails.apply_patch === null ? null : path(rails.apply_patch) },
    store: { ...store, url: store.url.replace(/^sqlite:(.+)$/s, (_, file: string) => `sqlite:${path(file)}`) },
    limits: {
      ...limits,
      per_key: limits.per_key === undefined && keys.length > 0 ? perKeyDefault : (limits.per_key ?? null),
      per_stored_key: limits.per_key === undefined ? perKeyDefault : limits.per_key,
    },
    telemetry: { ...telemetry, events: isFile(telemetry.events) ? path(telemetry.events) : telemetry.events },
  };
}

function resolveBackend(backend: BackendSettings, turn: TurnConfig, toAbsolute: ToAbsolute): BackendConfig {
  const shared = mergeShared(backend, {
    tools: "native",
    dialects: "auto",
    timeouts: timeoutDefaults,
    breaker: breakerDefaults,
    retries: retriesDefault,
    turn,
  });
  return { ...shared, ...kindOf(backend).resolve(backend, toAbsolute) };
}

function resolveModel(
  model: ModelSettings,
  name: string,
  backends: Record<string, BackendConfig>,
  toAbsolute: ToAbsolute,
): ModelConfig {
  const backend = backends[model.backend];
  if (backend === undefined) throw new Error(`models.${name}: its backend was not checked`);
  const kind = kindOf(backend);
  return {
    backend: model.backend,
    // A key that this kind of backend does not have is ignored.
    settings: { ...mergeShared(model, backend), ...kind.override(backend, model, toAbsolute) },
    model: model.model ?? kind.fixedModels?.main ?? name,
    fallback: model.fallback,
  };
}

function mergeShared(written: SharedSettings, base: SharedConfig): SharedConfig {
  return {
    tools: written.tools ?? base.tools,
    dialects: written.dialects ?? base.dialects,
    timeouts: merge(base.timeouts, written.timeouts),
    breaker: merge(base.breaker, written.breaker),
    retries: written.retries ?? base.retries,
    turn: merge(merge(base.turn, written), written.turn),
  };
}

/** The base, overridden by the written values. Keys that the base does not have are dropped. */
function merge<T extends object>(base: T, written: { [Key in keyof T]?: T[Key] | undefined }): T {
  const merged = { ...base };
  for (const key in base) {
    const value = written[key];
    if (value !== undefined) merged[key] = value;
  }
  return merged;
}

/** The default name of a key. */
export function usualKeyName(index: number): string {
  return `key-${index + 1}`;
}

function resolveKey(written: Settings["keys"][number], index: number): KeyConfig {
  const { name = usualKeyName(index), key, hash, models, tools, per_key, expires } = written;
  return {
    name,
    ...(key !== undefined && { key }),
    ...(hash !== undefined && { hash }),
    ...(models && { models }),
    ...(tools && { tools }),
    ...(per_key !== undefined && { per_key }),
    ...(expires && { expires }),
  };
}

function mapValues<From, To>(from: Record<string, From>, map: (value: From, name: string) => To): Record<string, To> {
  const to: Record<string, To> = Object.create(null);
  for (const [name, value] of Object.entries(from)) to[name] = map(value, name);
  return to;
}

function isFile(events: string): boolean {
  return events !== "none" && events !== "stdout";
}

function absolute(written: string, directory: string): string {
  return resolve(
    directory,
    written.replace(/^~(?=$|[/\\])/, () => homedir()),
  );
}
