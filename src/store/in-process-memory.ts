import { LRUCache } from "lru-cache";
import { type JsonValue, type Memory, type MemoryRecord, parseJson } from "../turn/index.ts";

/** Bytes of all records together, and of one. */
const mostBytes = 64 * 1024 * 1024;
const mostOfOne = 1024 * 1024;
/** What a record costs beside its texts, roughly. */
const recordCost = 400;

export interface InProcessMemoryOptions {
  mostBytes?: number;
  mostOfOne?: number;
}

/**
 * Memory that this process has alone, and that ends with it. Bounded by bytes: the least recently used record goes first, and one that
 * is too large is not kept. Records are held as JSON text, so that nobody shares an object with those who wrote it.
 */
export class InProcessMemory implements Memory {
  readonly #records: LRUCache<string, string>;

  constructor(options: InProcessMemoryOptions = {}) {
    this.#records = new LRUCache({
      maxSize: options.mostBytes ?? mostBytes,
      maxEntrySize: options.mostOfOne ?? mostOfOne,
      sizeCalculation: (text, place) => recordCost + bytesOf(place) + bytesOf(text),
    });
  }

  /** The work is done before the promise is returned, so that no request waits for longer than a microtask. */
  async read(owner: string, keys: readonly string[]): Promise<(JsonValue | undefined)[]> {
    return keys.map((key) => {
      const text = this.#records.get(placeOf(owner, key));
      return text === undefined ? undefined : parseJson(text);
    });
  }

  async write(owner: string, records: readonly MemoryRecord[]): Promise<void> {
    for (const { key, value, ttl } of records) {
      if (ttl > 0) this.#records.set(placeOf(owner, key), JSON.stringify(value), { ttl });
      else this.#records.delete(placeOf(owner, key));
    }
  }
}

/** An owner has no line end in it, so that no two owners can mean one place. */
function placeOf(owner: string, key: string): string {
  return `${owner}\n${key}`;
}

const wide = /[^\0-\xff]/;

/** What the text takes in memory: V8 gives every character two bytes where one of them needs two. */
function bytesOf(text: string): number {
  return wide.test(text) ? 2 * text.length : text.length;
}
