import { randomUUID } from "node:crypto";
import type { Item } from "./item.ts";

/** The one pattern that every provider and client accepts for ids of calls. */
const portable = /^[A-Za-z0-9_-]{1,64}$/;

export function isPortableId(id: string): boolean {
  return portable.test(id);
}

export type IdPrefix = "call" | "fc" | "ctc" | "msg" | "rs" | "item";

/** A new id that nobody else has. */
export function newId(prefix: string, separator = "_"): string {
  return `${prefix}${separator}${randomUUID().replaceAll("-", "")}`;
}

const own = /^[a-z]+_[0-9a-f]{32}$/;

/** Whether an id has the form of those that are made here. */
export function isOwnId(id: string): boolean {
  return own.test(id);
}

/** Gives out the ids of a conversation: each is portable and new to it, whatever a backend repeats. */
export class Ids {
  readonly #input: readonly Item[];
  #taken: Set<string> | undefined;

  constructor(input: readonly Item[] = []) {
    this.#input = input;
  }

  /** Forgets the ids of an answer of which nothing was sent. */
  startOver(): void {
    this.#taken = undefined;
  }

  /** The backend's own id where it is fit and new; otherwise one of ours. */
  claim(prefix: IdPrefix, candidate?: string): string {
    this.#taken ??= idsOf(this.#input);
    const id =
      candidate !== undefined && isFit(prefix, candidate) && !this.#taken.has(candidate) ? candidate : newId(prefix);
    this.#taken.add(id);
    return id;
  }
}

/** Providers refuse an item whose id does not tell its type; the id of a call may be anything portable. */
function isFit(prefix: IdPrefix, id: string): boolean {
  return portable.test(id) && (prefix === "call" || prefix === "item" || id.startsWith(`${prefix}_`));
}

function idsOf(items: readonly Item[]): Set<string> {
  const ids = new Set<string>();
  for (const item of items) {
    if (item.type === "opaque") {
      if (typeof item.fields.id === "string") ids.add(item.fields.id);
      continue;
    }
    if (item.id !== undefined) ids.add(item.id);
    if (item.type === "call" || item.type === "output") ids.add(item.callId);
  }
  return ids;
}
