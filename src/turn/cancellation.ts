import type { TurnError } from "./errors.ts";

/** Signals once that work is cancelled, and why. Cheaper than AbortSignal: a small request would need three of those. */
export class Cancellation {
  /** Most have one listener, which needs no list. */
  #first: (() => void) | undefined;
  #others: (() => void)[] | undefined;
  /** `undefined` until cancelled. */
  reason: TurnError | undefined;

  /** Only the first reason counts. */
  cancel(reason: TurnError): void {
    if (this.reason) return;
    this.reason = reason;
    for (let listener = this.#take(); listener; listener = this.#take()) listener();
  }

  /** The listener is called once at most. It is not called if this is already cancelled. */
  onCancel(listener: () => void): void {
    if (this.reason) return;
    if (!this.#first && !this.#others) this.#first = listener;
    else if (this.#others) this.#others.push(listener);
    else this.#others = [listener];
  }

  offCancel(listener: () => void): void {
    if (this.#first === listener) this.#first = undefined;
    else if (this.#others) {
      const others = this.#others.filter((other) => other !== listener);
      this.#others = others.length > 0 ? others : undefined;
    }
  }

  /** Removes the listener that was added first. */
  #take(): (() => void) | undefined {
    const first = this.#first ?? this.#others?.shift();
    this.#first = undefined;
    return first;
  }

  /** Settles as `work` does, or rejects with the reason as soon as this is cancelled. */
  race<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const onCancel = () => reject(this.reason);
      if (this.reason) onCancel();
      this.onCancel(onCancel);
      work.then(resolve, reject).finally(() => this.offCancel(onCancel));
    });
  }

  /** Resolves when the time has passed, or as soon as this is cancelled. */
  pause(milliseconds: number): Promise<void> {
    if (this.reason) return Promise.resolve();
    return new Promise((resolve) => {
      const finish = () => {
        clearTimeout(timer);
        this.offCancel(finish);
        resolve();
      };
      const timer = setTimeout(finish, milliseconds);
      this.onCancel(finish);
    });
  }
}
