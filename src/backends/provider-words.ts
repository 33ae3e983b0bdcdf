import type { JsonObject, JsonValue } from "../turn/index.ts";

/** Takes keys and addresses out of a provider's words before a client sees them. */
export type Redact = (text: string) => string;

/** Providers put their sentence under several names, or a list of what is wrong. */
export function messageOf(error: JsonObject): string | undefined {
  const said = filled(error.message) ?? filled(error.detail) ?? filled(error.msg);
  return said ?? (error.detail ? JSON.stringify(error.detail) : undefined);
}

/** Where an error is an event of its own, the event's name stands in the place of its type. */
export function typeOf(value: JsonValue | undefined, redact: Redact): string | undefined {
  return value === "error" || value === "response.error" ? undefined : wordOf(value, redact);
}

/** A `type` or a `code`. Clients compare them, so that one with something taken out of it would be of no use: it is left out. */
export function wordOf(value: JsonValue | undefined, redact: Redact): string | undefined {
  return typeof value === "string" && word.test(value) && redact(value) === value ? value : undefined;
}

/** A `param`, which names a place in the request. */
export function pathOf(value: JsonValue | undefined, redact: Redact): string | undefined {
  return typeof value === "string" && path.test(value) && redact(value) === value ? value : undefined;
}

const word = /^[\w.:-]{1,64}$/;
const path = /^[\w.:$[\]-]{1,256}$/;

/** A number of seconds or a date, and nothing else that a header could hold. */
export function retryAfterOf(header: string | string[] | undefined): string | undefined {
  if (typeof header !== "string") return undefined;
  return seconds.test(header) || isHttpDate(header) ? header : undefined;
}

const seconds = /^\d{1,10}(?:\.\d{1,6})?$/;

/** The one form of a date that HTTP still allows to be written is that of `toUTCString`. */
function isHttpDate(text: string): boolean {
  const time = text.length > 32 ? Number.NaN : Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toUTCString() === text;
}

function filled(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
