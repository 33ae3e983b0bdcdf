import type { ArgumentOf, OperationName, ResultOf } from "./database.ts";
import { OperationError } from "./failures.ts";
import { sizeOf } from "./portions.ts";
import { StoreError } from "./store.ts";

/** An operation that waits for its result. */
export interface Pending {
  readonly name: OperationName;
  readonly argument: unknown;
  /** Approximate characters of the argument. */
  readonly size: number;
  /** Its caller has got a result or an error: the operation need not run any more. */
  readonly isSettled: boolean;
  resolve(value: unknown): void;
  reject(error: StoreError): void;
}

export interface PendingLimits {
  mostOperations: number;
  mostCharacters: number;
  /** Milliseconds after which a caller gets an error, though the operation may still run. */
  patience: number;
}

const defaultLimits: PendingLimits = { mostOperations: 10_000, mostCharacters: 64 * 1024 * 1024, patience: 5000 };

/**
 * Milliseconds for which callers wait for operations of a whole database. An import takes as long as it takes. A running
 * gateway asks for `stats` at each scrape, and waits for the result before it ends.
 */
const unhurried: ReadonlyMap<string, number> = new Map([
  ["stats", 10_000],
  ["importRows", Number.POSITIVE_INFINITY],
]);

/** `undefined`: the operation is hurried, and has the limits of all others. */
export function unhurriedPatience(name: string): number | undefined {
  return unhurried.get(name);
}

/** All operations of a database that wait for their results. They are bounded in number, size and time. */
export class PendingOperations {
  readonly #where: string;
  readonly #limits: PendingLimits;
  readonly #pending = new Map<Pending, number>();
  #characters = 0;
  #answeredAt = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(where: string, limits: Partial<PendingLimits> = {}) {
    this.#where = where;
    this.#limits = { ...defaultLimits, ...limits };
  }

  get count(): number {
    return this.#pending.size;
  }

  /** Calls `begin` with the operation, unless too much is waiting. */
  add<Name extends OperationName>(
    name: Name,
    argument: ArgumentOf<Name>,
    begin: (pending: Pending) => void,
  ): Promise<ResultOf<Name>> {
    const size = sizeOf(argument);
    const { mostOperations, mostCharacters } = this.#limits;
    const isFull = this.#pending.size >= mostOperations || this.#characters + size > mostCharacters;
    if (isFull && this.#pending.size > 0) {
      const message = `Too many operations wait for the database ${this.#where} (${this.#pending.size}).`;
      return Promise.reject(new OperationError("slow", message));
    }
    return new Promise<ResultOf<Name>>((done, reject) => {
      const resolve = (value: ResultOf<Name>) => {
        this.#answeredAt = performance.now();
        done(value);
      };
      const pending = new PendingOperation(name, argument, size, { resolve, reject, settle: this.#settle });
      this.#pending.set(pending, performance.now());
      this.#characters += size;
      this.#timer ??= setInterval(() => this.#rejectOverdue(), 500);
      begin(pending);
    });
  }

  rejectAll(error: StoreError): void {
    for (const pending of [...this.#pending.keys()]) pending.reject(error);
  }

  /** Resolves when nothing waits any more. */
  async drained(): Promise<void> {
    while (this.#pending.size > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  readonly #settle = (pending: Pending): void => {
    if (!this.#pending.delete(pending)) return;
    this.#characters -= pending.size;
    if (this.#pending.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  };

  #rejectOverdue(): void {
    const now = performance.now();
    for (const [pending, since] of this.#pending) {
      if (now - since < this.#limits.patience) break;
      if (now - since < (unhurriedPatience(pending.name) ?? 0)) continue;
      pending.reject(this.#overdue(since));
    }
  }

  /** A database that has answered others meanwhile works, though it has more to do than it can. */
  #overdue(since: number): StoreError {
    const message = `The database ${this.#where} did not answer in time.`;
    return this.#answeredAt > since ? new OperationError("slow", message) : new StoreError("slow", message);
  }
}

interface Settling {
  resolve(value: unknown): void;
  reject(error: StoreError): void;
  settle(pending: Pending): void;
}

class PendingOperation implements Pending {
  readonly name: OperationName;
  readonly argument: unknown;
  readonly size: number;
  #settling: Settling | undefined;

  constructor(name: OperationName, argument: unknown, size: number, settling: Settling) {
    this.name = name;
    this.argument = argument;
    this.size = size;
    this.#settling = settling;
  }

  get isSettled(): boolean {
    return this.#settling === undefined;
  }

  resolve(value: unknown): void {
    const settling = this.#settle();
    settling?.resolve(value);
  }

  reject(error: StoreError): void {
    const settling = this.#settle();
    settling?.reject(error);
  }

  #settle(): Settling | undefined {
    const settling = this.#settling;
    this.#settling = undefined;
    settling?.settle(this);
    return settling;
  }
}
