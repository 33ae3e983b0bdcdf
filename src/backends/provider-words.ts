import type { JsonObject, JsonValue } from "../turn/index.ts";

/** Removes keys and addresses from a provider's text before a client sees it. */
export type Redact = (text: string) => string;

/** Providers use several names for the message, or send a list of errors. */
export function messageOf(error: JsonObject): string | undefined {
  const said = filled(error.message) ?? filled(error.detail) ?? filled(error.msg);
  return said ?? (error.detail ? JSON.stringify(error.detail) : undefined);
}

/** If an error is an event of its own, `type` holds the event's name. */
export function typeOf(value: JsonValue | undefined, redact: Redact): string | undefined {
  return value === "error" || value === "response.error" ? undefined : wordOf(value, redact);
}

/** A `type` or a `code`. Clients compare these, so a redacted one would be useless and is dropped. */
export function wordOf(value: JsonValue | undefined, redact: Redact): string | undefined {
  return typeof value === "string" && word.test(value) && redact(value) === value ? value : undefined;
}

/** A `param`, which is a path in the request. */
export function pathOf(value: JsonValue | undefined, redact: Redact): string | undefined {
  return typeof value === "string" && path.test(value) && redact(value) === value ? value : undefined;
}

const word = /^[\w.:-]{1,64}$/;
const path = /^[\w.:$[\]-]{1,256}$/;

/** A number of seconds or a date. Any other value of the header is dropped. */
export function retryAfterOf(header: string | string[] | undefined): string | undefined {
  if (typeof header !== "string") return undefined;
  return seconds.test(header) || isHttpDate(header) ? header : undefined;
}

const seconds = /^\d{1,10}(?:\.\d{1,6})?$/;

/** HTTP allows senders only one date format, that of `toUTCString`. */
function isHttpDate(text: string): boolean {
  const time = text.length > 32 ? Number.NaN : Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toUTCString() === text;
}

function filled(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
