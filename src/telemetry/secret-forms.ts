import { Buffer } from "node:buffer";

/** A range of a text that is secret, and its replacement. */
export interface Span {
  start: number;
  end: number;
  label: "[redacted]" | "[url]";
}

/** A decoded form of a text; `offsets[i]` is the offset of character `i` in the original text. */
export interface View {
  text: string;
  offsets: Uint32Array | null;
}

/** One of the encodings in which a configured secret may appear. */
interface Form {
  needle: string;
  match: "anywhere" | "word" | "base64";
}

/** The encoded forms of shorter secrets would match by chance. */
const encodedFrom = 8;
/** Shorter secrets match whole words only: placeholders such as `xx` would match inside other words. */
const anywhereFrom = 4;

const alphanumeric = /[A-Za-z0-9]/;
const base64Character = /[A-Za-z0-9+/_=-]/;

/** Finds the configured secrets in all their encodings. */
export class SecretForms {
  /** The forms by their first two characters, so that most positions of a text need only one lookup. */
  readonly #byStart = new Map<number, Form[]>();
  /** The most characters that one secret can occupy: each character may be escaped as `\u0041`. */
  readonly reach: number;
  /** The length of the shortest form. */
  readonly shortest: number;

  constructor(secrets: readonly string[]) {
    const forms = new Map<string, Form>();
    for (const secret of secrets.flatMap(withoutScheme)) {
      for (const form of formsOf(secret)) forms.set(form.needle, form);
    }
    const lengths = [...forms.keys()].map((needle) => needle.length);
    this.reach = 6 * Math.max(0, ...lengths);
    this.shortest = Math.min(...lengths);
    for (const form of forms.values()) {
      const start = startAt(form.needle, 0);
      this.#byStart.set(start, [...(this.#byStart.get(start) ?? []), form]);
    }
  }

  find(view: View, spans: Span[]): void {
    const { text } = view;
    /** The end of the last base64 run, which is redacted as a whole. */
    let runEnd = 0;
    for (let at = 0; at < text.length; at++) {
      const forms = this.#byStart.get(startAt(text, at));
      if (forms === undefined) continue;
      for (const { needle, match } of forms) {
        if (!text.startsWith(needle, at)) continue;
        let start = at;
        let end = at + needle.length;
        if (match === "word" && !standsAlone(text, start, end)) continue;
        if (match === "base64") {
          if (at < runEnd) continue;
          // The neighbouring characters encode bits of the secret too.
          while (start > runEnd && base64Character.test(text.charAt(start - 1))) start--;
          while (base64Character.test(text.charAt(end))) end++;
          runEnd = end;
        }
        spans.push(spanIn(view, start, end, "[redacted]"));
      }
    }
  }
}

/** The two characters at an offset as one number; NaN, which matches no form, if there is only one. */
function startAt(text: string, at: number): number {
  return text.charCodeAt(at) * 0x10000 + text.charCodeAt(at + 1);
}

export function spanIn({ offsets }: View, start: number, end: number, label: Span["label"]): Span {
  return offsets ? { start: offsets[start] ?? start, end: offsets[end] ?? end, label } : { start, end, label };
}

/** The text itself, and its forms without percent-encoding and without JSON escapes. */
export function viewsOf(text: string): View[] {
  const views: View[] = [{ text, offsets: null }];
  if (text.includes("%")) views.push(decoded(text, percentEscape));
  if (text.includes("\\")) views.push(decoded(text, jsonEscape));
  return views;
}

/** A configured header may be `Bearer <key>`, and a provider may quote the key without its scheme. */
function withoutScheme(secret: string): string[] {
  const bare = /^(?:bearer|basic|token) +(\S+)$/i.exec(secret.trim())?.[1];
  return bare === undefined ? [secret] : [secret, bare];
}

