import { createHash } from "node:crypto";
import type { JsonValue } from "./json.ts";

export interface MemoryRecord {
  /** Made by `memoryKey`, so that its length is bounded. */
  key: string;
  /** Plain JSON: it may be written to a database and read by another process. */
  value: JsonValue;
  /** How long the record can be read, in milliseconds. 0 deletes the record under the key. */
  ttl: number;
}

/**
 * Short-lived memory: what one request stores for later requests. Every record belongs to one owner, and other owners cannot read
 * it. A record may disappear before it expires, so readers must be able to continue without it.
 */
export interface Memory {
  /**
   * The values in the order of the keys. A value is `undefined` if its key is unknown, has expired, or belongs to another owner.
   */
  read(owner: string, keys: readonly string[]): Promise<(JsonValue | undefined)[]>;
  /** Resolves when the records can be read. If two records have the same key, the last one counts. */
  write(owner: string, records: readonly MemoryRecord[]): Promise<void>;
}

/** The owner of all records if no API keys are configured. The owner of a key is a hexadecimal digest, so the two never collide. */
export const anonymousOwner = "anonymous";

/** Ids of clients and providers may have any length. */
const longestId = 64;

/**
 * The key of a record about `id`. A long id is hashed. The hash is longer than any id that is used unchanged, so they never
 * collide.
 */
export function memoryKey(kind: string, id: string): string {
  return `${kind}:${id.length <= longestId ? id : `sha256-${createHash("sha256").update(id).digest("hex")}`}`;
}
