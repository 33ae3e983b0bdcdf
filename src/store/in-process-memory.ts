import { LRUCache } from "lru-cache";
import { giveLoopBack, type JsonValue, type Memory, type MemoryRecord, parseJson } from "../turn/index.ts";

/** Limits in bytes: of all records together, and of one record. */
const mostBytes = 64 * 1024 * 1024;
const mostOfOne = 1024 * 1024;
/** Characters that a read parses before it gives the event loop back. A key that is looked up counts as some of them. */
const mostAtOnce = 512 * 1024;
const lookUpCost = 256;
/** Approximate overhead of a record in bytes. */
const recordCost = 400;

export interface InProcessMemoryOptions {
  mostBytes?: number;
  mostOfOne?: number;
}

type Records = LRUCache<string, string>;

/**
 * Memory of this process only, lost when the process ends. Its size in bytes is bounded: a record that is too large is not stored,
 * and if all records together are too large, the owner with the most bytes loses its least recently used ones. So an owner that
 * writes much displaces its own records, and not those of others. Records are JSON text, so that readers and writers share no
 * objects.
 */
export class InProcessMemory implements Memory {
  readonly #owners = new Map<string, Records>();
  readonly #mostBytes: number;
  readonly #mostOfOne: number;
  #bytes = 0;

  constructor(options: InProcessMemoryOptions = {}) {
    this.#mostBytes = options.mostBytes ?? mostBytes;
    this.#mostOfOne = options.mostOfOne ?? mostOfOne;
  }

  /** Small records cost one microtask. Between many large ones the event loop is given back: parsing them takes long. */
  async read(owner: string, keys: readonly string[]): Promise<(JsonValue | undefined)[]> {
    const values: (JsonValue | undefined)[] = [];
    let cost = 0;
    for (const key of keys) {
      const text = this.#get(owner, key);
      values.push(text === undefined ? undefined : parseJson(text));
      cost += lookUpCost + (text?.length ?? 0);
      if (cost < mostAtOnce) continue;
      cost = 0;
      await giveLoopBack();
    }
    return values;
  }

  async write(owner: string, records: readonly MemoryRecord[]): Promise<void> {
    for (const { key, value, ttl } of records) {
      if (ttl > 0) this.#set(owner, key, JSON.stringify(value), ttl);
      else this.#change(owner, (records) => records.delete(key));
    }
  }

  #get(owner: string, key: string): string | undefined {
    if (!this.#owners.has(owner)) return undefined;
    return this.#change(owner, (records) => records.get(key));
  }

  #set(owner: string, key: string, text: string, ttl: number): void {
    if (!this.#owners.has(owner)) this.#owners.set(owner, this.#createRecords());
    this.#change(owner, (records) => records.set(key, text, { ttl }));
    while (this.#bytes > this.#mostBytes && this.#owners.size > 0) this.#evict();
  }

  #createRecords(): Records {
    return new LRUCache({
      maxSize: this.#mostBytes,
      maxEntrySize: this.#mostOfOne,
      sizeCalculation: (text, key) => recordCost + bytesOf(key) + bytesOf(text),
    });
  }

  /** Every change of an owner's records is made here: even a read may remove a record that has expired. */
  #change<Result>(owner: string, change: (records: Records) => Result): Result | undefined {
    const records = this.#owners.get(owner);
    if (!records) return undefined;
    const before = records.calculatedSize;
    const result = change(records);
    this.#bytes += records.calculatedSize - before;
    if (records.size === 0) this.#owners.delete(owner);
    return result;
  }

  #evict(): void {
    let largest = "";
    let most = -1;
    for (const [owner, { calculatedSize }] of this.#owners) {
      if (calculatedSize <= most) continue;
      largest = owner;
      most = calculatedSize;
    }
    this.#change(largest, (records) => records.pop());
  }
}

const wide = /[^\0-\xff]/;

/** Memory of a text in V8: two bytes per character if any character needs two, else one. */
function bytesOf(text: string): number {
  return wide.test(text) ? 2 * text.length : text.length;
}
