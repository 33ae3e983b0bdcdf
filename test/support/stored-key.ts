import { createHash } from "node:crypto";
import type { StoredKey } from "../../src/store/store.ts";

/** A stored key whose secret is `tw-` and its name. */
export function storedKey(name: string, own: Partial<StoredKey> = {}): StoredKey {
  return {
    id: `key_${name}`,
    name,
    hash: createHash("sha256").update(`tw-${name}`).digest("hex"),
    models: null,
    rate: null,
    expiresAt: null,
    createdAt: 0,
    revokedAt: null,
    ...own,
  };
}
