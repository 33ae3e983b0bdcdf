import { entriesOfStep, type Item, type Steps } from "../turn/index.ts";

/** A look at an item costs little. */
const manyItems = 16 * entriesOfStep;

/** The items that a client may see: not the calls that the gateway ran, nor their outputs. */
export function* visibleItems(items: readonly Item[]): Steps<Item[]> {
  const visible: Item[] = [];
  /** The ids of the gateway's calls. A later turn may use the same id again for a client's call. */
  const hidden = new Set<string>();
  for (const [index, item] of items.entries()) {
    if (item.type === "call" && item.owner === "gateway") hidden.add(item.callId);
    else {
      if (item.type === "call") hidden.delete(item.callId);
      if (item.type !== "output" || !hidden.has(item.callId)) visible.push(item);
    }
    if (index % manyItems === manyItems - 1) yield;
  }
  return visible;
}
