import { ExponentialBackoff, type IBackoff } from "cockatiel";
import { mayRetry, type TurnError } from "../../turn/index.ts";
import type { Decision, FailedAttempt, Policy } from "./policy.ts";

/** Starts at about 250 ms and grows, with jitter, so that clients that failed together do not retry together. */
const backoff = new ExponentialBackoff({ initialDelay: 250, maxDelay: 4_000 });
/** If a provider asks for a longer wait, there is no retry: the client decides. */
const longestWait = 5_000;

/** Sends the same request again after a wait, if that may help. */
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

/** How long to wait before the retry; `undefined` means no retry. */
function retryDelay(error: TurnError, delay: number): number | undefined {
  if (!mayRetry(error)) return undefined;
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
