import type { CallKind, JsonObject, JsonValue } from "../../turn/index.ts";

export type ItemType = "message" | "reasoning" | "call" | "opaque";

/** An output item as far as it has come. */
export interface GrowingItem {
  type: ItemType;
  /** In the events of the common language. */
  number: number;
  kind: CallKind;
  arguments: string;
  /** How much of its text and how many annotations came by deltas. */
  characters: number;
  annotations: number;
  /** Whether the provider gave it an id. */
  named: boolean;
  started: boolean;
  done: boolean;
}

/** No model means to answer with more items than this; a provider that sends more is broken. */
const mostItems = 4_096;

/** Knows which item an event speaks of, however little the event says. */
export class ItemFinder {
  readonly items: GrowingItem[] = [];
  readonly #onNew: (growing: GrowingItem, item: JsonObject) => void;
  readonly #byIndex = new Map<number, GrowingItem>();
  /** By the item's id or its call_id. */
  readonly #byId = new Map<string, GrowingItem>();

  constructor(onNew: (growing: GrowingItem, item: JsonObject) => void) {
    this.#onNew = onNew;
  }

  get tooMany(): boolean {
    return this.items.length > mostItems;
  }

  /** The item that a delta belongs to: nearly always the one that stands open in its place. */
  of(event: JsonObject): GrowingItem {
    const placed = typeof event.output_index === "number" ? this.#byIndex.get(event.output_index) : undefined;
    return placed && !placed.done ? placed : this.find(event, implied(event));
  }

  /**
   * The item that an event speaks of: by its place, by its id or its call's, or, where an event says neither, the last one of its
   * type that is open. A new one where there is none.
   */
  find(event: JsonObject, item: JsonObject): GrowingItem {
    const { output_index: index } = event;
    const type = typeOf(item);
    const ids = idsOf(item);
    const placed = typeof index === "number" ? this.#byIndex.get(index) : undefined;
    const known = this.#named(ids);
    // A place that is done already may be given again to another item, and often is to all.
    if (placed && isLike(placed, type) && (!placed.done || known === placed || ids.length === 0)) return placed;
    if (known) return known;
    if (typeof index !== "number" && ids.length === 0) {
      const open = this.items.findLast((candidate) => candidate.type === type && !candidate.done);
      if (open) return open;
    }
    return this.#add(item, type, typeof index === "number" ? index : undefined, ids);
  }

  /** An item of the response's output: by its id, or by its place or type where the item that was streamed had none. */
  findInOutput(item: JsonObject, index: number): GrowingItem {
    const type = typeOf(item);
    const ids = idsOf(item);
    const placed = this.#byIndex.get(index);
    const samePlace = placed && isLike(placed, type) && (!placed.named || ids.length === 0) ? placed : undefined;
    const nameless = (candidate: GrowingItem) => candidate.type === type && !candidate.named && !candidate.done;
    return this.#named(ids) ?? samePlace ?? this.items.find(nameless) ?? this.#add(item, type, index, ids);
  }

  #named(ids: readonly string[]): GrowingItem | undefined {
    for (const id of ids) {
      const known = this.#byId.get(id);
      if (known) return known;
    }
    return undefined;
  }

  #add(item: JsonObject, type: ItemType, index: number | undefined, ids: readonly string[]): GrowingItem {
    const growing: GrowingItem = {
      type,
      number: this.items.length,
      kind: item.type === "custom_tool_call" ? "custom" : "function",
      arguments: "",
      characters: 0,
      annotations: 0,
      named: ids.length > 0,
      started: false,
      done: false,
    };
    this.items.push(growing);
    if (index !== undefined) this.#byIndex.set(index, growing);
    for (const id of ids) this.#byId.set(id, growing);
    this.#onNew(growing, item);
    return growing;
  }
}

const itemTypes = new Map<JsonValue | undefined, ItemType>([
  ["message", "message"],
  ["reasoning", "reasoning"],
  ["function_call", "call"],
  ["custom_tool_call", "call"],
]);

export function typeOf(item: JsonObject): ItemType {
  return itemTypes.get(item.type) ?? "opaque";
}

function isLike(growing: GrowingItem, type: ItemType): boolean {
  return growing.type === type || growing.type === "opaque";
}

function idsOf({ id, call_id: callId }: JsonObject): string[] {
  return [id, callId].filter((name) => typeof name === "string" && name !== "") as string[];
}

/** An event about an item that was never added tells by its own type, and by its name, what it belongs to. */
function implied({ type, item_id: id, name }: JsonObject): JsonObject {
  const about = String(type);
  if (about.includes("function_call")) return { type: "function_call", id, name };
  if (about.includes("custom_tool_call")) return { type: "custom_tool_call", id, name };
  return { type: about.includes("reasoning") ? "reasoning" : "message", id };
}
