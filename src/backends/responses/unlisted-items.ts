import type { JsonObject } from "../../turn/index.ts";
import { agrees, type GrowingItem, idOf, isFree, typeOf } from "./growing-item.ts";

/** Among items that share an id or a type, this many are compared with an item of the output. */
const mostCompared = 64;

/**
 * The streamed items that are not found in the response's `output` yet, by id and by type. Each lookup takes constant time, however
 * many items share an id.
 */
export class UnlistedItems {
  readonly #byId = new Map<string, Candidates>();
  /** Only items that may be matched by their order. */
  readonly #byType = new Map<string, Candidates>();

  /** `isShared`: several items share an index, so that indexes say nothing. */
  constructor(items: readonly GrowingItem[], isShared: boolean) {
    for (const item of items) {
      if (item.callId !== undefined) add(this.#byId, item.callId, item);
      if (item.id !== undefined && item.id !== item.callId) add(this.#byId, item.id, item);
      if (isShared || item.index === undefined) add(this.#byType, item.type, item);
    }
  }

  /** The first item with the same ids. */
  withIdsOf(item: JsonObject): GrowingItem | undefined {
    const isMatch = (candidate: GrowingItem) => isFree(candidate, item) && agrees(candidate, item) === true;
    const [id, callId] = [idOf(item.id), idOf(item.call_id)];
    return this.#find(this.#byId, callId, isMatch) ?? this.#find(this.#byId, id, isMatch);
  }

  /** The first item of the same type whose ids do not show another item. */
  inOrder(item: JsonObject): GrowingItem | undefined {
    const isMatch = (candidate: GrowingItem) => isFree(candidate, item) && agrees(candidate, item) === undefined;
    return this.#find(this.#byType, typeOf(item), isMatch) ?? this.#find(this.#byType, "opaque", isMatch);
  }

  #find(
    lists: ReadonlyMap<string, Candidates>,
    key: string | undefined,
    isMatch: (candidate: GrowingItem) => boolean,
  ): GrowingItem | undefined {
    const list = key === undefined ? undefined : lists.get(key);
    if (!list) return undefined;
    const { items } = list;
    while (items[list.next]?.listed) list.next++;
    return items.slice(list.next, list.next + mostCompared).find(isMatch);
  }
}

interface Candidates {
  items: GrowingItem[];
  /** The items before this one were found. */
  next: number;
}

function add(lists: Map<string, Candidates>, key: string, item: GrowingItem): void {
  const list = lists.get(key);
  if (list) list.items.push(item);
  else lists.set(key, { items: [item], next: 0 });
}
