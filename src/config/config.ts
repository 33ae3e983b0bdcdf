import type { BackendKindName, OwnSettings } from "./kinds/index.ts";
import type { Settings } from "./schema.ts";

/** The resolved configuration: durations in milliseconds, sizes in bytes, absolute paths, all levels merged. */
export interface Config extends Omit<Settings, "keys" | "backends" | "models" | "turn" | "limits"> {
  keys: KeyConfig[];
  /** By name. The object has no prototype, so names from clients are safe to look up. */
  backends: Record<string, BackendConfig>;
  /** By public name; like `backends`. */
  models: Record<string, ModelConfig>;
  /** Whether the configuration names no backends, so that the ones found on this machine are used. */
  assumed: boolean;
  turn: TurnConfig;
  limits: Settings["limits"] & {
    per_key: RateConfig | null;
    /** The rate of stored keys without their own. The file does not say whether there are any. */
    per_stored_key: RateConfig | null;
  };
}

export interface RateConfig {
  requests: number;
  per: number;
}

/** A key of the gateway: the key itself or its hash, never both. */
export interface KeyConfig {
  name: string;
  key?: string;
  /** `sha256:` and 64 hexadecimal digits. */
  hash?: string;
  /** Absent: every model. */
  models?: string[];
  /** Absent: every tool. */
  tools?: string[];
  /** Absent: `limits.per_key`. `null`: no limit. */
  per_key?: RateConfig | null;
  expires?: Date;
}

export interface TurnConfig {
  keep_alive: number;
  strict_failure: "error" | "message";
  reask: number;
  repair: boolean;
  profile: "openai" | "extended";
  emit: "auto" | "structured" | "use_tool";
  ids: "random" | "sequential";
}

export interface TimeoutsConfig {
  connect: number;
  first_content: number;
  idle: number;
  total: number;
}

export interface BreakerConfig {
  failures: number;
  window: number;
  cooldown: number;
}

/** Settings of a backend that a model may override. */
export interface SharedConfig {
  tools: "native" | "prompted";
  dialects: "auto" | "none" | string[];
  timeouts: TimeoutsConfig;
  breaker: BreakerConfig;
  retries: number;
  turn: TurnConfig;
}

/** The settings of a backend: those of its kind, and those that every kind has. */
export type BackendConfig<Kind extends BackendKindName = BackendKindName> = {
  [Name in Kind]: { kind: Name } & OwnSettings<Name> & SharedConfig;
}[Kind];

export interface ModelConfig {
  backend: string;
  /** The backend's settings, overridden by those of the model. */
  settings: BackendConfig;
  /** The model's name at its backend. */
  model: string;
  fallback: string[];
}
