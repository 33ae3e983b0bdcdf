import type { Store, UsageRow } from "../store/store.ts";
import { type Log, type TurnListener, type TurnSummary, tokenCount, type Usage } from "../turn/index.ts";

/** Milliseconds between two writes, and after one that failed. */
const interval = 1_000;
const retryAfter = 5_000;
/** The most sums that are kept in memory, and that one write contains. */
const mostSums = 10_000;
const mostAtOnce = 500;
/** A client may choose any name for its model, and a name is kept for good. */
const longestModel = 200;
const millisecondsOfDay = 24 * 60 * 60 * 1_000;
/** Stands for the models that no longer fit into memory. */
const otherModels = "(other)";

/** Who used a model. */
export interface UsedBy {
  owner: string;
  /** The name of the owner's key; empty without keys. */
  key: string;
  /** The public name of the model, as the client wrote it. */
  model: string;
}

export interface UsageRecorderOptions {
  log: Log;
  now?: () => number;
  mostSums?: number;
}

/**
 * Sums what turns use by owner, key, model and day, and adds the sums to the store once a second. While the store is away it keeps
 * summing. A write whose outcome is not known is repeated, so that in rare cases usage is counted twice, but never lost.
 */
export class UsageRecorder {
  readonly #store: Pick<Store, "addUsage">;
  readonly #log: Log;
  readonly #now: () => number;
  readonly #mostSums: number;
  #sums = new Map<string, UsageRow>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;
  #isAway = false;
  #isClosed = false;
  #dayNumber = Number.NaN;
  #dayText = "";

  constructor(
    store: Pick<Store, "addUsage">,
    { log, now = Date.now, mostSums: most = mostSums }: UsageRecorderOptions,
  ) {
    this.#store = store;
    this.#log = log;
    this.#now = now;
    this.#mostSums = most;
  }

  /** Records one turn when it finishes. */
  listener(by: UsedBy): TurnListener {
    return { turnFinished: (summary) => this.#turnFinished(by, summary) };
  }

  add({ owner, key, model, usage }: UsedBy & { usage: Usage | undefined }): void {
    const day = this.#day();
    const used = { owner, key, model: model.slice(0, longestModel), day };
    this.#addRow({
      ...used,
      requests: 1,
      inputTokens: tokenCount(usage?.inputTokens),
      cachedTokens: tokenCount(usage?.cachedTokens),
      outputTokens: tokenCount(usage?.outputTokens),
    });
    this.#schedule();
  }

  /** Writes what is left. Never rejects. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#writing;
    await this.#write();
    if (this.#sums.size === 0) return;
    const turns = [...this.#sums.values()].reduce((sum, { requests }) => sum + requests, 0);
    this.#log.warn(
      { turns },
      `could not write usage to the store: the count of ${turns === 1 ? "1 turn" : `${turns} turns`} is lost`,
    );
  }

  /** A turn that failed before the model was paid for is not counted, nor is the name of a model that may not exist. */
  #turnFinished(by: UsedBy, { status, usage }: TurnSummary): void {
    if (status !== "failed" || usage !== undefined) this.add({ ...by, usage });
  }

  /** Today in UTC. */
  #day(): string {
    const number = Math.floor(this.#now() / millisecondsOfDay);
    if (number !== this.#dayNumber) {
      this.#dayNumber = number;
      this.#dayText = new Date(number * millisecondsOfDay).toISOString().slice(0, 10);
    }
    return this.#dayText;
  }

  #addRow(row: UsageRow): void {
    const { owner, key, model, day } = row;
    const name = JSON.stringify([owner, key, model, day]);
    const sum = this.#sums.get(name);
    if (sum) addTo(sum, row);
    else if (this.#sums.size < this.#mostSums || model === otherModels) this.#sums.set(name, row);
    else this.#addRow({ ...row, model: otherModels });
  }

  #schedule(): void {
    if (this.#isClosed) return;
    this.#timer ??= setTimeout(() => this.#writeNow(), this.#isAway ? retryAfter : interval).unref();
  }

  #writeNow(): void {
    this.#timer = undefined;
    // A write that is under way schedules the next one when it has ended.
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
      if (this.#sums.size > 0) this.#schedule();
    });
  }

  async #write(): Promise<void> {
    const rows = [...this.#sums.values()];
    this.#sums = new Map();
    for (let from = 0; from < rows.length; from += mostAtOnce) {
      try {
        await this.#store.addUsage(rows.slice(from, from + mostAtOnce));
        this.#isAway = false;
      } catch {
        // Copies, because the store may still hold the rows of a write that was too slow.
        for (const row of rows.slice(from)) this.#addRow({ ...row });
        if (!this.#isAway) this.#log.warn({}, "could not write usage to the store; trying again later");
        this.#isAway = true;
        return;
      }
    }
  }
}

function addTo(sum: UsageRow, row: UsageRow): void {
  sum.requests += row.requests;
  sum.inputTokens += row.inputTokens;
  sum.cachedTokens += row.cachedTokens;
  sum.outputTokens += row.outputTokens;
}
