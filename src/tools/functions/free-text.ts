import { isObject, parseJson } from "../../turn/index.ts";
import { freeTextKey } from "./definition.ts";
import { decodeEscapes, readableEnd } from "./json-escapes.ts";

/** What stands before the text where a model writes the function's arguments as it should. */
const opening = new RegExp(`^\\s*\\{\\s*"${freeTextKey}"\\s*:\\s*"`);
const mostBefore = 256;
/** The same, as a model writes it that is careless with quotes. */
const wrapper = new RegExp(`^\\s*\\{\\s*['"]?${freeTextKey}['"]?\\s*:`);

/**
 * Behind a quote that may be the last. quote: nothing but it. closed, comma: what follows the last. undecided: only the end tells.
 */
type Behind = "quote" | "closed" | "comma" | "undecided";

/**
 * The free text inside of a function's arguments, as they grow. Where a model writes something else (the text itself, another name
 * for the one argument), the text is found when all is there. A quote that a model has forgotten to escape is part of the text: only
 * what follows tells whether it was the last.
 */
export class FreeText {
  /** before: it is not known yet how the arguments are written. odd: not as they should be. */
  #state: "before" | "inside" | "odd" = "before";
  #unread = "";
  #behind: Behind | undefined;
  /** What has come since a quote that may be the last, in pieces. */
  #held: string[] = [];

  push(delta: string): string {
    if (this.#behind) return this.#hold(delta);
    this.#unread += delta;
    if (this.#state === "before") this.#begin();
    return this.#state === "inside" ? this.#read() : "";
  }

  /** Whether the arguments stop in the middle, though nobody says so: what stands for the text was opened, and never closed. */
  get isCut(): boolean {
    if (this.#state === "inside") return this.#behind === undefined;
    return wrapper.test(this.#unread) && textOf(this.#unread) === this.#unread;
  }

  /** What is left when the arguments are whole. */
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

  /** Whether the quote may still be the last, with what has come behind it now. */
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
/** Some models write the arguments of several calls into one. */
const anotherCall = new RegExp(`^"\\s*\\}\\s*\\{\\s*"${freeTextKey}"\\s*:`);
/** How often the end is looked for among quotes that could be it. */
const mostTries = 32;

/** What of the rest belongs to the text: all before the quote behind which there is JSON, or else before the last that something closes. */
function beforeTheEnd(rest: string): string {
  if (anotherCall.test(rest)) return "";
  const candidates = [...rest.matchAll(/"\s*[,}]/g)].slice(0, mostTries).map(({ index }) => index);
  const end = candidates.find((at) => isObject(parseJson(`{"text":"${rest.slice(at)}`)));
  return rest.slice(
    0,
    end ?? [...rest.matchAll(/"\s*(?:,\s*)?\}/g)].at(-1)?.index ?? Math.max(0, rest.lastIndexOf('"')),
  );
}

/** Whether the text can still become the beginning of arguments that are written as they should be. */
function mayBegin(text: string): boolean {
  const squeezed = text.replace(/\s+/g, "");
  return `{"${freeTextKey}":"`.startsWith(squeezed);
}

/** The one argument, as a model writes it that thinks of Python. */
const unusualQuotes = new RegExp(`^\\s*\\{\\s*(['"]?)${freeTextKey}\\1\\s*:\\s*'([\\s\\S]*)'\\s*(?:,\\s*)?\\}\\s*$`);

/** The text that was meant by arguments in another form. What is no JSON is the text itself. */
function textOf(written: string): string {
  const value = parseJson(written);
  if (typeof value === "string") return opening.test(value) ? textOf(value) : value;
  if (!isObject(value)) {
    const [, , inside] = unusualQuotes.exec(written) ?? [];
    return inside === undefined ? written : decodeEscapes(inside.replaceAll("\\'", "'"));
  }
  if (typeof value[freeTextKey] === "string") return value[freeTextKey];
  const values = Object.values(value);
  const [only] = values;
  if (values.length === 0) return "";
  return values.length === 1 && typeof only === "string" ? only : written;
}
