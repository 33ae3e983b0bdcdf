import { format } from "@cfworker/json-schema";

interface Format {
  /** Longer text does not have the format and is not parsed. */
  longest: number;
  /** Completes "must be …" in an error that a model can act on. */
  hint: string;
}

/** The formats that are checked; unknown ones are ignored. */
const known = new Map<string, Format>([
  ["date-time", { longest: 64, hint: "a date and time such as 2025-01-31T12:00:00Z" }],
  ["date", { longest: 10, hint: "a date such as 2025-01-31" }],
  ["time", { longest: 64, hint: "a time with its zone such as 12:00:00Z" }],
  ["duration", { longest: 64, hint: "an ISO 8601 duration such as PT1H30M" }],
  ["email", { longest: 320, hint: "an email address" }],
  ["hostname", { longest: 253, hint: "a host name" }],
  ["ipv4", { longest: 15, hint: "an IPv4 address" }],
  ["ipv6", { longest: 45, hint: "an IPv6 address" }],
  ["uuid", { longest: 36, hint: "a UUID" }],
]);

/** Formats that restrict the text but that implementations interpret differently. */
const unchecked: ReadonlySet<unknown> = new Set(
  "uri uri-reference uri-template url iri iri-reference idn-email idn-hostname regex json-pointer relative-json-pointer byte base64 base64url".split(
    " ",
  ),
);

/** cfworker does not accept fractions, which many languages write. */
const duration =
  /^[-+]?P(?=[\dT])(?:\d+(?:[.,]\d+)?Y)?(?:\d+(?:[.,]\d+)?M)?(?:\d+(?:[.,]\d+)?W)?(?:\d+(?:[.,]\d+)?D)?(?:T(?=\d)(?:\d+(?:[.,]\d+)?H)?(?:\d+(?:[.,]\d+)?M)?(?:\d+(?:[.,]\d+)?S)?)?$/;

export function isUncheckedFormat(name: unknown): boolean {
  return unchecked.has(name);
}

export function isKnownFormat(name: string): boolean {
  return known.has(name);
}

/** The error in the text, or undefined if it has the format. */
export function formatComplaint(name: string, text: string): string | undefined {
  const wanted = known.get(name);
  if (!wanted || (text.length <= wanted.longest && hasFormat(name, text))) return undefined;
  return `must be ${wanted.hint}`;
}

function hasFormat(name: string, text: string): boolean {
  return name === "duration" ? duration.test(text) : format[name]?.(text) === true;
}
