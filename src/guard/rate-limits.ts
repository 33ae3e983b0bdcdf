import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";

/** A number of requests in a time window. The window begins with its first request. */
export interface Rate {
  requests: number;
  /** Milliseconds. */
  per: number;
}

/** A key whose requests are counted. */
export interface Counted {
  readonly name: string;
  /** Absent: the default rate. `null`: no limit. */
  readonly rate?: Rate | null;
}

/** The state of a key's window after a request was counted. */
export interface RateStanding {
  rate: Rate;
  allowed: boolean;
  remaining: number;
  /** Milliseconds until the window ends. */
  reset: number;
}

export interface RateLimits {
  /**
   * Counts a request of this key, or of all clients together if there are no keys. Returns `null` if no limit applies.
   * Asynchronous, so that several gateways can share a counter.
   */
  count(key: Counted | null): Promise<RateStanding> | null;
}

/** Counts in memory. `usual` is the rate of keys without their own. */
export function createRateLimits(usual: Rate | null): RateLimits {
  const limiters = new Map<string, RateLimiterMemory>();
  const limiterOf = (rate: Rate) => {
    const form = `${rate.requests}/${rate.per}`;
    const known = limiters.get(form);
    if (known) return known;
    const limiter = new RateLimiterMemory({ points: rate.requests, duration: rate.per / 1_000 });
    limiters.set(form, limiter);
    return limiter;
  };
  return {
    count(key) {
      const rate = key?.rate === undefined ? usual : key.rate;
      return rate && count(limiterOf(rate), key?.name ?? allClients, rate);
    },
  };
}

/** Without keys all clients share one counter. */
const allClients = "";

async function count(limiter: RateLimiterMemory, name: string, rate: Rate): Promise<RateStanding> {
  try {
    return standing(rate, true, await limiter.consume(name));
  } catch (refused) {
    if (refused instanceof RateLimiterRes) return standing(rate, false, refused);
    throw refused;
  }
}

function standing(rate: Rate, allowed: boolean, { remainingPoints, msBeforeNext }: RateLimiterRes): RateStanding {
  return { rate, allowed, remaining: remainingPoints, reset: Math.max(0, Math.ceil(msBeforeNext)) };
}
