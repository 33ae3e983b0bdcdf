import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";

/** So many requests in a window. The window begins with the first request in it. */
export interface Rate {
  requests: number;
  /** Milliseconds. */
  per: number;
}

/** Whose requests are counted: a key. */
export interface Counted {
  readonly name: string;
  /** A rate of its own, or `null` for none. Absent: the usual one. */
  readonly rate?: Rate | null;
}

/** How a key stands after a request was counted. */
export interface RateStanding {
  rate: Rate;
  allowed: boolean;
  remaining: number;
  /** Milliseconds until the window is over. */
  reset: number;
}

export interface RateLimits {
  /**
   * Counts a request of this key, or of everybody where there are no keys; `null` where nothing limits it. A promise, because a
   * count that several gateways share is kept elsewhere.
   */
  count(key: Counted | null): Promise<RateStanding> | null;
}

/** Counts in memory. `usual` holds for every key that has no rate of its own. */
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
      return rate && count(limiterOf(rate), key?.name ?? everybody, rate);
    },
  };
}

/** Without keys nobody can be told apart. */
const everybody = "";

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
