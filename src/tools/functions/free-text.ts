import { isObject, parseJson } from "../../turn/index.ts";
import { freeTextKey } from "./definition.ts";
import { decodeEscapes, readableEnd } from "./json-escapes.ts";

/** What stands before the text where a model writes the function's arguments as it should. */
const opening = new RegExp(`^\\s*\\{\\s*"${freeTextKey}"\\s*:\\s*"`);
const mostBefore = 256;

/** What may follow the quote that ends the text. */
const ending = /^"\s*(?:\}\s*)?$/;
const furtherKey = /^"\s*(?:,\s*(?:$|"))/;
/** The same, where the end is known to be there. */
const lastWords = /"\s*\}?\s*$/;

/**
 * The free text inside of a function's arguments, as they grow. Where a model writes something else (the text itself, another name
 * for the one argument), the text is found when all is there. A quote that a model has forgotten to escape is part of the text: only
 * what follows tells whether it was the last.
 */
export class FreeText {
  /** before: it is not known yet how the arguments are written. odd: not as they should be. */
  #state: "before" | "inside" | "odd" = "before";
  #unread = "";

  push(delta: string): string {
    this.#unread += delta;
    if (this.#state === "before") this.#begin();
    return this.#state === "inside" ? this.#read() : "";
  }

  /** What is left when the arguments are whole. */
  end(): string {
    if (this.#state !== "inside") return textOf(this.#unread);
    const rest = this.#unread;
    // From here on it is JSON: what follows the text is another argument, of which the tool has none.
    if (rest.startsWith('"') && isObject(parseJson(`{"text":"${rest}`))) return "";
    return decodeEscapes(rest.replace(lastWords, ""));
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
      this.#unread = this.#unread.slice(end);
      if (!this.#unread.startsWith('"') || mayBeEnd(this.#unread)) return text;
      text += '"';
      this.#unread = this.#unread.slice(1);
    }
  }
}

/** Whether the quote may be the one that ends the text. */
function mayBeEnd(rest: string): boolean {
  return ending.test(rest) || furtherKey.test(rest);
}

/** Whether the text can still become the beginning of arguments that are written as they should be. */
function mayBegin(text: string): boolean {
  const squeezed = text.replace(/\s+/g, "");
  return `{"${freeTextKey}":"`.startsWith(squeezed);
}

/** The one argument, as a model writes it that thinks of Python. */
const unusualQuotes = new RegExp(`^\\s*\\{\\s*(['"]?)${freeTextKey}\\1\\s*:\\s*'([\\s\\S]*)'\\s*,?\\s*\\}\\s*$`);

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
