import { createHash } from "node:crypto";
import type { Rate } from "./rate-limits.ts";

/** A key in the configuration: the key itself or its hash, never both. */
export interface KeyEntry {
  name: string;
  key?: string;
  /** `sha256:` and 64 hexadecimal digits. */
  hash?: string;
  /** Public model names, or prefixes that end with `*`. Absent: every model. */
  models?: readonly string[];
  /** Absent: the default rate. `null`: no limit. */
  per_key?: Rate | null;
  expires?: Date;
}

/** A key in the store. Times are milliseconds since 1970. */
export interface StoredKeyEntry {
  id: string;
  name: string;
  /** The SHA-256 digest of the key in hexadecimal. */
  hash: string;
  models: readonly string[] | null;
  rate: Rate | null;
  expiresAt: number | null;
  revokedAt: number | null;
}

/** An identified client. The key itself is not stored. */
export interface Key {
  readonly name: string;
  /**
   * The owner of data that is stored for this key: its SHA-256 digest in hexadecimal, or the id of a stored key. A name may be
   * reused for another key.
   */
  readonly owner: string;
  readonly models: readonly string[] | null;
  /** Absent: the default rate. `null`: no limit. */
  readonly rate?: Rate | null;
}

/** A key that a client may present. */
export interface KnownKey {
  key: Key;
  digest: Buffer;
  expires: number;
  isRevoked: boolean;
}

const hashForm = /^sha256:([0-9a-f]{64})$/i;

export function knownKey({ name, key, hash, models, per_key: rate, expires }: KeyEntry): KnownKey {
  const digest = digestOf(name, key, hash);
  const owner = digest.toString("hex");
  return {
    key: { name, owner, models: models ? [...models] : null, ...(rate !== undefined && { rate }) },
    digest,
    expires: expires ? expires.getTime() : Number.POSITIVE_INFINITY,
    isRevoked: false,
  };
}

/** Returns undefined if the stored hash is none, so that no key can match it. */
export function knownStoredKey(stored: StoredKeyEntry, usualRate: Rate | null): KnownKey | undefined {
  const hex = hashForm.exec(`sha256:${stored.hash}`)?.[1];
  if (hex === undefined) return undefined;
  const { id, name, models, rate, expiresAt, revokedAt } = stored;
  return {
    key: { name, owner: id, models: models ? [...models] : null, rate: rate ?? usualRate },
    digest: Buffer.from(hex, "hex"),
    expires: expiresAt ?? Number.POSITIVE_INFINITY,
    isRevoked: revokedAt !== null,
  };
}

/** Messages contain the key's name, never its value. */
function digestOf(name: string, key: string | undefined, hash: string | undefined): Buffer {
  if ((key === undefined) === (hash === undefined)) throw new Error(`keys: ${name} needs either key or hash.`);
  if (hash !== undefined) {
    const hex = hashForm.exec(hash)?.[1];
    if (hex === undefined) throw new Error(`keys: the hash of ${name} must be sha256: and 64 hexadecimal digits.`);
    return Buffer.from(hex, "hex");
  }
  if (key === undefined || !/^\S+$/.test(key)) throw new Error(`keys: the key of ${name} is empty or holds a space.`);
  return createHash("sha256").update(key, "utf8").digest();
}
