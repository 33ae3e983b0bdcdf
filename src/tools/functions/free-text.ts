import { isObject, parseJson } from "../../turn/index.ts";
import { freeTextKey } from "./definition.ts";
import { decodeEscapes, readableEnd } from "./json-escapes.ts";

/** What precedes the text if the model writes the arguments correctly. */
const opening = new RegExp(`^\\s*\\{\\s*"${freeTextKey}"\\s*:\\s*"`);
const mostBefore = 256;
/** The same with missing or wrong quotes. */
const wrapper = new RegExp(`^\\s*\\{\\s*['"]?${freeTextKey}['"]?\\s*:`);

/**
 * What follows a quote that may be the last. quote: nothing yet. closed: a brace. comma: a comma. undecided: only the end of the
 * arguments decides.
 */
type Behind = "quote" | "closed" | "comma" | "undecided";

/**
 * Extracts the free text from a function's arguments as they stream. If the model writes something else (the bare text, or
 * another parameter name), the text is extracted when the arguments are complete. A quote that the model did not escape is part
 * of the text: only what follows shows whether it was the last.
 */
export class FreeText {
  /** before: it is not known yet how the arguments are written. odd: not as expected. */
  #state: "before" | "inside" | "odd" = "before";
  #unread = "";
  #behind: Behind | undefined;
  /** Chunks since a quote that may be the last. */
  #held: string[] = [];

  push(delta: string): string {
    if (this.#behind) return this.#hold(delta);
    this.#unread += delta;
    if (this.#state === "before") this.#begin();
    return this.#state === "inside" ? this.#read() : "";
  }

  /** Whether the arguments were cut off without notice: the text was opened and never closed. */
  get isCut(): boolean {
    if (this.#state === "inside") return this.#behind === undefined;
    return wrapper.test(this.#unread) && textOf(this.#unread) === this.#unread;
  }

  /** Returns the rest of the text when the arguments are complete. */
  end(): string {
    if (this.#state !== "inside") return textOf(this.#unread);
    return decodeEscapes(this.#behind ? beforeTheEnd(this.#held.join("")) : this.#unread);
  }

  #begin(): void {
    const [start] = opening.exec(this.#unread) ?? [];
    if (start !== undefined) {
      this.#state = "inside";
      this.#unread = this.#unread.slice(start.length);
    } else if (this.#unread.length > mostBefore || !mayBegin(this.#unread)) this.#state = "odd";
  }

  #read(): string {
    let text = "";
    for (;;) {
      const end = readableEnd(this.#unread);
      text += decodeEscapes(this.#unread.slice(0, end));
      const rest = this.#unread.slice(end);
      this.#unread = rest;
      if (!rest.startsWith('"')) return text;
      this.#behind = "quote";
      if (this.#mayBeLast(rest, 1)) {
        this.#held = [rest];
        this.#unread = "";
        return text;
      }
      this.#behind = undefined;
      text += '"';
      this.#unread = rest.slice(1);
    }
  }

  #hold(delta: string): string {
    this.#held.push(delta);
    if (this.#mayBeLast(delta, 0)) return "";
    this.#unread = this.#held.join("").slice(1);
    this.#behind = undefined;
    return `"${this.#read()}`;
  }

  /** Whether the quote may still be the last, given the text that follows it. */
  #mayBeLast(text: string, from: number): boolean {
    for (let at = from; at < text.length && this.#behind !== "undecided"; at++) {
      const character = text.charAt(at);
      if (blank.test(character)) continue;
      if (character === "}") this.#behind = "closed";
      else if (this.#behind === "closed" || (this.#behind === "comma" && character === '"')) this.#behind = "undecided";
      else if (this.#behind === "quote" && character === ",") this.#behind = "comma";
      else return false;
    }
    return true;
  }
}

const blank = /\s/;
/** Some models write the arguments of several calls into one call. */
const anotherCall = new RegExp(`^"\\s*\\}\\s*\\{\\s*"${freeTextKey}"\\s*:`);
/** Most quotes to try as the end of the text, and most characters to parse for that. */
const mostTries = 32;
const mostParsed = 1024 * 1024;
/** Most quotes to look at from the end on. */
const mostLooks = 10_000;

/**
 * The part of the rest that belongs to the text: up to the first quote that valid JSON follows, or else up to the last quote that
 * a brace follows.
 */
function beforeTheEnd(rest: string): string {
  if (anotherCall.test(rest)) return "";
  return rest.slice(0, quoteBeforeJson(rest) ?? quoteBeforeBrace(rest) ?? Math.max(0, rest.lastIndexOf('"')));
}

function quoteBeforeJson(rest: string): number | undefined {
  const candidate = /"\s*[,}]/g;
  let left = mostParsed;
  for (let tries = 0; tries < mostTries; tries++) {
    const at = candidate.exec(rest)?.index;
    if (at === undefined) return undefined;
    left -= rest.length - at;
    if (left < 0) return undefined;
    if (isObject(parseJson(`{"text":"${rest.slice(at)}`))) return at;
  }
  return undefined;
}

function quoteBeforeBrace(rest: string): number | undefined {
  const closing = /"\s*(?:,\s*)?\}/y;
  let at = rest.lastIndexOf('"');
  for (let looks = 0; at >= 0 && looks < mostLooks; looks++) {
    closing.lastIndex = at;
    if (closing.test(rest)) return at;
    at = at === 0 ? -1 : rest.lastIndexOf('"', at - 1);
  }
  return undefined;
}

/** Whether the text may still become correctly written arguments. */
function mayBegin(text: string): boolean {
  const squeezed = text.replace(/\s+/g, "");
  return `{"${freeTextKey}":"`.startsWith(squeezed);
}

/** The parameter as a Python literal. */
const unusualQuotes = new RegExp(`^\\s*\\{\\s*(['"]?)${freeTextKey}\\1\\s*:\\s*'([\\s\\S]*)'\\s*(?:,\\s*)?\\}\\s*$`);

/** Extracts the text from arguments in another form. Anything that is not JSON is the text itself. */
function textOf(written: string): string {
  const value = parseJson(written);
  if (typeof value === "string") return opening.test(value) ? textOf(value) : value;
  if (!isObject(value)) {
    const [, , inside] = (written.length <= mostParsed ? unusualQuotes.exec(written) : undefined) ?? [];
    return inside === undefined ? written : decodeEscapes(inside.replaceAll("\\'", "'"));
  }
  if (typeof value[freeTextKey] === "string") return value[freeTextKey];
  const values = Object.values(value);
  const [only] = values;
  if (values.length === 0) return "";
  return values.length === 1 && typeof only === "string" ? only : written;
}
