import { type Item, isLegacyCallId, type OutputItem, type Steps } from "../turn/index.ts";
import type { ItemTexts } from "./item-texts.ts";

/** How the messages of a request relate to the stored history of its conversation. */
export interface Overlap {
  /** What the history does not have. */
  fresh: Item[];
  /** Whether the client sent a history that differs from the stored one. */
  isChanged: boolean;
}

/**
 * A client may send only what is new, or also the history or the end of it. Messages and calls are compared, but no texts before calls,
 * because clients drop them. The outputs of calls are found by the ids of the calls.
 */
export function* overlapOf(messages: readonly Item[], past: readonly Item[], texts: ItemTexts): Steps<Overlap> {
  const [heard, said] = [landmarksOf(messages), landmarksOf(past)];
  const hasIds = !messages.some((item) => isLegacyCallId(callIdOf(item)));
  const heardKeys = yield* keysOf(heard, hasIds, texts);
  const saidKeys = yield* keysOf(said, hasIds, texts);
  const outputs = outputsOf(past);
  for (const length of commonLengths(heardKeys, saidKeys)) {
    const known = withKnownIds(messages, heard.slice(0, length), said.slice(-length));
    const end = heard[length - 1]?.at ?? 0;
    const fresh = known.filter((item, at) => (item.type === "output" ? !outputs.has(item.callId) : at > end));
    if (fresh.length > 0) return { fresh, isChanged: yield* haveChanged(outputs, known, texts) };
  }
  const isHistory = heard.some(({ item }) => isOfModel(item)) || (heard.length > 1 && heardKeys[0] === saidKeys[0]);
  return { fresh: messages.slice(), isChanged: said.length > 0 && isHistory };
}

/** Whether the model made the item. */
export function isOfModel(item: Item): boolean {
  return item.type === "message" ? item.role === "assistant" : item.type !== "output";
}

/** An item that is compared, and its index. */
interface Landmark {
  item: Item;
  at: number;
}

function landmarksOf(items: readonly Item[]): Landmark[] {
  const some = items
    .map((item, at) => ({ item, at }))
    .filter(({ item }) => item.type === "message" || item.type === "call");
  return some.filter(({ item }, at) => item.type === "call" || !isOfModel(item) || some[at + 1]?.item.type !== "call");
}

/** Equal for items that say the same. Calls of the legacy form have no ids of their own. */
function* keysOf(landmarks: readonly Landmark[], hasIds: boolean, texts: ItemTexts): Steps<string[]> {
  const keys: string[] = [];
  for (const { item } of landmarks) {
    keys.push(`${hasIds ? callIdOf(item) : ""}\n${yield* texts.of(item)}`);
    yield;
  }
  return keys;
}

/**
 * The lengths of the beginnings of one list that are the end of another, the longest first. This takes linear time, also for lists
 * that repeat themselves (the algorithm of Knuth, Morris and Pratt).
 */
function commonLengths(list: readonly string[], other: readonly string[]): number[] {
  // The longest beginning of the list that ends at each of its entries, and is shorter than the list up to there.
  const shorter: number[] = [];
  const advance = (length: number, key: string): number => {
    while (length > 0 && list[length] !== key) length = shorter[length - 1] ?? 0;
    return list[length] === key ? length + 1 : length;
  };
  for (const [at, key] of list.entries()) shorter.push(at === 0 ? 0 : advance(shorter[at - 1] ?? 0, key));
  const lengths: number[] = [];
  let length = other.reduce(advance, 0);
  for (; length > 0; length = shorter[length - 1] ?? 0) lengths.push(length);
  return lengths;
}

/** Outputs of calls that are equal get the ids that the calls have in the history. */
function withKnownIds(messages: readonly Item[], heard: readonly Landmark[], said: readonly Landmark[]): Item[] {
  const ids = new Map(heard.map(({ item }, at) => [callIdOf(item), callIdOf(said[at]?.item ?? item)]));
  return messages.map((item) =>
    item.type === "output" ? { ...item, callId: ids.get(item.callId) ?? item.callId } : item,
  );
}

function outputsOf(items: readonly Item[]): Map<string, OutputItem> {
  return new Map(items.flatMap((item) => (item.type === "output" ? [[item.callId, item]] : [])));
}

/** Whether the client sent another output of a call than before. */
function* haveChanged(
  outputs: ReadonlyMap<string, OutputItem>,
  messages: readonly Item[],
  texts: ItemTexts,
): Steps<boolean> {
  for (const item of messages) {
    const before = item.type === "output" ? outputs.get(item.callId) : undefined;
    if (before && (yield* texts.of(before)) !== (yield* texts.of(item))) return true;
    yield;
  }
  return false;
}

export function callIdOf(item: Item): string {
  return item.type === "call" || item.type === "output" ? item.callId : "";
}
