import type { FastifyReply } from "fastify";
import { formatDuration } from "../config/index.ts";
import type { Key, RateLimits, RateStanding } from "../guard/index.ts";
import { TurnError } from "../turn/index.ts";

/** OpenAI's header names, which libraries and dashboards know. */
export const rateHeaders = [
  "x-ratelimit-limit-requests",
  "x-ratelimit-remaining-requests",
  "x-ratelimit-reset-requests",
] as const;

/** Counts the request, sets the rate headers on every answer, and throws if the limit is exceeded. */
export async function limitRate(limits: RateLimits, key: Key | null, reply: FastifyReply): Promise<void> {
  const counting = limits.count(key);
  if (counting === null) return;
  const standing = await counting;
  const [limit, remaining, reset] = rateHeaders;
  reply.header(limit, String(standing.rate.requests));
  reply.header(remaining, String(standing.remaining));
  reply.header(reset, resetTime(standing.reset));
  if (!standing.allowed) throw tooMany(standing, key);
}

/** As OpenAI writes it: `120ms`, `1s`, `6m0s`, `1h0m0s`. */
export function resetTime(milliseconds: number): string {
  if (milliseconds < 1_000) return `${milliseconds}ms`;
  const minutes = Math.floor(milliseconds / 60_000);
  const seconds = `${(milliseconds % 60_000) / 1_000}s`;
  if (minutes === 0) return seconds;
  return minutes < 60 ? `${minutes}m${seconds}` : `${Math.floor(minutes / 60)}h${minutes % 60}m${seconds}`;
}

function tooMany({ rate, reset }: RateStanding, key: Key | null): TurnError {
  const who = key ? `The key "${key.name}"` : "This gateway";
  const seconds = String(Math.max(1, Math.ceil(reset / 1_000)));
  return new TurnError(
    "rate_limit_exceeded",
    `${who} is limited to ${rate.requests} requests in ${formatDuration(rate.per)}. Please try again in ${seconds}s.`,
    { retryAfter: seconds },
  );
}
