import { createHash } from "node:crypto";
import { type Item, isLegacyCallId, type MessageItem, type Steps } from "../turn/index.ts";
import type { UnmatchedResult } from "../wire/index.ts";
import type { ItemTexts } from "./item-texts.ts";

/** Joins the stored history of a conversation and what a request brings. */
export interface JoinedConversation {
  /** What the model is given. */
  input: Item[];
  /** What the request adds to the conversation. */
  added: Item[];
}

/**
 * A client that names its conversation sends only its newest messages. Instructions at the beginning of a request replace those of
 * the history. A client that sends earlier messages, too, adds only what comes after them. If it has changed one of them, the model
 * is given what the client sent.
 */
export function* joinConversation(
  history: readonly Item[],
  brought: readonly Item[],
  texts: ItemTexts,
): Steps<JoinedConversation> {
  const start = brought.findIndex((item) => !isInstruction(item));
  const instructions = start === -1 ? brought.slice() : brought.slice(0, start);
  const messages = start === -1 ? [] : brought.slice(start);
  const past = history.filter((item) => !isInstruction(item));
  const { from, isChanged, ids } = yield* overlapOf(messages, past, texts);
  const fresh = withIds(messages.slice(from), ids);
  const added = [...(yield* newInstructions(history, instructions, texts)), ...fresh];
  const known = instructions.length > 0 ? instructions : history.filter(isInstruction);
  if (isChanged) return { input: [...known, ...messages], added };
  const before = instructions.length > 0 ? [...instructions, ...past] : history;
  return { input: [...before, ...fresh], added };
}

/** Instructions that the conversation has already are not stored again. */
function* newInstructions(history: readonly Item[], instructions: readonly Item[], texts: ItemTexts): Steps<Item[]> {
  const known = new Set<string>();
  for (const item of history.filter(isInstruction)) known.add(yield* texts.of(item));
  const unknown: Item[] = [];
  for (const item of instructions) if (!known.has(yield* texts.of(item))) unknown.push(item);
  return unknown;
}

function isInstruction(item: Item): item is MessageItem {
  return item.type === "message" && (item.role === "system" || item.role === "developer");
}

interface Overlap {
  /** Index of the first message that the history does not have. */
  from: number;
  /** Whether the messages before it differ from those of the history. */
  isChanged: boolean;
  /** The ids that calls have in the history, by those of the request: the legacy form has none of its own. */
  ids: ReadonlyMap<string, string>;
}

const noOverlap: Overlap = { from: 0, isChanged: false, ids: new Map() };

/** Looks for the end of the history in the messages, then for its beginning. At least one message is new. */
function* overlapOf(messages: readonly Item[], past: readonly Item[], texts: ItemTexts): Steps<Overlap> {
  const said = past.filter(isComparable);
  const places = messages.flatMap((item, at) => (isComparable(item) ? [at] : []));
  const heard = messages.filter(isComparable);
  for (let end = heard.length; end > 0; end--) {
    yield;
    const from = (places[end - 1] ?? 0) + 1;
    if (from === messages.length) continue;
    const count = yield* sameBefore(heard, end, said, texts);
    // One equal message in the middle may be a coincidence.
    if (count >= Math.min(end, 2)) return { from, isChanged: count < end, ids: idsOf(heard, end, said, count) };
  }
  const count = yield* sameAtStart(heard, said, texts);
  if (count < 2) return noOverlap;
  const from = Math.min((places[count - 1] ?? 0) + 1, messages.length - 1);
  return { from, isChanged: true, ids: noOverlap.ids };
}
/** How many of the messages before an index are the last ones of the history. */
function* sameBefore(heard: readonly Item[], end: number, said: readonly Item[], texts: ItemTexts): Steps<number> {
  let count = 0;
  while (count < end && (yield* isSame(heard[end - 1 - count], said.at(-1 - count), texts))) {
    count++;
    yield;
  }
  return count;
}

function* sameAtStart(heard: readonly Item[], said: readonly Item[], texts: ItemTexts): Steps<number> {
  let count = 0;
  while (count < heard.length && (yield* isSame(heard[count], said[count], texts))) {
    count++;
    yield;
  }
  return count;
}

/** Calls of the legacy form have no ids of their own, so any id will do. */
function* isSame(heard: Item | undefined, said: Item | undefined, texts: ItemTexts): Steps<boolean> {
  if (!heard || !said || heard.type !== said.type) return false;
  const id = callIdOf(heard);
  if (id !== callIdOf(said) && !isLegacyCallId(id)) return false;
  return (yield* texts.of(heard)) === (yield* texts.of(said));
}

function callIdOf(item: Item): string {
  return item.type === "call" || item.type === "output" ? item.callId : "";
}

/** The ids of the last calls before an index, as many as are equal. */
function idsOf(heard: readonly Item[], end: number, said: readonly Item[], equal: number): Map<string, string> {
  const ids = new Map<string, string>();
  for (let count = 0; count < equal; count++) {
    const [mine, theirs] = [heard[end - 1 - count], said.at(-1 - count)];
    if (mine?.type === "call" && theirs?.type === "call") ids.set(mine.callId, theirs.callId);
  }
  return ids;
}

function withIds(items: readonly Item[], ids: ReadonlyMap<string, string>): Item[] {
  return items.map((item) =>
    item.type === "output" ? { ...item, callId: ids.get(item.callId) ?? item.callId } : item,
  );
}

/** A legacy result names only its function: it belongs to the last call of that name without a result. */
export function answerLegacyCalls(history: readonly Item[], results: readonly UnmatchedResult[]): void {
  if (results.length === 0) return;
  const answered = new Set(history.flatMap((item) => (item.type === "output" ? [item.callId] : [])));
  const open = history.filter((item) => item.type === "call").filter(({ callId }) => !answered.has(callId));
  for (const { output, name, error } of results) {
    const at = open.findLastIndex((call) => call.name === name);
    const [call] = at === -1 ? [] : open.splice(at, 1);
    if (!call) throw error;
    output.callId = call.callId;
  }
}

/** Clients drop reasoning, so it is not compared. */
function isComparable({ type }: Item): boolean {
  return type === "message" || type === "call" || type === "output";
}

/** Identifies what a request says, to recognize a repetition of it. */
export function* digestOfRequest(input: readonly Item[], texts: ItemTexts): Steps<string> {
  const hash = createHash("sha256");
  for (const item of input) {
    const text = yield* texts.of(item);
    const callId = callIdOf(item);
    hash.update(`${callId.length}:${text.length}:${callId}${text}`);
    yield;
  }
  return hash.digest("base64url");
}
