export type {
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
export { readDate } from "./date.ts";
export { formatDuration, parseDuration } from "./duration.ts";
export type { Environment } from "./environment.ts";
export { type BackendKindName, backendKinds, isService, kindOf } from "./kinds/index.ts";
export type { FixedModels, OwnName } from "./kinds/kind.ts";
export { type LoadedConfig, type LoadOptions, loadConfig } from "./load.ts";
export { isLoopback } from "./loopback.ts";
export { ConfigError, type Mistake, mistakeLine } from "./mistake.ts";
export { didYouMean, nearestNames } from "./nearest.ts";
export { type ParseOptions, parseConfig, toConfig } from "./parse.ts";
export { formatSize, parseSize } from "./size.ts";
export { maskedStoreUrl, outlivesProcess, type StoreKind, storeFile, storeKind, storeSecrets } from "./store-url.ts";
export type { Parts } from "./unbuilt.ts";
