import { createHash } from "node:crypto";
import { type Item, type Part, type Steps, writeJson } from "../turn/index.ts";

/** A longer text is compared by its digest. */
const longestText = 1024;
/** Characters that are hashed at once. */
const pieceSize = 256 * 1024;

/** What items say, whatever their ids are: equal for items that say the same. The text of an item is made once. */
export class ItemTexts {
  readonly #texts = new Map<Item, string>();

  *of(item: Item): Steps<string> {
    const known = this.#texts.get(item);
    if (known !== undefined) return known;
    const text = yield* textOf(item);
    this.#texts.set(item, text);
    return text;
  }
}

function* textOf(item: Item): Steps<string> {
  const words = yield* wordsOf(item);
  const length = words.reduce((sum, word) => sum + word.length, 0);
  if (length <= longestText) return words.join("");
  const hash = createHash("sha256");
  for (const word of words) {
    for (let at = 0; at < word.length; at += pieceSize) {
      const end = at + pieceSize;
      hash.update(typeof word === "string" ? word.slice(at, end) : word.subarray(at, end));
      yield;
    }
  }
  return `sha256-${length}-${hash.digest("base64url")}`;
}

type Word = string | Buffer;

function* wordsOf(item: Item): Steps<Word[]> {
  switch (item.type) {
    case "message":
      return [`${item.role}\n`, ...trimmed(yield* partWords(item.content))];
    case "call":
      return [`call\n${item.name}`];
    case "output":
      return ["output\n", ...(typeof item.output === "string" ? [item.output] : yield* partWords(item.output))];
    case "reasoning":
    case "opaque":
      return [item.type];
  }
}

/** The long strings of images and files are words of their own: to write them as JSON would take long. */
function* partWords(parts: readonly Part[]): Steps<Word[]> {
  const words: Word[] = [];
  for (const part of parts) {
    switch (part.type) {
      case "text":
        words.push(part.text);
        break;
      case "refusal":
        words.push(part.refusal);
        break;
      case "image":
        words.push(yield* writeJson({ ...part, url: undefined, extensions: part.extensions?.fields }), part.url ?? "");
        break;
      case "file":
        words.push(
          yield* writeJson({ ...part, data: undefined, extensions: part.extensions?.fields }),
          part.data ?? "",
        );
        break;
      case "opaque":
        words.push(yield* writeJson(part.fields));
    }
    yield;
  }
  return words;
}

/** Clients trim what they were sent. */
function trimmed(words: readonly Word[]): Word[] {
  const isSaid = (word: Word) => typeof word !== "string" || word.trim() !== "";
  const [first, last] = [words.findIndex(isSaid), words.findLastIndex(isSaid)];
  return words.slice(Math.max(first, 0), last + 1).map((word, at, { length }) => {
    if (typeof word !== "string") return word;
    const begun = at === 0 ? word.trimStart() : word;
    return at === length - 1 ? begun.trimEnd() : begun;
  });
}
