import { createHash } from "node:crypto";
import type { Steps } from "../turn/index.ts";
import { isLongStorable, piecesOf } from "./storable.ts";

/** Shorter strings stay in the message: a row of their own would cost as much. */
const shortest = 1024;
/** Characters that are hashed in one go, and that one row holds. */
const piece = 256 * 1024;

/** Stands for a large string in the JSON of a message. The string's place holds strings only, so a client's value is never an object. */
export interface ContentMark {
  digest: string;
}

/** One piece of a large string. */
export interface ContentRow {
  digest: string;
  part: number;
  data: string;
}

export type Contents = ReadonlyMap<string, string>;

/** Collects the large strings of a turn, each once. */
export class ContentCollector {
  readonly rows: ContentRow[] = [];
  readonly #known = new Set<string>();
  #digests = new Set<string>();
  #size = 0;

  beginMessage(): void {
    this.#digests = new Set();
    this.#size = 0;
  }

  /** The large strings since `beginMessage`, and the sum of their lengths. */
  endMessage(): { digests: string[]; size: number } {
    return { digests: [...this.#digests], size: this.#size };
  }

  /** The mark of a string, or the string itself if it stays in the message. */
  *keep(text: string): Steps<ContentMark | string> {
    if (text.length < shortest || !(yield* isLongStorable(text))) return text;
    const digest = yield* digestOf(text);
    this.#digests.add(digest);
    this.#size += text.length;
    if (this.#known.has(digest)) return { digest };
    this.#known.add(digest);
    let part = 0;
    for (const data of piecesOf(text, piece)) this.rows.push({ digest, part: part++, data });
    return { digest };
  }
}

/** The strings whose pieces were read, in their order. */
export function* joinContents(rows: readonly ContentRow[]): Steps<Contents> {
  const pieces = new Map<string, string[]>();
  for (const { digest, data } of rows) {
    const known = pieces.get(digest);
    if (known) known.push(data);
    else pieces.set(digest, [data]);
  }
  const contents = new Map<string, string>();
  for (const [digest, parts] of pieces) {
    contents.set(digest, parts.join(""));
    yield;
  }
  return contents;
}

/** The string that stands in a message, or that its mark stands for. A string that is lost is empty. */
export function contentOf(value: ContentMark | string, contents: Contents): string {
  return typeof value === "string" ? value : (contents.get(value.digest) ?? "");
}

function* digestOf(text: string): Steps<string> {
  const hash = createHash("sha256");
  for (const part of piecesOf(text, piece)) {
    hash.update(part);
    yield;
  }
  return hash.digest("hex");
}
