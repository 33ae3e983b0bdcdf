import { createHash, timingSafeEqual } from "node:crypto";
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

/** An identified client. The key itself is not stored. */
export interface Key {
  readonly name: string;
  /** The owner of data that is stored for this key: its SHA-256 digest in hexadecimal. A name may be reused for another key. */
  readonly owner: string;
  readonly models: readonly string[] | null;
  /** Absent: the default rate. `null`: no limit. */
  readonly rate?: Rate | null;
}

/** missing: no header. malformed: not `Bearer <key>`. expired: a configured key after its expiry date. */
export type KeyRefusal = "missing" | "malformed" | "unknown" | "expired";

export type Identity = { ok: true; key: Key } | { ok: false; reason: KeyRefusal };

export interface Keyring {
  /** Whether no keys are configured. Then every client on loopback is accepted, and Authorization headers are ignored. */
  readonly open: boolean;
  /** Finds the key of an `Authorization` header. Check `open` first: an open keyring finds none. */
  identify(authorization: string | undefined, now: Date): Identity;
}

interface Entry {
  key: Key;
  digest: Buffer;
  expires: number;
}

/** More than any key needs. Longer headers are not hashed. */
const maxToken = 4_096;
const bearer = /^bearer +(\S+)$/i;
const hashForm = /^sha256:([0-9a-f]{64})$/i;

export function createKeyring(keys: readonly KeyEntry[]): Keyring {
  const entries = keys.map(toEntry);
  refuseDuplicates(entries);
  return {
    open: entries.length === 0,
    identify(authorization, now) {
      if (authorization === undefined || authorization.trim() === "") return refused("missing");
      const token = tokenOf(authorization);
      if (token === null) return refused("malformed");
      // Node decodes header bytes as Latin-1; encoding them the same way restores the bytes that the client sent.
      const presented = createHash("sha256").update(token, "latin1").digest();
      let found: Entry | null = null;
      // Every entry is compared, so that the time does not reveal which one matched.
      for (const entry of entries) {
        if (timingSafeEqual(entry.digest, presented)) found = entry;
      }
      if (found === null) return refused("unknown");
      // An invalid date (NaN) counts as expired.
      return now.getTime() < found.expires ? { ok: true, key: found.key } : refused("expired");
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

function toEntry({ name, key, hash, models, per_key: rate, expires }: KeyEntry): Entry {
  const digest = digestOf(name, key, hash);
  const owner = digest.toString("hex");
  return {
    key: { name, owner, models: models ? [...models] : null, ...(rate !== undefined && { rate }) },
    digest,
    expires: expires ? expires.getTime() : Number.POSITIVE_INFINITY,
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

function refuseDuplicates(entries: readonly Entry[]): void {
  const names = new Map<string, string>();
  for (const { name, owner } of entries.map(({ key }) => key)) {
    const other = names.get(owner);
    if (other !== undefined) throw new Error(`keys: ${other} and ${name} are the same key.`);
    names.set(owner, name);
  }
}
