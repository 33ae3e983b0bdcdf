export { sentences } from "./failures.ts";
export { InProcessMemory, type InProcessMemoryOptions } from "./in-process-memory.ts";
export { MemoryWithFallback } from "./memory-with-fallback.ts";
export { type OpenStoreOptions, openStore } from "./open.ts";
export {
  type ExportedRow,
  type ImportCount,
  type Store,
  type StoredKey,
  StoreError,
  type StoreFailure,
  type StoreStats,
  type UsageRow,
} from "./store.ts";
