import type { EventFields, JsonValue } from "../turn/index.ts";
import { SecretForms } from "./secret-forms.ts";
import { findPatterns, shortestPattern } from "./secret-patterns.ts";
import { deepViews, plainViews, type Span } from "./secret-views.ts";

/** Removes secrets from every log line, event and provider's message. No other code decides what is secret. */
export interface Redactor {
  /** Whether events and logs leave out argument values, results and prompts. */
  readonly redact: boolean;
  /** A text without secrets, of at most 2,000 characters. URLs stay, without user and password. */
  text(text: string): string;
  /** A provider's message for a client. URLs are removed too, because they reveal the provider's address. */
  providerMessage(text: string): string;
  /** A value whose strings, including field names, contain no secrets and are at most `limit` characters long. */
  json(value: JsonValue, limit?: number): JsonValue;
  /** The fields of an event. `values` are included only if redaction is off. */
  fields(fields: EventFields, values?: EventFields): EventFields;
  /** Adds secrets that become known later. */
  learn(secrets: readonly string[]): void;
}

export interface RedactorOptions {
  /** Provider keys, gateway keys and passwords in store URLs. */
  secrets: readonly string[];
  redact: boolean;
}

const textLimit = 2_000;
const valueLimit = 65_536;
/** Keeps a hostile value from exhausting the stack. */
const maxDepth = 32;

/** Names of fields that hold secrets, in lower case without `-` and `_`. */
const secretNames = new Set(
  "authorization proxyauthorization cookie setcookie apikey xapikey password secret clientsecret token accesstoken refreshtoken privatekey".split(
    " ",
  ),
);

export function createRedactor({ secrets, redact }: RedactorOptions): Redactor {
  const known = new Set(secrets);
  let forms = new SecretForms(secrets);
  /** How far the search continues after the cut: a secret that begins before the cut must be found whole. */
  let margin = forms.reach + 256;

  /** Shorter texts need no search. Most field names and statuses are that short. */
  let shortest = Math.min(forms.shortest, shortestPattern);

  function learn(more: readonly string[]): void {
    if (more.every((secret) => known.has(secret))) return;
    for (const secret of more) known.add(secret);
    forms = new SecretForms([...known]);
    margin = forms.reach + 256;
    shortest = Math.min(forms.shortest, shortestPattern);
  }

  function scrub(text: string, limit: number, urls: boolean): string {
    if (text.length < shortest) return text;
    const cut = text.length > limit + margin;
    const seen = cut ? text.slice(0, limit + margin) : text;
    const spans: Span[] = [];
    for (const view of plainViews(seen)) {
      forms.find(view, spans);
      findPatterns(view, { cut, urls }, spans);
    }
    for (const view of deepViews(seen)) {
      forms.findLong(view, spans);
      if (cut) forms.findBeginning(view, spans);
    }
    return spans.length === 0 ? shortened(text, limit) : assemble(seen, spans, limit, text.length);
  }

  function json(value: JsonValue, limit: number, depth: number): JsonValue {
    if (typeof value === "string") return scrub(value, limit, false);
    if (typeof value !== "object" || value === null) return value;
    if (depth === maxDepth) return "[too deep]";
    if (Array.isArray(value)) return value.map((entry) => json(entry, limit, depth + 1));
    return object(value, limit, depth);
  }

  function object(value: EventFields, limit: number, depth: number): EventFields {
    const entries: [string, JsonValue][] = [];
    for (const [name, entry] of Object.entries(value)) {
      if (entry === undefined) continue;
      const hidden = isSecretName(name) && (typeof entry === "string" || (typeof entry === "object" && entry !== null));
      entries.push([scrub(name, limit, false), hidden ? "[redacted]" : json(entry, limit, depth + 1)]);
    }
    return Object.fromEntries(entries);
  }

  return {
    redact,
    text: (text) => scrub(text, textLimit, false),
    providerMessage: (text) => scrub(text, textLimit, true),
    json: (value, limit = valueLimit) => json(value, limit, 0),
    learn,
    fields: (fields, values) => object(redact || !values ? fields : { ...fields, ...values }, valueLimit, 0),
  };
}

function isSecretName(name: string): boolean {
  return name.length <= 32 && secretNames.has(name.toLowerCase().replace(/[-_]/g, ""));
}

/** Spans may overlap. Overlapping spans become one, with the label of the first. */
function assemble(text: string, spans: Span[], limit: number, whole: number): string {
  spans.sort((a, b) => a.start - b.start || b.end - a.end);
  let out = "";
  let at = 0;
  for (const { start, end, label } of spans) {
    if (start >= limit || out.length > limit) break;
    if (start >= at) out += text.slice(at, start) + label;
    at = Math.max(at, end);
  }
  if (at < limit) out += text.slice(at, limit);
  return whole > Math.max(at, limit) ? `${withoutHalf(out.slice(0, limit))}…` : shortened(out, limit);
}

function shortened(text: string, limit: number): string {
  return text.length <= limit ? text : `${withoutHalf(text.slice(0, limit))}…`;
}

/** A cut must not split a surrogate pair. */
function withoutHalf(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? text.slice(0, -1) : text;
}
