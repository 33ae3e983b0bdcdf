import type { Dialect } from "../dialect.ts";

/** What a marker in the text may mean. */
export type Meaning =
  | { kind: "call"; opener: string; dialect: Dialect }
  | { kind: "reasoning"; opener: string; close: readonly string[]; dialects: readonly string[] }
  /** Ends open reasoning; elsewhere it is text. */
  | { kind: "close"; opener: string }
  /** Ends a call; a surplus one right after it is dropped. */
  | { kind: "closer"; opener: string; dialects: readonly string[] }
  /** Not shown in messages of models that write one of these dialects. */
  | { kind: "hidden"; opener: string; dialects: readonly string[] };

interface Node {
  next: Map<number, Node>;
  meanings: Meaning[];
}

/** A trie of all markers. It finds where a block may begin with one short walk per character. */
export class Openers {
  readonly #root: Node = { next: new Map(), meanings: [] };
  /** 1 for each ASCII character that begins a marker; all others are skipped with one lookup. */
  readonly starts = new Uint8Array(128);

  constructor(meanings: Iterable<Meaning>) {
    for (const meaning of meanings) this.#add(meaning);
  }

  #add(meaning: Meaning): void {
    let node = this.#root;
    for (let at = 0; at < meaning.opener.length; at++) {
      const character = meaning.opener.charCodeAt(at);
      if (at === 0) this.starts[character] = 1;
      let next = node.next.get(character);
      if (!next) {
        next = { next: new Map(), meanings: [] };
        node.next.set(character, next);
      }
      node = next;
    }
    node.meanings.push(meaning);
  }

  /** The meanings of the markers at this index, longest marker first; "more" if the text ends before they are certain. */
  at(text: string, from: number, isEnd: boolean): readonly Meaning[] | "more" | undefined {
    let node = this.#root;
    let found: Meaning[] | undefined;
    for (let at = from; ; at++) {
      if (at >= text.length) {
        if (node.next.size > 0 && !isEnd) return "more";
        return found;
      }
      const next = node.next.get(text.charCodeAt(at));
      if (!next) return found;
      node = next;
      if (node.meanings.length > 0) found = found ? [...node.meanings, ...found] : node.meanings;
    }
  }
}
