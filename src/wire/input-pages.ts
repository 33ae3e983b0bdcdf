import {
  type InputPlaces,
  type InputRange,
  type InputSection,
  type InputWindow,
  paced,
  type Steps,
} from "../turn/index.ts";
import { type PageQuery, unknownCursor } from "./paging.ts";

/** What a model was given, as an API lists it. */
export interface InputList<Entry extends { id: string }> {
  read(range: InputRange): Promise<InputWindow>;
  /** Where the entry with an id may be. */
  placesOf(id: string): Promise<InputPlaces | undefined>;
  /** The entries of a section, oldest first. */
  entries(section: InputSection, isLegacy: boolean): Steps<Entry[]>;
}

export interface Page<Entry> {
  entries: Entry[];
  hasMore: boolean;
}

type Direction = InputRange["direction"];

/** A page for which as many characters were read ends early. */
const mostCharacters = 16 * 1024 * 1024;

/** One page of a list. Only the sections of the page are read, and what shows whether there are more. */
export async function readPage<Entry extends { id: string }>(
  list: InputList<Entry>,
  { limit, order, after, before }: PageQuery,
): Promise<Page<Entry>> {
  const forward = order === "asc" ? "up" : "down";
  // With `before` alone a client goes backwards: the page is the one that ends there.
  const isBackwards = after === undefined && before !== undefined;
  const walk = new Walk(list, isBackwards ? (forward === "up" ? "down" : "up") : forward, limit);
  if (isBackwards) await walk.beginBehind("before", before);
  else {
    if (after !== undefined) await walk.beginBehind("after", after);
    if (before !== undefined) await walk.endBefore(before);
  }
  const { entries, hasMore } = await walk.go();
  return { entries: isBackwards ? entries.reverse() : entries, hasMore };
}

/** Goes through a list in one direction, from one end of it or from behind an entry. */
class Walk<Entry extends { id: string }> {
  readonly #list: InputList<Entry>;
  readonly #direction: Direction;
  readonly #limit: number;
  readonly #entries: Entry[] = [];
  /** The position that is read next; `undefined`: where the list begins in this direction. */
  #from: number | undefined;
  #begin: { param: "after" | "before"; id: string } | undefined;
  #end: string | undefined;
  /** There is nothing more to add. */
  #isOver = false;

  constructor(list: InputList<Entry>, direction: Direction, limit: number) {
    this.#list = list;
    this.#direction = direction;
    this.#limit = limit;
  }

  /** If entries have the same id, the walk begins behind the last one of them: a client that goes on behind it comes to an end. */
  async beginBehind(param: "after" | "before", id: string): Promise<void> {
    const { first, last } = await this.#placesOf(param, id);
    this.#from = this.#direction === "up" ? last : first;
    this.#begin = { param, id };
  }

  async endBefore(id: string): Promise<void> {
    const { first, last } = await this.#placesOf("before", id);
    this.#end = id;
    const from = this.#from;
    if (from !== undefined && (this.#direction === "up" ? first < from : last > from)) this.#isOver = true;
  }

  async #placesOf(param: "after" | "before", id: string): Promise<InputPlaces> {
    const places = await this.#list.placesOf(id);
    if (places) return places;
    // If there is no such list at all, this says so.
    await this.#list.read({ direction: this.#direction, count: 1 });
    throw unknownCursor(param, id);
  }

  async go(): Promise<Page<Entry>> {
    let characters = 0;
    do {
      // The page, the entry before it and the one behind it are often a message each.
      const window = await this.#list.read({ direction: this.#direction, from: this.#from, count: this.#limit + 2 });
      characters += window.size;
      await this.#take(window);
      this.#from = this.#direction === "up" ? window.end : window.start - 1;
      const isLast = window.sections.length === 0 || this.#from < 0 || this.#from >= window.length;
      if (isLast && !this.#isFull) this.#endList();
    } while (!this.#isFull && !this.#isOver && !(characters > mostCharacters && this.#entries.length > 0));
    return { entries: this.#entries.slice(0, this.#limit), hasMore: this.#isFull || !this.#isOver };
  }

  #endList(): void {
    if (this.#end !== undefined && !this.#isOver) throw unknownCursor("before", this.#end);
    this.#isOver = true;
  }

  get #isFull(): boolean {
    return this.#entries.length > this.#limit;
  }

  async #take({ sections, legacy }: InputWindow): Promise<void> {
    const ordered = this.#direction === "up" ? sections : sections.toReversed();
    for (const section of ordered) {
      const entries = await paced(this.#list.entries(section, legacy));
      this.#add(this.#behindBegin(this.#direction === "up" ? entries : entries.toReversed()));
      if (this.#isFull || this.#isOver) return;
    }
    this.#behindBegin([]);
  }

  /** The first section has the entry behind which the walk begins. */
  #behindBegin(entries: readonly Entry[]): readonly Entry[] {
    if (!this.#begin) return entries;
    const { param, id } = this.#begin;
    const at = entries.findLastIndex((entry) => entry.id === id);
    if (at === -1) throw unknownCursor(param, id);
    this.#begin = undefined;
    if (entries.slice(0, at + 1).some((entry) => entry.id === this.#end)) this.#isOver = true;
    return entries.slice(at + 1);
  }

  #add(entries: readonly Entry[]): void {
    for (const entry of entries) {
      if (entry.id === this.#end) this.#isOver = true;
      if (this.#isFull || this.#isOver) return;
      this.#entries.push(entry);
    }
  }
}
