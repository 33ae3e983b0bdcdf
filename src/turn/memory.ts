import { createHash } from "node:crypto";
import type { JsonValue } from "./json.ts";

/** One thing that is kept for a while. */
export interface MemoryRecord {
  /** Made by `memoryKey`, so that it is short whatever it is made of. */
  key: string;
  /** Plain JSON: it may be written to a database and read by another process. */
  value: JsonValue;
  /** How long it can be read, in milliseconds. 0 forgets what was kept under the key. */
  ttl: number;
}

/**
 * Short-lived memory: what one request leaves for those that follow it. Every record belongs to an owner, and no other owner finds it.
 * A record may be gone before its time: whoever reads must be able to go on without it.
 */
export interface Memory {
  /** The values in the order of the keys: `undefined` for what is not known, is over its time, or belongs to another owner. */
  read(owner: string, keys: readonly string[]): Promise<(JsonValue | undefined)[]>;
  /** Resolves when the records can be read. Of two records under one key the last counts. */
  write(owner: string, records: readonly MemoryRecord[]): Promise<void>;
}

/** The owner of everything where no keys are configured. The owner of a key is a hexadecimal digest, which this is not. */
export const anonymousOwner = "anonymous";

/** Ids of clients and providers may be of any length. */
const longestId = 64;

/** The key of a record about `id`. A long id is digested: a digest is longer than any id that stands in a key as it is. */
export function memoryKey(kind: string, id: string): string {
  return `${kind}:${id.length <= longestId ? id : `sha256-${createHash("sha256").update(id).digest("hex")}`}`;
}
