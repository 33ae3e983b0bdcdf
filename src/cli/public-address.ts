import { type Config, isLoopback, type Mistake } from "../config/index.ts";
import type { StoredKey } from "../store/store.ts";
import type { StoredKeys } from "./open-store.ts";

/** Whether only keys of the store could let the gateway listen on its address. */
export function needsStoredKeys({ listen, keys }: Config): boolean {
  return !isLoopback(listen.host) && keys.length === 0;
}

/** An address that other machines can reach needs a key in the file or in the store. Returns null if it has one. */
export function findMissingKeys(config: Config, { keys, trouble }: StoredKeys, now: number): Mistake | null {
  if (!needsStoredKeys(config) || keys.some((key) => isInForce(key, now))) return null;
  const known = trouble === null ? "" : `, and those of the store are not known (${trouble})`;
  const needed = `${JSON.stringify(config.listen.host)} can be reached from other machines, so a key is needed${known}`;
  return { path: "listen.host", message: `${needed}; set keys in the configuration, or run toolwire keys create NAME` };
}

export function isInForce({ revokedAt, expiresAt }: StoredKey, now: number): boolean {
  return revokedAt === null && (expiresAt === null || now < expiresAt);
}
