import type { JsonObject, JsonValue } from "../turn/index.ts";

/**
 * The HTTP status that the error would have had before the answer began; `undefined` if the error does not show whose fault it is.
 */
export function statusOf({ code, status, status_code, type }: JsonObject): number | undefined {
  return firstOf([code, status, status_code], statusIn) ?? firstOf([code, status, type], statusByWord);
}

function statusIn(value: JsonValue | undefined): number | undefined {
  const text = typeof value === "number" ? String(value) : value;
  return typeof text === "string" && /^[45]\d\d$/.test(text) ? Number(text) : undefined;
}

function statusByWord(value: JsonValue | undefined): number | undefined {
  if (typeof value !== "string") return undefined;
  const word = inSnakeCase(value.slice(0, longestWord));
  return statuses.find(([, words]) => words.test(word))?.[0];
}

const longestWord = 128;

/** Providers write `rate_limit_error`, `RateLimitError`, `RESOURCE_EXHAUSTED` and `Too Many Requests`. */
function inSnakeCase(word: string): string {
  return word
    .replace(/([a-z\d])(?=[A-Z])/g, "$1_")
    .toLowerCase()
    .replace(/[^a-z\d]+/g, "_");
}

/** Error names of OpenAI, Anthropic, Google and compatible providers. The first match wins. */
const statuses: [status: number, words: RegExp][] = [
  [429, /rate_limit|too_many_requests|insufficient_quota|quota_exceeded|resource_exhausted|throttling/],
  [401, /authentication|unauthenticated|unauthorized|(?:invalid|incorrect)_api_key/],
  [402, /payment_required|insufficient_balance|billing/],
  [403, /permission|forbidden|access_denied|unsupported_country/],
  // Before 404: a missing image is a mistake in the request.
  [400, /(?:invalid|empty|download|unsupported)_image|image_(?:too|parse|content|file)/],
  [404, /not_found/],
  [413, /(?:request|payload|entity)_too_large/],
  [400, /bad_request|invalid_(?:request|prompt|argument|param|value|type|base64|schema|function|tool|json)/],
  [400, /context_(?:length|window)|content_(?:policy|filter)|data_inspection|(?:above_max|below_min)_/],
  [400, /string_too_long|missing_required|unsupported_(?:value|param)|unknown_param|unprocessable/],
  [503, /overloaded|unavailable|slow_down/],
];

function firstOf<T>(values: readonly T[], read: (value: T) => number | undefined): number | undefined {
  for (const value of values) {
    const status = read(value);
    if (status !== undefined) return status;
  }
  return undefined;
}
