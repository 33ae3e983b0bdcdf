import { Gauge, Histogram, type Registry } from "prom-client";

/** The store, as far as the metrics ask it. */
export interface StoreSource {
  /** Operations that wait for the database. */
  readonly queue: number;
  stats(): Promise<StoreSize>;
}

export interface StoreSize {
  /** Rows by table. */
  rows: Readonly<Record<string, number>>;
  bytes: number;
}

/** A large database takes a while to count its rows, so counting gets at most this part of its time. */
const share = 0.01;
/** A size is shown again for at least this long, in milliseconds. */
const leastFresh = 1_000;
/** How long a scrape waits for the store, in milliseconds. */
const patience = 1_000;
const commitBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2];

/** Adds the metrics that are asked from the store at each scrape. */
export function addStore(store: StoreSource, registers: Registry[]): void {
  // Read before the sizes, because asking for them is an operation, too.
  const queue: Gauge = new Gauge({
    name: "toolwire_store_queue",
    help: "Operations that wait for the store",
    registers,
    collect: () => queue.set(store.queue),
  });
  const size = new KnownSize(store);
  const rows: Gauge = new Gauge({
    name: "toolwire_store_rows",
    help: "Rows in the store, by table",
    labelNames: ["table"],
    registers,
    async collect() {
      for (const [table, count] of Object.entries((await size.latest())?.rows ?? {})) rows.set({ table }, count);
    },
  });
  const bytes: Gauge = new Gauge({
    name: "toolwire_store_bytes",
    help: "The bytes that the store uses",
    registers,
    async collect() {
      const known = await size.latest();
      if (known) bytes.set(known.bytes);
    },
  });
  // An unknown size is not 0.
  bytes.remove();
}

export function commitHistogram(registers: Registry[]): Histogram {
  return new Histogram({
    name: "toolwire_store_commit_seconds",
    help: "Seconds until the store had committed a turn",
    buckets: commitBuckets,
    registers,
  });
}

/** The size of a store when it was last known. */
class KnownSize {
  readonly #store: StoreSource;
  #size: StoreSize | undefined;
  /** When the store may be asked again. */
  #nextAt = Number.NEGATIVE_INFINITY;
  /** Resolves when the store has answered, or the scrape that asked it has waited long enough. */
  #asking: Promise<void> | undefined;

  constructor(store: StoreSource) {
    this.#store = store;
  }

  async latest(): Promise<StoreSize | undefined> {
    const now = performance.now();
    if (now >= this.#nextAt) {
      // Until the store has answered, it is not asked again.
      this.#nextAt = Number.POSITIVE_INFINITY;
      this.#asking = this.#ask(now);
    }
    await this.#asking;
    return this.#size;
  }

  #ask(askedAt: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, patience).unref();
      const ended = () => {
        const now = performance.now();
        this.#nextAt = now + Math.max(leastFresh, (now - askedAt) / share);
        clearTimeout(timer);
        resolve();
      };
      this.#store.stats().then((size) => {
        this.#size = size;
        ended();
      }, ended);
    });
  }
}
