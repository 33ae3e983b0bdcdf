import type { Keyring } from "../guard/index.ts";
import type { Store } from "../store/store.ts";
import { inTime, type Log } from "../turn/index.ts";

/** Milliseconds. A revocation must hold on every gateway of a store within 10 s. */
const interval = 3_000;
/** How long a read may take, in milliseconds. After that it counts as failed, and the next one may begin. */
const patience = 5_000;

export interface StoredKeysOptions {
  store: Pick<Store, "keys">;
  keyring: Keyring;
  log: Log;
  interval?: number;
  patience?: number;
}

/** Keeps a keyring up to date with the keys of the store. While the store is away, the last known keys stay in force. */
export class StoredKeys {
  readonly #options: Required<StoredKeysOptions>;
  #timer: NodeJS.Timeout | undefined;
  #reading: Promise<void> | undefined;
  #isAway = false;
  #isKnown = false;
  #count = 0;

  constructor(options: StoredKeysOptions) {
    this.#options = { interval, patience, ...options };
  }

  /** Resolves when the keys were read, or cannot be read at present. Never rejects. */
  async start(): Promise<void> {
    this.#timer ??= setInterval(() => void this.refresh(), this.#options.interval).unref();
    await this.refresh();
  }

  refresh(): Promise<void> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #read(): Promise<void> {
    const { store, keyring, log, patience } = this.#options;
    try {
      const keys = await inTime(store.keys(), patience, () => new Error(`no answer in ${patience / 1_000} s`));
      keyring.setStored(keys);
      if (keys.length === 0 && this.#count > 0)
        log.error({}, "the store has lost its keys: it was emptied or replaced");
      this.#count = keys.length;
      if (this.#isAway) log.info({}, "the keys can be read from the store again");
      this.#isAway = false;
      this.#isKnown = true;
    } catch (error) {
      const meanwhile = this.#isKnown
        ? "the last known keys stay in force"
        : `until then ${keyring.open ? "no key is needed" : "only the keys of the configuration are accepted"}`;
      if (!this.#isAway) log.warn({ reason: reasonOf(error) }, `could not read the keys in the store; ${meanwhile}`);
      this.#isAway = true;
    }
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
