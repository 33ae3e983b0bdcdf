import type { EventFields, JsonValue } from "../turn/index.ts";
import { SecretForms, type Span, viewsOf } from "./secret-forms.ts";
import { findPatterns, shortestPattern } from "./secret-patterns.ts";

/** The one place that decides what must not be read outside: every log line, event and foreign message passes here. */
export interface Redactor {
  /** Whether argument values, results and prompts are kept out of events and logs. */
  readonly redact: boolean;
  /** A text without secrets, of at most 2,000 characters. Addresses stay, without user and password. */
  text(text: string): string;
  /** A provider's words as a client may read them: addresses go too, for they show where a request went. */
  providerMessage(text: string): string;
  /** A value with every string in it, names included, without secrets and at most `limit` characters long. */
  json(value: JsonValue, limit?: number): JsonValue;
  /** The fields of an event, with `values` only where redaction is off. */
  fields(fields: EventFields, values?: EventFields): EventFields;
  /** More that must never be shown, where it becomes known only later. */
  learn(secrets: readonly string[]): void;
}

export interface RedactorOptions {
  /** Everything that must never be shown: provider keys, gateway keys, passwords in URLs of stores. */
  secrets: readonly string[];
  redact: boolean;
}

const textLimit = 2_000;
const valueLimit = 65_536;
/** Deeper values are not JSON that a person reads; the bound keeps a hostile one from exhausting the stack. */
const maxDepth = 32;

/** Fields whose very name says that they hold a secret, in lower case without `-` and `_`. */
const secretNames = new Set(
  "authorization proxyauthorization cookie setcookie apikey xapikey password secret clientsecret token accesstoken refreshtoken privatekey".split(
    " ",
  ),
);

export function createRedactor({ secrets, redact }: RedactorOptions): Redactor {
  const known = new Set(secrets);
  let forms = new SecretForms(secrets);
  /** How much is looked at beyond what is shown: a secret that begins before the cut must be seen whole. */
  let margin = forms.reach + 256;

  /** Field names and statuses are mostly shorter than anything that could be secret. */
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
    for (const view of viewsOf(seen)) {
      forms.find(view, spans);
      findPatterns(view, { cut, urls }, spans);
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

/** Spans may overlap: what any of them covers goes, under the label of the one that began first. */
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

/** A cut between the halves of a surrogate pair would leave a character that is not one. */
function withoutHalf(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? text.slice(0, -1) : text;
}
