import type { CallItem, Item, MessageItem, OpaqueItem, OutputItem, ReasoningItem } from "../turn/index.ts";
import type { ContentMark } from "./contents.ts";
import type { StoredPart } from "./message-parts.ts";

/**
 * A message as it is stored: a row as Chat Completions has it. Everything that an assistant did in one round is one row. `contentJson`
 * holds what the other columns cannot express, and does not repeat what they hold. A column with very long JSON has a `ContentMark`.
 */
export interface MessageColumns {
  role: string;
  content: string | null;
  contentJson: string | null;
  /** JSON in the form of Chat Completions. */
  toolCalls: string | null;
  /** The same for a client of the legacy API. */
  functionCall: string | null;
  toolCallId: string | null;
}

/** A message to store. */
export interface MessageRow extends MessageColumns {
  /** In characters, with the large strings that are stored elsewhere. */
  size: number;
  /** The keys of the ids of the items in it. */
  items: string[];
  /** The digests of the large strings in it. */
  contents: string[];
}

/** A message of a system, developer or user, beside its role and its text. Without `content` the text is all that it says. */
export interface StoredMessage extends Omit<MessageItem, "type" | "role" | "content"> {
  content?: StoredPart[];
}

/** The output of a call. Without `output` it is the text in the row. */
export interface StoredOutput extends Omit<OutputItem, "type" | "kind" | "callId" | "output"> {
  kind?: "custom" | "search";
  callId?: string;
  output?: string | ContentMark | StoredPart[];
}

/** A message of an assistant. Without `content` it is one text of this length. */
export interface StoredAssistantMessage extends StoredMessage {
  type: "message";
  length?: number;
}

/** A call. Its name and its arguments are the next ones among the row's calls. */
export interface StoredCall extends Omit<CallItem, "kind" | "callId" | "name" | "arguments"> {
  kind?: "search";
  /** If the row has a legacy call, which has no id. */
  callId?: string;
}

export type StoredAssistantItem = StoredAssistantMessage | StoredCall | ReasoningItem | OpaqueItem;

/** Everything that an assistant did in one round, in its order. */
export interface StoredRound {
  items: StoredAssistantItem[];
}

/** A call in the form of Chat Completions. */
export type ChatCall =
  | { id: string; type: "function"; function: ChatFunction }
  | { id: string; type: "custom"; custom: { name: string; input: string } };

export interface ChatFunction {
  name: string;
  arguments: string;
}

/** The id of an item. A reference to another item, which only its provider has, has none of its own. */
export function idOf(item: Item): string | undefined {
  if (item.type !== "opaque") return item.id;
  if (isReference(item)) return undefined;
  return typeof item.fields.id === "string" ? item.fields.id : undefined;
}

export function isReference(item: Item): boolean {
  return item.type === "opaque" && item.fields.type === "item_reference";
}

/** The id of the item that a reference stands for. */
export function referencedId(item: Item): string | undefined {
  if (item.type !== "opaque" || !isReference(item)) return undefined;
  return typeof item.fields.id === "string" ? item.fields.id : undefined;
}
