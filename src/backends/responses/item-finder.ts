import { isObject, type JsonObject, type JsonValue } from "../../turn/index.ts";
import {
  agrees,
  filled,
  type GrowingItem,
  type ItemType,
  idOf,
  idsOf,
  isAddedAgain,
  isAnotherCall,
  isDoneAgain,
  isFree,
  isLike,
  mayStandAt,
  newItem,
  typeOf,
} from "./growing-item.ts";
import { UnlistedItems } from "./unlisted-items.ts";

/** No model intends to answer with more items than this; a provider that sends more is broken. */
export const mostItems = 4_096;

/**
 * Finds the item that an event belongs to, however little the event says. Indexes and ids should be unique and constant, but either
 * may be missing, be shared by several items, or change.
 */
export class ItemFinder {
  readonly items: GrowingItem[] = [];
  readonly #onNew: (growing: GrowingItem, item: JsonObject) => void;
  readonly #byIndex = new Map<number, GrowingItem>();
  /** By the item's id and by its call_id. */
  readonly #byId = new Map<string, GrowingItem>();
  /** The items of each type, without those at the end that are done. */
  readonly #open = new Map<ItemType, GrowingItem[]>();
  /** Whether several items share an index. */
  #shared = false;

  constructor(onNew: (growing: GrowingItem, item: JsonObject) => void) {
    this.#onNew = onNew;
  }

  get tooMany(): boolean {
    return this.items.length > mostItems;
  }

  /** The item that a delta belongs to: nearly always the open item at its index. */
  of(event: JsonObject, type: ItemType): GrowingItem {
    const { output_index: index, item_id: id } = event;
    const atIndex = typeof index === "number" ? this.#byIndex.get(index) : undefined;
    const isOpen = atIndex?.type === type && !atIndex.done;
    if (isOpen && !this.#shared) return atIndex;
    const known = typeof id === "string" ? this.#byId.get(id) : undefined;
    if (known?.type === type && mayStandAt(known, index)) return known;
    if (isOpen) return atIndex;
    if (filled(id) === undefined) {
      const open = this.#lastOpen(type);
      if (open && mayStandAt(open, index)) return open;
      // A delta that arrives after its item is done is too late.
      if (atIndex?.type === type) return atIndex;
    }
    return this.add(implied(event), index);
  }

  /** The item of an `added` event: a new one, unless the event is repeated or arrives after the item's first deltas. */
  added({ output_index: index }: JsonObject, item: JsonObject): GrowingItem {
    const type = typeOf(item);
    const atIndex = typeof index === "number" ? this.#byIndex.get(index) : undefined;
    const recent = idsOf(item).length === 0 ? this.#lastOpen(type) : undefined;
    const known = [atIndex, this.#known(item), recent].find(
      (candidate) =>
        candidate &&
        !candidate.done &&
        isLike(candidate, type) &&
        mayStandAt(candidate, index) &&
        isAddedAgain(candidate, item),
    );
    return known ? this.#learn(known, item) : this.add(item, index);
  }

  /** The item of a `done` event: the open one with its index or id, or a new one if it was never added. */
  done({ output_index: index }: JsonObject, item: JsonObject): GrowingItem {
    const type = typeOf(item);
    const atIndex = typeof index === "number" ? this.#byIndex.get(index) : undefined;
    const known = this.#known(item);
    const agreeing = known && isLike(known, type) && mayStandAt(known, index) ? known : undefined;
    const found = agreeing ?? (atIndex && isLike(atIndex, type) ? atIndex : undefined);
    if (found && !found.done) return this.#learn(found, item);
    if (known && !known.done && isLike(known, type)) return this.#learn(known, item);
    if (found && isDoneAgain(found, item)) return found;
    const open = idsOf(item).length === 0 && typeof index !== "number" ? this.#lastOpen(type) : undefined;
    return open ?? this.add(item, index);
  }

  /**
   * For each item of the response's `output` the streamed one, if any. Matches by ids, then by index if indexes are reliable, then
   * by order.
   */
  inOutput(output: readonly JsonValue[]): (GrowingItem | undefined)[] {
    const found: (GrowingItem | undefined)[] = output.map(() => undefined);
    const unlisted = new UnlistedItems(this.items, this.#shared);
    const match = (find: (item: JsonObject, index: number) => GrowingItem | undefined) => {
      output.forEach((item, index) => {
        if (found[index] || !isObject(item)) return;
        const growing = find(item, index);
        if (!growing) return;
        growing.listed = true;
        found[index] = this.#learn(growing, item);
      });
    };
    match((item) => this.#withIdsOf(item, unlisted));
    match((item, index) => {
      const atIndex = this.#shared ? undefined : this.#byIndex.get(index);
      return atIndex && isFree(atIndex, item) && !isAnotherCall(atIndex, item) ? atIndex : undefined;
    });
    match((item) => unlisted.inOrder(item));
    return found;
  }

  add(item: JsonObject, index: JsonValue | undefined): GrowingItem {
    const growing = newItem(this.items.length, item, index);
    this.items.push(growing);
    if (growing.index !== undefined) {
      if (this.#byIndex.has(growing.index)) {
        this.#shared = true;
        if (growing.type === "call") growing.repairs = new Set(["shared_index"]);
      }
      this.#byIndex.set(growing.index, growing);
    }
    const open = this.#open.get(growing.type);
    if (open) open.push(growing);
    else this.#open.set(growing.type, [growing]);
    this.#learn(growing, item);
    this.#onNew(growing, item);
    return growing;
  }

  /** The call id takes precedence over the item's id. */
  #known(item: JsonObject): GrowingItem | undefined {
    const [id, callId] = [idOf(item.id), idOf(item.call_id)];
    return (callId && this.#byId.get(callId)) || (id && this.#byId.get(id)) || undefined;
  }

  /** If several items share an id, the first that is not matched yet. */
  #withIdsOf(item: JsonObject, unlisted: UnlistedItems): GrowingItem | undefined {
    const known = this.#known(item);
    if (!known) return undefined;
    return unlisted.withIdsOf(item) ?? (isFree(known, item) && agrees(known, item) !== false ? known : undefined);
  }

  #lastOpen(type: ItemType): GrowingItem | undefined {
    const open = this.#open.get(type);
    while (open?.at(-1)?.done) open.pop();
    return open?.at(-1);
  }

  #learn(growing: GrowingItem, item: JsonObject): GrowingItem {
    growing.id ??= idOf(item.id);
    growing.callId ??= idOf(item.call_id);
    growing.name ??= filled(item.name);
    for (const id of idsOf(item)) this.#byId.set(id, growing);
    return growing;
  }
}

/** What an event shows about an item that was never added: its type, id and name. */
function implied({ type, item_id: id, name }: JsonObject): JsonObject {
  const about = String(type);
  if (about.includes("function_call")) return { type: "function_call", id, name };
  if (about.includes("custom_tool_call")) return { type: "custom_tool_call", id, name };
  return { type: about.includes("reasoning") ? "reasoning" : "message", id };
}
