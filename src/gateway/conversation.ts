import { createHash } from "node:crypto";
import type { Item, MessageItem, Steps } from "../turn/index.ts";
import type { UnmatchedResult } from "../wire/index.ts";
import type { ItemTexts } from "./item-texts.ts";
import { callIdOf, isOfModel, overlapOf } from "./overlap.ts";

/** The stored history of a conversation, joined with what a request brings. */
export interface JoinedConversation {
  /** What the model is given. */
  input: Item[];
  /** What the request adds to the conversation. */
  added: Item[];
  /** Whether the conversation begins anew with what was added. */
  restarts: boolean;
}

/**
 * A client that names its conversation sends only its newest messages. Instructions at the beginning of a request replace those of
 * the history. A client that sends earlier messages, too, adds only what comes after them. If it has changed one of them, the
 * conversation begins anew with what the client sent.
 */
export function* joinConversation(
  history: readonly Item[],
  brought: readonly Item[],
  texts: ItemTexts,
): Steps<JoinedConversation> {
  const start = brought.findIndex((item) => !isInstruction(item));
  const instructions = start === -1 ? brought : brought.slice(0, start);
  const messages = start === -1 ? [] : brought.slice(start);
  const { current, past } = withoutInstructions(history);
  const valid = instructions.length > 0 ? instructions : current;
  const { fresh, isChanged } = yield* overlapOf(messages, past, texts);
  if (isChanged) {
    const input = [...valid, ...messages];
    return { input, added: input, restarts: true };
  }
  const isKnown = yield* saySame(valid, current, texts);
  return {
    input: [...valid, ...past, ...fresh],
    added: [...(isKnown ? [] : valid), ...fresh],
    restarts: false,
  };
}

/**
 * The instructions that are in force, and the history without those at the beginnings of its turns. Instructions behind other messages
 * of a client stay where they are.
 */
function withoutInstructions(history: readonly Item[]): { current: Item[]; past: Item[] } {
  const past: Item[] = [];
  let current: Item[] = [];
  let isStart = true;
  let isReplaced = true;
  for (const item of history) {
    if (isStart && isInstruction(item)) {
      if (isReplaced) current = [];
      isReplaced = false;
      current.push(item);
    } else {
      past.push(item);
      isStart = isOfModel(item);
      isReplaced = true;
    }
  }
  return { current, past };
}

function isInstruction(item: Item): item is MessageItem {
  return item.type === "message" && (item.role === "system" || item.role === "developer");
}

function* saySame(some: readonly Item[], others: readonly Item[], texts: ItemTexts): Steps<boolean> {
  if (some.length !== others.length) return false;
  for (const [at, item] of some.entries()) {
    const other = others[at];
    if (!other || (yield* texts.of(item)) !== (yield* texts.of(other))) return false;
  }
  return true;
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
