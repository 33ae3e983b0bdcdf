import { createHash } from "node:crypto";
import { giveLoopBack, type Item, isLegacyCallId, isLoopHeld, type MessageItem } from "../turn/index.ts";
import type { UnmatchedResult } from "../wire/index.ts";

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
export async function joinConversation(
  history: readonly Item[],
  brought: readonly Item[],
): Promise<JoinedConversation> {
  const start = brought.findIndex((item) => !isInstruction(item));
  const instructions = start === -1 ? brought.slice() : brought.slice(0, start);
  const messages = start === -1 ? [] : brought.slice(start);
  const past = history.filter((item) => !isInstruction(item));
  const { from, isChanged, ids } = await overlapOf(messages, past);
  const fresh = withIds(messages.slice(from), ids);
  const added = [...newInstructions(history, instructions), ...fresh];
  const known = instructions.length > 0 ? instructions : history.filter(isInstruction);
  if (isChanged) return { input: [...known, ...messages], added };
  const before = instructions.length > 0 ? [...instructions, ...past] : history;
  return { input: [...before, ...fresh], added };
}

/** Instructions that the conversation has already are not stored again. */
function newInstructions(history: readonly Item[], instructions: readonly Item[]): Item[] {
  const known = new Set(history.filter(isInstruction).map(textOf));
  return instructions.filter((item) => !known.has(textOf(item)));
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
async function overlapOf(messages: readonly Item[], past: readonly Item[]): Promise<Overlap> {
  const said = past.filter(isComparable);
  const places = messages.flatMap((item, at) => (isComparable(item) ? [at] : []));
  const heard = messages.filter(isComparable);
  for (let end = heard.length; end > 0; end--) {
    if (isLoopHeld()) await giveLoopBack();
    const from = (places[end - 1] ?? 0) + 1;
    const count = from < messages.length ? await sameBefore(heard, end, said) : 0;
    // One equal message in the middle may be a coincidence.
    if (count > 0 && count >= Math.min(end, 2)) return { from, isChanged: count < end, ids: idsOf(heard, end, said) };
  }
  const count = await sameAtStart(heard, said);
  if (count < 2) return noOverlap;
  const from = Math.min((places[count - 1] ?? 0) + 1, messages.length - 1);
  return { from, isChanged: true, ids: noOverlap.ids };
}

/** How many of the messages before an index are the last ones of the history. */
async function sameBefore(heard: readonly Item[], end: number, said: readonly Item[]): Promise<number> {
  let count = 0;
  while (count < end && isSame(heard[end - 1 - count], said.at(-1 - count))) {
    count++;
    if (isLoopHeld()) await giveLoopBack();
  }
  return count;
}

async function sameAtStart(heard: readonly Item[], said: readonly Item[]): Promise<number> {
  let count = 0;
  while (count < heard.length && isSame(heard[count], said[count])) {
    count++;
    if (isLoopHeld()) await giveLoopBack();
  }
  return count;
}

function isSame(heard: Item | undefined, said: Item | undefined): boolean {
  if (!heard || heard.type !== said?.type) return false;
  if (heard.type === "call" && said.type === "call" && isLegacyCallId(heard.callId)) return heard.name === said.name;
  if (heard.type === "output" && said.type === "output" && isLegacyCallId(heard.callId))
    return textOf({ ...heard, callId: said.callId }) === textOf(said);
  return textOf(heard) === textOf(said);
}

/** The ids of the calls that are equal before an index. */
function idsOf(heard: readonly Item[], end: number, said: readonly Item[]): Map<string, string> {
  const ids = new Map<string, string>();
  for (let count = 0; count < end && isSame(heard[end - 1 - count], said.at(-1 - count)); count++) {
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

/** What an item says, whatever its ids are. */
function textOf(item: Item): string {
  switch (item.type) {
    case "message":
      return `${item.role}\n${item.content
        .map((part) => (part.type === "text" ? part.text : JSON.stringify(part)))
        .join("")
        .trim()}`;
    case "call":
      return `call\n${item.callId}\n${item.name}`;
    case "output":
      return `output\n${item.callId}\n${typeof item.output === "string" ? item.output : JSON.stringify(item.output)}`;
    case "reasoning":
    case "opaque":
      return item.type;
  }
}

/** Identifies what a request says, to recognize a repetition of it. */
export async function digestOfRequest(input: readonly Item[]): Promise<string> {
  const hash = createHash("sha256");
  for (const item of input) {
    const text = textOf(item);
    hash.update(`${text.length}:`);
    for (let at = 0; at < text.length; at += pieceSize) {
      hash.update(text.slice(at, at + pieceSize));
      if (isLoopHeld()) await giveLoopBack();
    }
  }
  return hash.digest("base64url");
}

/** Characters that are hashed at once. */
const pieceSize = 512 * 1024;
