import type { Part, TextPart } from "../../turn/index.ts";

const blankLine = "\n\n";

/** Builds the content of a message from records and from a user's or assistant's own text. */
export class Content {
  readonly #parts: Part[] = [];
  /** Pieces of the text part that is still growing. */
  #text: string[] | undefined;
  #last: "words" | "record" | undefined;

  /** Appends the parts of a message, after a blank line. */
  say(parts: readonly Part[]): void {
    if (parts.every((part) => isPlain(part) && part.text === "")) return;
    if (this.#last) this.write(blankLine);
    parts.forEach((part, at) => {
      if (at === 0 && isPlain(part)) this.write(part.text);
      else this.#add(part);
    });
    this.#last = "words";
  }

  /** Appends a record on a line of its own, and its attachments. */
  record(line: string, attachments: readonly Part[] = []): void {
    if (this.#last) this.write(this.#last === "record" ? "\n" : blankLine);
    this.write(line);
    for (const part of attachments) this.#add(part);
    this.#last = "record";
  }

  /** Appends to the last text part, or to a new one if that has fields of its own, such as `cache_control`. */
  write(text: string): void {
    this.#text ??= [];
    this.#text.push(text);
  }

  finish(): Part[] {
    this.#endText();
    return this.#parts;
  }

  #add(part: Part): void {
    this.#endText();
    if (isPlain(part)) this.#text = [part.text];
    else this.#parts.push(part);
  }

  #endText(): void {
    if (this.#text) this.#parts.push({ type: "text", text: this.#text.join("") });
    this.#text = undefined;
  }
}

export function isPlain(part: Part): part is TextPart {
  return part.type === "text" && part.extensions === undefined && (part.annotations?.length ?? 0) === 0;
}
