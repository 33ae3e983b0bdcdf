import type { JsonValue, Memory, MemoryRecord } from "../turn/index.ts";

/**
 * Short-lived memory in a store. While the store fails, the memory of this process takes its place, so that conversations on this
 * gateway continue.
 */
export class MemoryWithFallback implements Memory {
  readonly #store: Memory;
  readonly #fallback: Memory;
  readonly #onFailure: (error: unknown) => void;
  /** Whether the fallback may have records that the store lacks. */
  #hasFallen = false;

  constructor(store: Memory, fallback: Memory, onFailure: (error: unknown) => void = () => {}) {
    this.#store = store;
    this.#fallback = fallback;
    this.#onFailure = onFailure;
  }

  async read(owner: string, keys: readonly string[]): Promise<(JsonValue | undefined)[]> {
    const stored = await this.#store.read(owner, keys).catch((error: unknown) => {
      this.#onFailure(error);
      return undefined;
    });
    if (stored && !this.#hasFallen) return stored;
    const local = await this.#fallback.read(owner, keys);
    return keys.map((_key, at) => local[at] ?? stored?.[at]);
  }

  async write(owner: string, records: readonly MemoryRecord[]): Promise<void> {
    try {
      await this.#store.write(owner, records);
    } catch (error) {
      this.#onFailure(error);
      this.#hasFallen = true;
      await this.#fallback.write(owner, records);
      return;
    }
    if (this.#hasFallen) await this.#forget(owner, records);
  }

  /** What was written during a failure is older than what the store has now. */
  async #forget(owner: string, records: readonly MemoryRecord[]): Promise<void> {
    await this.#fallback.write(
      owner,
      records.map(({ key }) => ({ key, value: null, ttl: 0 })),
    );
  }
}
