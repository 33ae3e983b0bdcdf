import { Buffer } from "node:buffer";
import { type Span, spanIn, type View } from "./secret-views.ts";

/** One of the forms in which a configured secret may appear. */
interface Form {
  needle: string;
  match: "anywhere" | "word" | "base64";
}

/** The encoded forms of shorter secrets would match by chance, and so would other spellings. */
const encodedFrom = 8;
/** Shorter secrets match whole words only: placeholders such as `xx` would match inside other words. */
const anywhereFrom = 4;
/** A shorter beginning of a secret at the end of a text that was cut tells nothing. */
const shortestBeginning = 6;

const alphanumeric = /[A-Za-z0-9]/;
const base64Character = /[A-Za-z0-9+/_=-]/;

/** Finds the configured secrets in all their forms. */
export class SecretForms {
  /** Forms of short secrets, in their own spelling. */
  readonly #exact: FormSearch;
  /** Forms of the other secrets, in lower case. */
  readonly #folded: FormSearch;
  /** The most characters that one secret usually occupies: each character may be escaped as `\u0041`. */
  readonly reach: number;
  /** The length of the shortest form. */
  readonly shortest: number;

  constructor(secrets: readonly string[]) {
    const [exact, folded] = [new Map<string, Form>(), new Map<string, Form>()];
    for (const secret of secrets.flatMap(withoutScheme).map((each) => each.trim())) {
      const short = secret.length < encodedFrom;
      for (const { needle, match } of short ? shortForms(secret) : longForms(secret)) {
        const spelled = short ? needle : fold(needle);
        (short ? exact : folded).set(spelled, { needle: spelled, match });
      }
    }
    this.#exact = new FormSearch(exact.values());
    this.#folded = new FormSearch(folded.values());
    this.reach = 6 * Math.max(this.#exact.longest, this.#folded.longest);
    this.shortest = Math.min(this.#exact.shortest, this.#folded.shortest);
  }

  find(view: View, spans: Span[]): void {
    if (!this.#exact.isEmpty) this.#exact.find(view, view.text, spans);
    this.findLong(view, spans);
  }

  /** Without the short secrets, which would be found by chance where characters are left out. */
  findLong(view: View, spans: Span[]): void {
    if (!this.#folded.isEmpty) this.#folded.find(view, fold(view.text), spans);
  }

  /** The beginning of a secret at the end of a text that was cut there. */
  findBeginning(view: View, spans: Span[]): void {
    this.#folded.findBeginning(view, fold(view.text), spans);
  }
}

class FormSearch {
  /** The forms by their first two characters. */
  readonly #byStart = new Map<number, Form[]>();
  /** Whether a form may begin with two characters, by a hash of them: most positions of a text need no more than this. */
  readonly #mayStart = new Uint8Array(hashes);
  readonly #needles: string[] = [];
  readonly longest: number;
  readonly shortest: number;

  constructor(forms: Iterable<Form>) {
    for (const form of forms) {
      const start = startAt(form.needle, 0);
      this.#byStart.set(start, [...(this.#byStart.get(start) ?? []), form]);
      this.#mayStart[hashAt(form.needle, 0)] = 1;
      this.#needles.push(form.needle);
    }
    const lengths = this.#needles.map((needle) => needle.length);
    this.longest = Math.max(0, ...lengths);
    this.shortest = Math.min(...lengths);
  }

  get isEmpty(): boolean {
    return this.#needles.length === 0;
  }

  find(view: View, text: string, spans: Span[]): void {
    /** The end of the last base64 run, which is redacted as a whole. */
    let runEnd = 0;
    for (let at = 0; at < text.length; at++) {
      if (this.#mayStart[hashAt(text, at)] === 0) continue;
      for (const { needle, match } of this.#byStart.get(startAt(text, at)) ?? []) {
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

  findBeginning(view: View, text: string, spans: Span[]): void {
    let most = 0;
    for (const needle of this.#needles) most = Math.max(most, beginningAtEnd(text, needle));
    if (most >= shortestBeginning) spans.push(spanIn(view, text.length - most, text.length, "[redacted]"));
  }
}

/** How many characters of the needle's beginning are the end of the text, in linear time (Knuth, Morris, Pratt). */
function beginningAtEnd(text: string, needle: string): number {
  const shorter = new Uint32Array(needle.length);
  for (let at = 1, length = 0; at < needle.length; at++) {
    while (length > 0 && needle[at] !== needle[length]) length = shorter[length - 1] ?? 0;
    if (needle[at] === needle[length]) length++;
    shorter[at] = length;
  }
  let length = 0;
  for (let at = Math.max(0, text.length - needle.length + 1); at < text.length; at++) {
    while (length > 0 && text[at] !== needle[length]) length = shorter[length - 1] ?? 0;
    if (text[at] === needle[length]) length++;
  }
  return length;
}

/** In lower case, with as many characters: `İ` is the only one that becomes two. */
function fold(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text.replaceAll("İ", "i").toLowerCase();
}

/** The two characters at an offset as one number; NaN, which matches no form, if there is only one. */
function startAt(text: string, at: number): number {
  return text.charCodeAt(at) * 0x10000 + text.charCodeAt(at + 1);
}

const hashes = 4_096;

function hashAt(text: string, at: number): number {
  return ((text.charCodeAt(at) * 61) ^ text.charCodeAt(at + 1)) & (hashes - 1);
}

/** A configured header may be `Bearer <key>`, and a provider may quote the key without its scheme. */
function withoutScheme(secret: string): string[] {
  const bare = /^(?:bearer|basic|token) +(\S+)$/i.exec(secret.trim())?.[1];
  return bare === undefined ? [secret] : [secret, bare];
}

function shortForms(secret: string): Form[] {
  // A single character would match in every sentence.
  if (secret.length < 2) return [];
  return [{ needle: secret, match: secret.length < anywhereFrom ? "word" : "anywhere" }];
}

function longForms(secret: string): Form[] {
  const bytes = Buffer.from(secret, "utf8");
  const anywhere = [
    secret,
    Array.from(secret).reverse().join(""),
    // Decoding finds these too, unless the text before them forms an escape with their first character (`%0` before `0…`).
    encodeURIComponent(bytes.toString("utf8")),
    JSON.stringify(secret).slice(1, -1),
    // Percent-decoding yields bytes, which differ from the characters outside ASCII.
    bytes.toString("latin1"),
    bytes.toString("hex"),
  ];
  const once = base64Spellings(bytes);
  const twice = once.flatMap((spelled) => base64Spellings(Buffer.from(spelled, "latin1")));
  const encoded = [...once, ...once.map((spelled) => encodeURIComponent(spelled)), ...twice];
  return [
    ...anywhere.map((needle): Form => ({ needle, match: "anywhere" })),
    ...encoded.map((needle): Form => ({ needle, match: "base64" })),
  ];
}

/** Every base64 of the bytes, also for URLs. */
function base64Spellings(bytes: Buffer): string[] {
  return base64Cores(bytes).flatMap((core) => {
    const forUrls = core.replaceAll("+", "-").replaceAll("/", "_");
    return forUrls === core ? [core] : [core, forUrls];
  });
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
