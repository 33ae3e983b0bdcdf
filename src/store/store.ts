import type { JsonObject, StateStore } from "../turn/index.ts";

/** An API key of a client. Only its hash is stored. */
export interface StoredKey {
  /** The owner of everything that is stored for the key. A random id, so that a name can be used again after a revocation. */
  id: string;
  name: string;
  /** The SHA-256 digest of the key in hexadecimal. */
  hash: string;
  /** Public model names, or prefixes that end with `*`; `null`: every model. */
  models: readonly string[] | null;
  /** Requests per milliseconds; `null`: the default rate. */
  rate: { requests: number; per: number } | null;
  /** Times are milliseconds since 1970. */
  expiresAt: number | null;
  createdAt: number;
  revokedAt: number | null;
}

/** What the turns of one owner used on one day. */
export interface UsageRow {
  owner: string;
  /** The name of the owner's key at the time; empty without keys. */
  key: string;
  model: string;
  /** In UTC, for example `2026-11-18`. */
  day: string;
  requests: number;
  inputTokens: number;
  cachedTokens: number;
  outputTokens: number;
}

export interface StoreStats {
  /** memory, sqlite or postgres. */
  kind: string;
  version: number;
  /** Rows by table. */
  rows: Readonly<Record<string, number>>;
  bytes: number;
  /** Of the oldest conversation, in milliseconds since 1970. */
  oldest: number | null;
}

/** One row of a table, for moving from one database to another. */
export interface ExportedRow {
  table: string;
  row: JsonObject;
}

/** What became of rows that were imported. The others existed already. */
export interface ImportCount {
  added: number;
  /** Rows without their conversation or its messages. */
  leftOut: number;
}

/** The store: the state of clients, and what the gateway itself keeps. */
export interface Store extends StateStore {
  /** Why the store cannot be used at present; `null` if it works as far as is known. */
  readonly trouble: StoreFailure | null;
  /** Operations that wait for the database. */
  readonly queue: number;
  /** Resolves if something could just be written; otherwise rejects with a `StoreError`. */
  ready(): Promise<void>;
  /** All keys, also revoked ones. */
  keys(): Promise<StoredKey[]>;
  /** Returns false if a key of this name exists and is not revoked. */
  addKey(key: StoredKey): Promise<boolean>;
  /** Returns false if there is no such key, or it is revoked already. */
  revokeKey(name: string, at: number): Promise<boolean>;
  /** Adds to what is stored for the same owner, key, model and day. */
  addUsage(rows: readonly UsageRow[]): Promise<void>;
  /** All usage, the newest day first. */
  usage(): Promise<UsageRow[]>;
  stats(): Promise<StoreStats>;
  /** Every row of every table as it was at the first one, in an order in which they can be imported. */
  export(): AsyncIterable<ExportedRow>;
  /**
   * Adds rows. Rows that exist stay as they are, so that an import can be repeated. A conversation whose name another one has is added
   * without it.
   */
  import(rows: readonly ExportedRow[]): Promise<ImportCount>;
  /** Gives unused space back to the disk. */
  vacuum(): Promise<void>;
  /**
   * Deletes one small batch of what was last used before a time: conversations with their answers, expired records, and contents
   * that no message refers to any more. Returns whether there may be more.
   */
  expire(before: number, now: number): Promise<boolean>;
  close(): Promise<void>;
}

/** lost: no connection or no file. slow: no answer in time. full: no space. locked: another process holds the database. */
export type StoreFailure = "lost" | "slow" | "full" | "locked" | "refused" | "broken";

export class StoreError extends Error {
  readonly failure: StoreFailure;

  constructor(failure: StoreFailure, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "StoreError";
    this.failure = failure;
  }
}
