import type { Log } from "../turn/index.ts";
import type { Store } from "./store.ts";

const longestFirst = 60_000;
const longestInterval = 60 * 60_000;
const shortestInterval = 1_000;
/** The part of `keep` for which something may be there longer. */
const tolerance = 0.1;
/** Between two batches, so that requests come first. */
const pause = 50;

export interface RetentionOptions {
  /** Milliseconds for which something that is not used is kept; `null`: for ever. Records with a time to live expire in any case. */
  keep: number | null;
  log: Log;
  pause?: number;
  now?: () => number;
}

/** Deletes what is older than `keep`, in small batches. Several gateways may do so on one database. */
export class Retention {
  readonly #store: Pick<Store, "expire">;
  readonly #options: RetentionOptions;
  readonly #interval: number;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  #hasFailed = false;

  constructor(store: Pick<Store, "expire">, options: RetentionOptions) {
    this.#store = store;
    this.#options = options;
    const wanted = Math.max(shortestInterval, tolerance * (options.keep ?? longestInterval / tolerance));
    this.#interval = Math.min(longestInterval, wanted);
    this.#schedule(Math.min(longestFirst, this.#interval));
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  /** Deletes everything that is old enough. */
  async run(): Promise<void> {
    const { keep, now = Date.now } = this.#options;
    while (!this.#isStopped) {
      const time = now();
      const hasMore = await this.#store.expire(keep === null ? 0 : time - keep, time);
      if (!hasMore) return;
      await this.#wait();
    }
  }

  #schedule(delay: number): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => {
      this.#attempt().then(() => this.#schedule(this.#interval));
    }, delay).unref();
  }

  async #attempt(): Promise<void> {
    try {
      await this.run();
      this.#hasFailed = false;
    } catch (error) {
      // One line an outage: the next attempts fail for the same reason.
      if (!this.#hasFailed && !this.#isStopped) {
        this.#options.log.warn(
          { reason: error instanceof Error ? error.message : String(error) },
          "could not delete expired contents of the store; trying again later",
        );
      }
      this.#hasFailed = true;
    }
  }

  #wait(): Promise<void> {
    return new Promise((resolve) => {
      setTimeout(resolve, this.#options.pause ?? pause).unref();
    });
  }
}
