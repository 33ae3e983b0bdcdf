import { parseDuration, readDate } from "../config/index.ts";
import type { StoredKey } from "../store/store.ts";
import { Refusal } from "./refusal.ts";

export interface WrittenKey {
  name: string;
  models?: string | undefined;
  rate?: string | undefined;
  expires?: string | undefined;
}

export type KeyOptions = Pick<StoredKey, "name" | "models" | "rate" | "expiresAt">;

const mostModels = 1_000;
const longestTime = 8_640_000_000_000_000;

/** Reads the arguments of `keys create`. Throws a `Refusal` at the first mistake. */
export function readKeyOptions({ name, models, rate, expires }: WrittenKey, now: number): KeyOptions {
  if (!/^[^\s\p{C}]{1,64}$/u.test(name)) throw new Refusal("NAME must have 1 to 64 visible characters without spaces");
  return {
    name,
    models: models === undefined ? null : readModels(models),
    rate: rate === undefined ? null : readRate(rate),
    expiresAt: expires === undefined ? null : readExpiry(expires, now),
  };
}

function readModels(written: string): string[] {
  const models = written.split(",").map((model) => model.trim());
  if (models.length > mostModels || models.some((model) => model === "" || /\p{Cc}/u.test(model)))
    throw new Refusal("--models must be names of models with commas between them, such as fast,openai/*");
  return [...new Set(models)];
}

function readRate(written: string): { requests: number; per: number } {
  const [, requests, per] = /^(\d{1,12})\/(\S{1,20})$/.exec(written) ?? [];
  const rate = { requests: Number(requests ?? 0), per: parseDuration(per) ?? 0 };
  if (rate.requests < 1 || rate.per < 1)
    throw new Refusal("--rate must be a number of requests in a time, such as 60/1m");
  return rate;
}

function readExpiry(written: string, now: number): number {
  const duration = parseDuration(written);
  const expiry = duration === undefined ? readDate(written)?.getTime() : now + duration;
  if (expiry === undefined || expiry > longestTime)
    throw new Refusal("--expires must be a date such as 2030-01-31, or a time from now such as 30d");
  if (expiry <= now) throw new Refusal(`--expires must be in the future, found ${written}`);
  return expiry;
}
