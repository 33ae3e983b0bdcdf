import { BeyondJsonLimits, type JsonLimits, JsonScan } from "./json-scan.ts";

/** JSON from outside that has not been validated yet. */
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;
export interface JsonObject {
  [key: string]: JsonValue | undefined;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether objects and arrays are nested more than `limit` levels deep. */
export function isDeeperThan(value: JsonValue | undefined, limit: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (limit === 0) return true;
  if (Array.isArray(value)) return value.some((inside) => isDeeperThan(inside, limit - 1));
  // Parsed JSON has own keys only, so `for…in` finds nothing else.
  for (const key in value) if (isDeeperThan(value[key], limit - 1)) return true;
  return false;
}

/** A text of this length is parsed within about 10 ms, whatever it holds. A longer one is looked at first. */
const longestUnseen = 64 * 1024;

/** Within these limits the parse of a text takes about 20 ms at most, beside what its strings take. */
export const textLimits: JsonLimits = { depth: 512, values: 50_000 };
/** A provider's answer may list the probabilities of every token. */
export const answerLimits: JsonLimits = { depth: 512, values: 500_000 };

/**
 * Parses untrusted text without throwing: `undefined` means that it is not JSON. A long text that is nested too deeply, or that
 * holds too many values, counts as no JSON: to parse it would hold the event loop and fill the memory.
 */
export function parseJson(text: string, limits: JsonLimits = textLimits): JsonValue | undefined {
  if (text.length > longestUnseen && beyondLimits(text, limits)) return undefined;
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** Which limit a long text exceeds. A short one is not looked at. */
export function beyondLimits(text: string, limits: JsonLimits): keyof JsonLimits | undefined {
  if (text.length <= longestUnseen) return undefined;
  const scan = new JsonScan(limits);
  try {
    for (let at = 0; at < text.length; at += scanned) scan.feed(Buffer.from(text.slice(at, at + scanned)));
  } catch (thrown) {
    if (thrown instanceof BeyondJsonLimits) return thrown.what;
    throw thrown;
  }
  return undefined;
}

const scanned = 16 * 1024;
