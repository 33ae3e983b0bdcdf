import type { TurnError } from "./errors.ts";

const none: readonly (() => void)[] = [];

/** Signals once that work is cancelled, and why. Cheaper than AbortSignal: a small request would need three of those. */
export class Cancellation {
  /** Usually one. The array is replaced and never pushed to, because a push reserves memory for many entries. */
  #listeners = none;
  /** `undefined` until cancelled. */
  reason: TurnError | undefined;

  /** Only the first reason counts. */
  cancel(reason: TurnError): void {
    if (this.reason) return;
    this.reason = reason;
    while (this.#listeners.length > 0) {
      const [first, ...others] = this.#listeners;
      this.#listeners = others;
      first?.();
    }
  }

  /** The listener is called once at most. It is not called if this is already cancelled. */
  onCancel(listener: () => void): void {
    if (!this.reason) this.#listeners = this.#listeners.concat(listener);
  }

  offCancel(listener: () => void): void {
    if (this.#listeners.length > 0) this.#listeners = this.#listeners.filter((other) => other !== listener);
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
