import type { TurnError } from "./errors.ts";

const none: readonly (() => void)[] = [];

/** Says once that something is over, and why. An AbortSignal in all but its price, of which a small request would feel three. */
export class Cancellation {
  /** Mostly one. A list is replaced, never pushed to: a push reserves room for many. */
  #listeners = none;
  /** Why it is over; `undefined` while it is not. */
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

  /** Called once, and not where it is over already. */
  onCancel(listener: () => void): void {
    if (!this.reason) this.#listeners = this.#listeners.concat(listener);
  }

  offCancel(listener: () => void): void {
    if (this.#listeners.length > 0) this.#listeners = this.#listeners.filter((other) => other !== listener);
  }

  /** The outcome of the work, or a rejection with the reason as soon as there is one. */
  race<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const onCancel = () => reject(this.reason);
      if (this.reason) onCancel();
      this.onCancel(onCancel);
      work.then(resolve, reject).finally(() => this.offCancel(onCancel));
    });
  }

  /** Resolves when the time is over, or at once when this is. */
  pause(milliseconds: number): Promise<void> {
    if (this.reason) return Promise.resolve();
    return new Promise((resolve) => {
      const go = () => {
        clearTimeout(timer);
        this.offCancel(go);
        resolve();
      };
      const timer = setTimeout(go, milliseconds);
      this.onCancel(go);
    });
  }
}
