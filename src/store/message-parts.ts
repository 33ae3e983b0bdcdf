import type { FilePart, ImagePart, OpaquePart, Part, RefusalPart, Steps, TextPart } from "../turn/index.ts";
import { type ContentCollector, type ContentMark, type Contents, contentOf } from "./contents.ts";
import { isLongStorable } from "./storable.ts";

/**
 * The text of a part is in the row's `content`, and here is its length; or it is here, if the column cannot hold it; or it is so
 * long that it is stored by its digest.
 */
interface StoredTextPart extends Omit<TextPart, "text"> {
  length?: number;
  text?: string | ContentMark;
}
interface StoredImagePart extends Omit<ImagePart, "url"> {
  url?: string | ContentMark;
}
interface StoredFilePart extends Omit<FilePart, "data"> {
  data?: string | ContentMark;
}
export type StoredPart = StoredTextPart | StoredImagePart | StoredFilePart | RefusalPart | OpaquePart;

const separator = "\n\n";
/** A longer text is stored in pieces, and so are texts that would make `content` longer: no statement takes long. */
export const longestText = 1024 * 1024;

/** Collects the texts of one message for its `content`. */
export class TextWriter {
  readonly #texts: string[] = [];
  readonly #contents: ContentCollector;
  #length = 0;

  constructor(contents: ContentCollector) {
    this.#contents = contents;
  }

  get content(): string | null {
    return this.#texts.length === 0 ? null : this.#texts.join(separator);
  }

  /** The length of the text in `content`; the text or its mark, if it is not there. */
  *add(text: string): Steps<number | string | ContentMark> {
    if (this.#length + text.length > longestText) return yield* this.#contents.keep(text);
    if (!(yield* isLongStorable(text))) return text;
    this.#texts.push(text);
    this.#length += text.length + separator.length;
    return text.length;
  }

  *parts(parts: readonly Part[]): Steps<StoredPart[]> {
    const stored: StoredPart[] = [];
    for (const part of parts) {
      stored.push(yield* this.#part(part));
      yield;
    }
    return stored;
  }

  *#part(part: Part): Steps<StoredPart> {
    switch (part.type) {
      case "text": {
        const { text, ...rest } = part;
        const added = yield* this.add(text);
        return typeof added === "number" ? { ...rest, length: added } : { ...rest, text: added };
      }
      case "image": {
        const { url, ...rest } = part;
        return url === undefined ? rest : { ...rest, url: yield* this.#contents.keep(url) };
      }
      case "file": {
        const { data, ...rest } = part;
        return data === undefined ? rest : { ...rest, data: yield* this.#contents.keep(data) };
      }
      default:
        return part;
    }
  }
}

/** Takes the texts out of the `content` of one message, in the order in which they were added. */
export class TextReader {
  readonly #content: string;
  readonly #contents: Contents;
  #at = 0;

  constructor(content: string | null, contents: Contents) {
    this.#content = content ?? "";
    this.#contents = contents;
  }

  /** What a `TextWriter` returned for the text. */
  take(stored: number | string | ContentMark): string {
    if (typeof stored !== "number") return contentOf(stored, this.#contents);
    const text = this.#content.slice(this.#at, this.#at + stored);
    this.#at += stored + separator.length;
    return text;
  }

  /** All that is left. */
  rest(): string {
    return this.#content.slice(this.#at);
  }

  parts(stored: readonly StoredPart[]): Part[] {
    return stored.map((part) => this.#part(part));
  }

  #part(part: StoredPart): Part {
    switch (part.type) {
      case "text": {
        const { length, text, ...rest } = part;
        return { ...rest, text: this.take(text ?? length ?? 0) };
      }
      case "image": {
        const { url, ...rest } = part;
        return url === undefined ? rest : { ...rest, url: contentOf(url, this.#contents) };
      }
      case "file": {
        const { data, ...rest } = part;
        return data === undefined ? rest : { ...rest, data: contentOf(data, this.#contents) };
      }
      default:
        return part;
    }
  }
}

/** Whether the content is one text that needs nothing beside it. */
export function plainText(parts: readonly Part[]): string | undefined {
  const [part] = parts;
  if (parts.length !== 1 || part?.type !== "text") return undefined;
  return part.annotations || part.logprobs || part.extensions ? undefined : part.text;
}
