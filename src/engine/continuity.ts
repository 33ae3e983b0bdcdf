import { createHash } from "node:crypto";
import { canonicalArguments } from "../tools/index.ts";
import {
  type CallItem,
  entriesOfStep,
  giveLoopBack,
  inTime,
  isLoopHeld,
  type JsonValue,
  type Memory,
  memoryKey,
} from "../turn/index.ts";
import { abridged } from "./conversation-digest.ts";
import { type KeptCall, readCall, writeCall } from "./kept-records.ts";

/** In milliseconds. A conversation that is not stored and pauses for longer continues without its records. */
export const usualTimeToLive = 24 * 60 * 60 * 1000;

/** In milliseconds. A turn does not wait longer for its records, and continues without them. */
const longestRead = 2_000;

/** The maker of reasoning that no backend here can decrypt, because its own backend refused it. No backend has an empty name. */
export const unreadable = "";

/** Identifies a call, together with what came before it: some providers give the first call of every conversation the same id. */
export type CallIdentity = Pick<CallItem, "callId" | "name" | "arguments">;

/** A call of a history, and digests of what may have come before it when it was made, the most likely first. */
export interface SoughtCall {
  call: CallIdentity;
  before: readonly string[];
}

/** The records that were found, in the order in which they were sought. */
export interface Recalled {
  calls: (KeptCall | undefined)[];
  /** The backends that made the reasoning, by reasoning id. */
  makers: Map<string, string>;
}

/**
 * What the turns of one owner store in memory for later turns, because a client may not send it back. No method rejects: if a read
 * or write fails, the turn continues without the data, and `onFailure` receives the error.
 */
export class Continuity {
  readonly #memory: Memory;
  readonly #owner: string;
  readonly #onFailure: (error: unknown) => void;
  /** How long new records can be read. A stored turn keeps them as long as itself. */
  timeToLive = usualTimeToLive;

  constructor(memory: Memory, owner: string, onFailure: (error: unknown) => void = () => {}) {
    this.#memory = memory;
    this.#owner = owner;
    this.#onFailure = onFailure;
  }

  keepCall(call: CallIdentity, before: string, kept: KeptCall): Promise<void> {
    return this.#write([[callKey(digestOf(call), before), writeCall(kept)]]);
  }

  /** Only the backend that made encrypted reasoning can decrypt it. */
  keepMaker(ids: readonly string[], maker: string): Promise<void> {
    return this.#write(ids.map((id) => [reasoningKey(id), maker]));
  }

  /** Uses one read, however many records are sought. */
  async recall(sought: readonly SoughtCall[], reasoningIds: readonly string[]): Promise<Recalled> {
    const ids = [...new Set(reasoningIds)];
    const callKeys: string[][] = [];
    for (const call of sought) {
      callKeys.push(keysOf(call));
      // Hashing takes longer than most steps.
      if (callKeys.length % 8 === 0 && isLoopHeld()) await giveLoopBack();
    }
    const found = await this.#read([...callKeys.flat(), ...ids.map(reasoningKey)]);
    let at = 0;
    const calls: (KeptCall | undefined)[] = [];
    for (const keys of callKeys) {
      const candidates = found.slice(at, at + keys.length);
      at += keys.length;
      calls.push(readCall(candidates.find((value) => value !== undefined)));
      if (calls.length % entriesOfStep === 0 && isLoopHeld()) await giveLoopBack();
    }
    const makers = new Map<string, string>();
    for (const id of ids) {
      const maker = found[at++];
      if (typeof maker === "string") makers.set(id, maker);
    }
    return { calls, makers };
  }

  async #read(keys: readonly string[]): Promise<(JsonValue | undefined)[]> {
    if (keys.length === 0) return [];
    const late = () => new Error(`the memory did not answer in ${longestRead} ms`);
    try {
      return await inTime(this.#memory.read(this.#owner, keys), longestRead, late);
    } catch (error) {
      this.#onFailure(error);
      return [];
    }
  }

  async #write(entries: readonly [key: string, value: JsonValue][]): Promise<void> {
    if (entries.length === 0) return;
    const records = entries.map(([key, value]) => ({ key, value, ttl: this.timeToLive }));
    try {
      await this.#memory.write(this.#owner, records);
    } catch (error) {
      this.#onFailure(error);
    }
  }
}

/** Arguments may be long, so they are hashed once for all that may have come before the call. */
function keysOf({ call, before }: SoughtCall): string[] {
  const digest = digestOf(call);
  return before.map((each) => callKey(digest, each));
}

/** Hashes canonical arguments, because clients serialize them again. */
function digestOf({ callId, name, arguments: text }: CallIdentity): string {
  const hash = createHash("sha256");
  for (const part of [callId, name, abridged(canonicalArguments(text))]) hash.update(`${part.length}:${part}`);
  return hash.digest("base64");
}

function callKey(digest: string, before: string): string {
  return memoryKey("call", createHash("sha256").update(`${digest}\n${before}`).digest("base64"));
}

function reasoningKey(id: string): string {
  return memoryKey("reasoning", id);
}
