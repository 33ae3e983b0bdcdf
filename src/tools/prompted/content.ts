import type { Part, TextPart } from "../../turn/index.ts";

const blankLine = "\n\n";

/** The content of one message, in which records stand beside a person's or an assistant's own words. */
export class Content {
  readonly #parts: Part[] = [];
  /** The pieces of the text that is still growing. */
  #text: string[] | undefined;
  #last: "words" | "record" | undefined;

  /** What was said, behind a blank line. */
  say(parts: readonly Part[]): void {
    if (parts.every((part) => isPlain(part) && part.text === "")) return;
    if (this.#last) this.write(blankLine);
    parts.forEach((part, at) => {
      if (at === 0 && isPlain(part)) this.write(part.text);
      else this.#add(part);
    });
    this.#last = "words";
  }

  /** A line of its own, and behind it what belongs to it. */
  record(line: string, attachments: readonly Part[] = []): void {
    if (this.#last) this.write(this.#last === "record" ? "\n" : blankLine);
    this.write(line);
    for (const part of attachments) this.#add(part);
    this.#last = "record";
  }

  /** Goes on in the last text, or in a new one where that has marks of its own, such as `cache_control`. */
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
