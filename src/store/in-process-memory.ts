import { setImmediate as nextTurn } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import { type JsonValue, type Memory, type MemoryRecord, parseJson } from "../turn/index.ts";

/** Limits in bytes: of all records together, and of one record. */
const mostBytes = 64 * 1024 * 1024;
const mostOfOne = 1024 * 1024;
/** Characters that a read parses before it gives the event loop back. */
const mostAtOnce = 512 * 1024;
/** Approximate overhead of a record in bytes. */
const recordCost = 400;

export interface InProcessMemoryOptions {
  mostBytes?: number;
  mostOfOne?: number;
}

/**
 * Memory of this process only, lost when the process ends. Its size in bytes is bounded: the least recently used records are
 * evicted, and a record that is too large is not stored. Records are JSON text, so that readers and writers share no objects.
 */
export class InProcessMemory implements Memory {
  readonly #records: LRUCache<string, string>;

  constructor(options: InProcessMemoryOptions = {}) {
    this.#records = new LRUCache({
      maxSize: options.mostBytes ?? mostBytes,
      maxEntrySize: options.mostOfOne ?? mostOfOne,
      sizeCalculation: (text, key) => recordCost + bytesOf(key) + bytesOf(text),
    });
  }

  /** Small records cost one microtask. Between many large ones the event loop is given back: parsing them takes long. */
  async read(owner: string, keys: readonly string[]): Promise<(JsonValue | undefined)[]> {
    const values: (JsonValue | undefined)[] = [];
    let parsed = 0;
    for (const key of keys) {
      const text = this.#records.get(recordKey(owner, key));
      values.push(text === undefined ? undefined : parseJson(text));
      parsed += text?.length ?? 0;
      if (parsed < mostAtOnce) continue;
      parsed = 0;
      await nextTurn();
    }
    return values;
  }

  async write(owner: string, records: readonly MemoryRecord[]): Promise<void> {
    for (const { key, value, ttl } of records) {
      if (ttl > 0) this.#records.set(recordKey(owner, key), JSON.stringify(value), { ttl });
      else this.#records.delete(recordKey(owner, key));
    }
  }
}

/** An owner contains no line break, so records of different owners never share a key. */
function recordKey(owner: string, key: string): string {
  return `${owner}\n${key}`;
}

const wide = /[^\0-\xff]/;

/** Memory of a text in V8: two bytes per character if any character needs two, else one. */
function bytesOf(text: string): number {
  return wide.test(text) ? 2 * text.length : text.length;
}