function formsOf(secret: string): Form[] {
  const trimmed = secret.trim();
  // A single character would match in every sentence.
  if (trimmed.length < 2) return [];
  if (trimmed.length < anywhereFrom) return [{ needle: trimmed, match: "word" }];
  const forms: Form[] = [{ needle: trimmed, match: "anywhere" }];
  if (trimmed.length < encodedFrom) return forms;
  const bytes = Buffer.from(trimmed, "utf8");
  // Decoding finds these too, unless the text before them forms an escape with their first character (`%0` before `0…`).
  const encoded = encodeURIComponent(bytes.toString("utf8"));
  for (const needle of [
    encoded,
    encoded.replace(/%../g, (escaped) => escaped.toLowerCase()),
    JSON.stringify(trimmed).slice(1, -1),
  ]) {
    forms.push({ needle, match: "anywhere" });
  }
  // Percent-decoding yields bytes, which differ from the characters outside ASCII.
  forms.push({ needle: bytes.toString("latin1"), match: "anywhere" });
  for (const needle of base64Cores(bytes)) {
    const forUrls = needle.replaceAll("+", "-").replaceAll("/", "_");
    for (const spelled of [needle, forUrls, encodeURIComponent(needle)])
      forms.push({ needle: spelled, match: "base64" });
  }
  return forms;
}

/**
 * Base64 encodes three bytes as four characters, so a secret inside a longer value (`user:secret`) has three encodings, depending
 * on its offset. Returns the part of each that does not depend on the neighbouring bytes.
 */
function base64Cores(bytes: Buffer): string[] {
  return [0, 1, 2].map((shift) => {
    const spelled = Buffer.concat([Buffer.alloc(shift), bytes]).toString("base64");
    return spelled.slice(Math.ceil((shift * 8) / 6), Math.floor(((shift + bytes.length) * 8) / 6));
  });
}

function standsAlone(text: string, start: number, end: number): boolean {
  return !alphanumeric.test(text.charAt(start - 1)) && !alphanumeric.test(text.charAt(end));
}

interface Escape {
  lead: string;
  /** The code unit and the length of the escape at `at`; null if there is no escape. */
  read(text: string, at: number): { unit: number; length: number } | null;
}

const percentEscape: Escape = {
  lead: "%",
  read(text, at) {
    const unit = hexAt(text, at + 1, 2);
    return unit === null ? null : { unit, length: 3 };
  },
};

const controls: Record<string, number> = { n: 10, r: 13, t: 9, b: 8, f: 12 };

const jsonEscape: Escape = {
  lead: "\\",
  read(text, at) {
    const letter = text.charAt(at + 1);
    const unit = letter === "u" ? hexAt(text, at + 2, 4) : null;
    if (unit !== null) return { unit, length: 6 };
    // A strict parser reads `\\u0041` as plain text, but a person recognises the letter, so it is decoded.
    if (letter === "" || (letter === "\\" && text.charAt(at + 2) === "u")) return null;
    return { unit: controls[letter] ?? letter.charCodeAt(0), length: 2 };
  },
};

function hexAt(text: string, at: number, digits: number): number | null {
  const hex = text.slice(at, at + digits);
  return hex.length === digits && /^[0-9a-f]+$/i.test(hex) ? Number.parseInt(hex, 16) : null;
}

function decoded(text: string, notation: Escape): View {
  const units = new Uint16Array(text.length);
  const offsets = new Uint32Array(text.length + 1);
  let length = 0;
  for (let at = 0; at < text.length; length++) {
    const found = text[at] === notation.lead ? notation.read(text, at) : null;
    offsets[length] = at;
    units[length] = found?.unit ?? text.charCodeAt(at);
    at += found?.length ?? 1;
  }
  offsets[length] = text.length;
  let out = "";
  // In chunks, because a function takes a limited number of arguments.
  for (let at = 0; at < length; at += 4096) {
    out += String.fromCharCode(...units.subarray(at, Math.min(at + 4096, length)));
  }
  return { text: out, offsets };
}
