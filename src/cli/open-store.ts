import { existsSync } from "node:fs";
import { type Config, maskedStoreUrl, outlivesProcess, storeFile } from "../config/index.ts";
import { type Store, type StoredKey, StoreError } from "../store/store.ts";
import type { Log } from "../turn/index.ts";
import { displayPath, loadOrExplain } from "./load.ts";
import { Refusal } from "./refusal.ts";

export interface OpenStore {
  store: Store;
  config: Config;
}

/**
 * Loads the configuration, opens its store, and closes it after the work. A file that does not exist is created only by commands
 * that write; for the others `ifAbsent` returns the exit code.
 */
export async function withStore(
  file: string | undefined,
  work: (opened: OpenStore) => Promise<number>,
  ifAbsent?: (config: Config) => number,
): Promise<number> {
  const loaded = await loadOrExplain(file === undefined ? {} : { file });
  if (loaded === null) return 1;
  const { config } = loaded;
  if (!outlivesProcess(config.store.url))
    throw new Refusal("store.url is memory:, which no other process can read; set it to sqlite:PATH or postgres://…");
  if (ifAbsent && isAbsent(config)) return ifAbsent(config);
  return useStore(config, (store) => work({ store, config }));
}

/** What a store says about its keys. */
export interface StoredKeys {
  keys: readonly StoredKey[];
  /** Why they are not known; `null` if they are. */
  trouble: string | null;
}

/** The keys of the store. A file that does not exist has none, and is not created. */
export async function storedKeys(config: Config): Promise<StoredKeys> {
  if (!outlivesProcess(config.store.url) || isAbsent(config)) return { keys: [], trouble: null };
  try {
    return { keys: await useStore(config, (store) => store.keys()), trouble: null };
  } catch (error) {
    if (error instanceof Refusal) return { keys: [], trouble: error.message };
    throw error;
  }
}

/** Refuses, because the file of the store does not exist. */
export function refuseAbsent(config: Config): never {
  throw new Refusal(`there is no store yet: ${placeOf(config)} does not exist`);
}

/** The store's place, without secrets. */
export function placeOf({ store: { url } }: Config): string {
  const file = storeFile(url);
  return file === undefined ? maskedStoreUrl(url) : displayPath(file);
}

function isAbsent({ store }: Config): boolean {
  const file = storeFile(store.url);
  return file !== undefined && !existsSync(file);
}

async function useStore<Result>({ store: { url } }: Config, work: (store: Store) => Promise<Result>): Promise<Result> {
  // Imported on demand, because the drivers take a while to load.
  const { openStore } = await import("../store/open.ts");
  let store: Store | undefined;
  // The thread of SQLite does not keep a process alive.
  const alive = setInterval(() => {}, 60_000);
  try {
    // Expiry is the work of gateways: a command must not delete what it is about to show.
    const opened = await openStore({ url, keep: null, log: silent });
    store = opened;
    return await work(opened);
  } catch (error) {
    throw error instanceof StoreError ? new Refusal(asClause(error.message)) : error;
  } finally {
    await store?.close();
    clearInterval(alive);
  }
}

/** A sentence of the store, in the form of the sentences of commands. */
export function asClause(sentence: string): string {
  return sentence.replace(/^(?:The|There|This)\b/, (word) => word.toLowerCase()).replace(/\.$/, "");
}

const nothing = () => {};
const silent: Log = { isLevelEnabled: () => false, debug: nothing, info: nothing, warn: nothing, error: nothing };
