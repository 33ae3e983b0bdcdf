import { ExponentialBackoff, type IBackoff } from "cockatiel";
import type { TurnError } from "../../turn/index.ts";
import type { Decision, FailedAttempt, Policy } from "./policy.ts";

/** Grows from about a quarter of a second, with jitter: clients that failed together do not come back together. */
const backoff = new ExponentialBackoff({ initialDelay: 250, maxDelay: 4_000 });
/** A provider that wants to be left alone for longer is: the client decides. */
const longestWait = 5_000;

/** Sends the same request again, after a wait, where that may well help. */
export class Retry implements Policy {
  #left: number;
  #delay: IBackoff<unknown> = backoff.next();

  constructor(retries: number) {
    this.#left = retries;
  }

  decide({ error, isCancelled }: FailedAttempt): Decision | undefined {
    if (this.#left <= 0 || isCancelled) return undefined;
    this.#delay = this.#delay.next(undefined);
    const waitMs = retryDelay(error, this.#delay.duration);
    if (waitMs === undefined) return undefined;
    this.#left--;
    return { next: { action: "retry", waitMs } };
  }
}

/** How long to wait before the same request is sent again; `undefined` when it is not. */
function retryDelay(error: TurnError, delay: number): number | undefined {
  if (!error.again) return undefined;
  const asked = waitAskedFor(error.retryAfter);
  return asked > longestWait ? undefined : asked + delay;
}

/** `retry-after` is a number of seconds or a date. */
function waitAskedFor(retryAfter: string | undefined): number {
  if (retryAfter === undefined) return 0;
  const seconds = Number(retryAfter);
  const milliseconds = Number.isNaN(seconds) ? Date.parse(retryAfter) - Date.now() : seconds * 1000;
  return milliseconds > 0 ? milliseconds : 0;
}
