import type { Dialect } from "../dialect.ts";

/** What a mark in the text may mean. */
export type Meaning =
  | { kind: "call"; opener: string; dialect: Dialect }
  | { kind: "reasoning"; opener: string; close: readonly string[]; dialects: readonly string[] }
  /** Ends reasoning that waits for it; elsewhere it is text. */
  | { kind: "close"; opener: string }
  /** Ends a call, and means nothing where another stands before it. */
  | { kind: "closer"; opener: string; dialects: readonly string[] }
  /** Of no meaning to a person, in the messages of models that write one of these dialects. */
  | { kind: "hidden"; opener: string; dialects: readonly string[] };

interface Node {
  next: Map<number, Node>;
  meanings: Meaning[];
}

/** One trie of all marks: it finds where something may begin, each character of the text being the start of one short walk. */
export class Openers {
  readonly #root: Node = { next: new Map(), meanings: [] };
  /** Characters that no mark begins with are passed over by one look here. */
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

  /**
   * What begins here: the meanings of the marks at this place, longest mark first; none; or "more", when the text ends before
   * that can be told.
   */
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
