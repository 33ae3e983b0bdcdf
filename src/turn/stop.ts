import type { TurnError } from "./errors.ts";

/** Says once that something is over, and why. An AbortSignal in all but its price, of which a small request would feel three. */
export class Stop {
  #listeners: Set<() => void> | undefined;
  /** Why it is over; `undefined` while it is not. */
  reason: TurnError | undefined;

  /** Only the first reason counts. */
  now(reason: TurnError): void {
    if (this.reason) return;
    this.reason = reason;
    for (const listener of this.#listeners ?? []) listener();
    this.#listeners = undefined;
  }

  /** Called once, and not where it is over already. */
  onStop(listener: () => void): void {
    if (this.reason) return;
    this.#listeners ??= new Set();
    this.#listeners.add(listener);
  }

  offStop(listener: () => void): void {
    this.#listeners?.delete(listener);
  }

  /** Resolves when the time is over, or at once when this is. */
  pause(milliseconds: number): Promise<void> {
    if (this.reason) return Promise.resolve();
    return new Promise((resolve) => {
      const go = () => {
        clearTimeout(timer);
        this.offStop(go);
        resolve();
      };
      const timer = setTimeout(go, milliseconds);
      this.onStop(go);
    });
  }
}
