import { createHash, timingSafeEqual } from "node:crypto";
import { type Key, type KeyEntry, type KnownKey, knownKey, knownStoredKey, type StoredKeyEntry } from "./key-entry.ts";
import type { Rate } from "./rate-limits.ts";

/**
 * missing: no header. malformed: not `Bearer <key>`. expired: a known key after its expiry date. unread: it depends on the keys of
 * the store, which are not known yet.
 */
export type KeyRefusal = "missing" | "malformed" | "unknown" | "expired" | "revoked" | "unread";

export type Identity = { ok: true; key: Key } | { ok: false; reason: KeyRefusal };

export interface Keyring {
  /**
   * Whether there are no keys. Then every client on loopback is accepted, and Authorization headers are ignored. A revoked key is a
   * key too: revoking the last one must not open the gateway. Neither must a store that cannot be read, or that has lost its keys.
   */
  readonly open: boolean;
  /** Finds the key of an `Authorization` header. Check `open` first: an open keyring finds none. */
  identify(authorization: string | undefined, now: Date): Identity;
  /** Replaces the keys of the store. */
  setStored(keys: readonly StoredKeyEntry[]): void;
}

export interface KeyringOptions {
  /** Whether a store may hold keys. Until `setStored` it is not known whether there are any. */
  hasStore?: boolean;
  /** Whether clients need no key if there is none: only on loopback. */
  mayOpen?: boolean;
  /** The rate of stored keys without their own. */
  storedRate?: Rate | null;
}

/** More than any key needs. Longer headers are not hashed. */
const maxToken = 4_096;
const bearer = /^bearer +(\S+)$/i;

/** Keys of the file, which stay as they are, and keys of the store. A key that is in both is the file's. */
export function createKeyring(
  keys: readonly KeyEntry[],
  { hasStore = false, mayOpen = true, storedRate = null }: KeyringOptions = {},
): Keyring {
  const written = keys.map(knownKey);
  refuseDuplicates(written);
  let stored: readonly KnownKey[] = [];
  let isRead = !hasStore;
  let hadStored = false;
  return {
    get open() {
      return mayOpen && isRead && written.length === 0 && !hadStored;
    },
    identify(authorization, now) {
      if (authorization === undefined || authorization.trim() === "") {
        // Whether a key is needed may depend on the store.
        return refused(isRead || written.length > 0 ? "missing" : "unread");
      }
      const token = tokenOf(authorization);
      if (token === null) return refused("malformed");
      // Node decodes header bytes as Latin-1; encoding them the same way restores the bytes that the client sent.
      const presented = createHash("sha256").update(token, "latin1").digest();
      // Every key is compared, so that the time does not reveal which one matched.
      const inStore = find(stored, presented);
      const found = find(written, presented) ?? inStore;
      if (found === null) return refused(isRead ? "unknown" : "unread");
      if (found.isRevoked) return refused("revoked");
      // An invalid date (NaN) counts as expired.
      return now.getTime() < found.expires ? { ok: true, key: found.key } : refused("expired");
    },
    setStored(entries) {
      stored = entries.flatMap((entry) => knownStoredKey(entry, storedRate) ?? []);
      hadStored ||= entries.length > 0;
      // Where there must be keys, a store without any was emptied or replaced.
      const hasLostKeys = entries.length === 0 && (hadStored || (!mayOpen && written.length === 0));
      isRead = !hasLostKeys;
    },
  };
}

/** Whether the key may use the model of this public name. */
export function allowsModel(key: Key, publicName: string): boolean {
  if (key.models === null) return true;
  return key.models.some((allowed) =>
    allowed.endsWith("*") ? publicName.startsWith(allowed.slice(0, -1)) : publicName === allowed,
  );
}

function find(keys: readonly KnownKey[], presented: Buffer): KnownKey | null {
  let found: KnownKey | null = null;
  for (const key of keys) {
    if (timingSafeEqual(key.digest, presented)) found = key;
  }
  return found;
}

function refused(reason: KeyRefusal): Identity {
  return { ok: false, reason };
}

function tokenOf(authorization: string): string | null {
  const token = authorization.length <= maxToken ? bearer.exec(authorization.trim())?.[1] : undefined;
  return token !== undefined && isHeaderText(token) ? token : null;
}

/** Visible Latin-1 characters only: hashing would truncate others to one byte. */
function isHeaderText(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x21 || unit === 0x7f || unit > 0xff) return false;
  }
  return true;
}

function refuseDuplicates(keys: readonly KnownKey[]): void {
  const names = new Map<string, string>();
  for (const { name, owner } of keys.map(({ key }) => key)) {
    const other = names.get(owner);
    if (other !== undefined) throw new Error(`keys: ${other} and ${name} are the same key.`);
    names.set(owner, name);
  }
}
