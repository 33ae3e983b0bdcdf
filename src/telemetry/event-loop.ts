import { performance } from "node:perf_hooks";

/** Longer holds of the event loop are stalls, in milliseconds. */
const stall = 200;
/** How often a timer looks whether the event loop goes on, in milliseconds. */
const interval = 50;

/** The event loop could do nothing else for this long. */
export interface Hold<Work> {
  heldMs: number;
  /** The processor time of that. If it is much less, the process was waiting for the machine or for a blocking call. */
  cpuMs: number;
  /** Whose work held it; `undefined` if that is not known, or if it was the work of many. */
  work: Work | undefined;
}

/**
 * Finds out when the event loop is held, and by whose work. There is one loop in a process, so all gateways share this. The timer
 * ticks late after a hold; the marks since the tick before show whose work took the time.
 */
export class EventLoop<Work> {
  readonly #listeners = new Set<(hold: Hold<Work>) => void>();
  #timer: NodeJS.Timeout | undefined;
  /** At the last tick: the time, how long the loop had waited for something to do in all, and the processor time. */
  #tickedAt = 0;
  #idle = 0;
  #cpu = process.cpuUsage();
  /** Whose work is going on, and since when. */
  #work: Work | undefined;
  #since = 0;
  /** Whose work was the last, how long it has taken without another's in between, and the longest such time since the tick. */
  #lastWork: Work | undefined;
  #run = 0;
  #longestWork: Work | undefined;
  #longest = 0;
  stalls = 0;

  /** Watches the loop until the returned function is called. The first listener hears of what is nobody's work. */
  listen(listener: (hold: Hold<Work>) => void): () => void {
    this.#listeners.add(listener);
    if (this.#timer === undefined) {
      this.#timer = setInterval(() => this.#tick(), interval).unref();
      this.#since = performance.now();
      this.#startOver();
    }
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
      this.#work = undefined;
      this.#startOver();
    };
  }

  /** From now on the loop works for this; `undefined`: for nobody in particular. */
  mark(work: Work | undefined): void {
    if (this.#timer === undefined) return;
    const now = performance.now();
    if (this.#work !== undefined) this.#add(this.#work, now - this.#since);
    this.#since = now;
    this.#work = work;
  }

  #add(work: Work, milliseconds: number): void {
    this.#run = work === this.#lastWork ? this.#run + milliseconds : milliseconds;
    this.#lastWork = work;
    if (this.#run <= this.#longest) return;
    this.#longest = this.#run;
    this.#longestWork = work;
  }

  #tick(): void {
    this.mark(undefined);
    const passed = this.#since - this.#tickedAt;
    // A process that was suspended while it had nothing to do was not held.
    const busy = passed - (performance.eventLoopUtilization().idle - this.#idle);
    if (busy > stall && (this.#longest > stall || passed - interval > stall)) this.#report(busy);
    this.#startOver();
  }

  #report(busy: number): void {
    this.stalls++;
    const work = this.#longest > Math.min(stall, busy / 2) ? this.#longestWork : undefined;
    const heldMs = Math.round(work !== undefined && this.#longest > stall ? this.#longest : busy);
    const { user, system } = process.cpuUsage(this.#cpu);
    const hold = { heldMs, cpuMs: Math.min(heldMs, Math.round((user + system) / 1000)), work };
    for (const listener of this.#listeners) {
      listener(hold);
      if (work === undefined) return;
    }
  }

  #startOver(): void {
    this.#tickedAt = this.#since;
    this.#idle = performance.eventLoopUtilization().idle;
    this.#cpu = process.cpuUsage();
    this.#lastWork = undefined;
    this.#longestWork = undefined;
    this.#run = 0;
    this.#longest = 0;
  }
}
