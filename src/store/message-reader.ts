import {
  type CallItem,
  type Item,
  isObject,
  type MessageItem,
  type OutputItem,
  type Role,
  type Steps,
} from "../turn/index.ts";
import type { Contents } from "./contents.ts";
import { TextReader } from "./message-parts.ts";
import type {
  ChatCall,
  ChatFunction,
  MessageColumns,
  StoredAssistantItem,
  StoredAssistantMessage,
  StoredCall,
  StoredMessage,
  StoredOutput,
  StoredRound,
} from "./messages.ts";
import { originalJson } from "./stored-json.ts";

/** The items of a row, as they were before they were stored. */
export function* itemsOf(row: MessageColumns, contents: Contents): Steps<Item[]> {
  const texts = new TextReader(row.content, contents);
  switch (row.role) {
    case "assistant":
      return yield* roundOf(row, texts, contents);
    case "tool":
      return [outputOf(row, yield* written<StoredOutput>(row.contentJson, contents, {}), texts)];
    default:
      return [messageOf(row.role as Role, yield* written<StoredMessage>(row.contentJson, contents, {}), texts)];
  }
}

/** Only `message-writer.ts` writes these columns, so their JSON has the form that is asked for. */
function* written<Form>(json: string | null, contents: Contents, missing: Form): Steps<Form> {
  if (json === null) return missing;
  const value = yield* originalJson(json);
  if (!isObject(value) || typeof value.digest !== "string") return value as Form;
  return (yield* originalJson(contents.get(value.digest) ?? "null")) as Form;
}

function messageOf(role: Role, { content, ...rest }: StoredMessage, texts: TextReader): MessageItem {
  const parts: MessageItem["content"] = content ? texts.parts(content) : [{ type: "text", text: texts.rest() }];
  return { type: "message", role, content: parts, ...rest };
}

function outputOf(row: MessageColumns, stored: StoredOutput, texts: TextReader): OutputItem {
  const { kind = "function", callId = row.toolCallId ?? "", output, ...rest } = stored;
  const value = Array.isArray(output) ? texts.parts(output) : output === undefined ? texts.rest() : texts.take(output);
  return { type: "output", kind, callId, output: value, ...rest };
}

function* roundOf(row: MessageColumns, texts: TextReader, contents: Contents): Steps<Item[]> {
  const plain: StoredRound = { items: [{ type: "message", length: row.content?.length ?? 0 }] };
  const round = yield* written(row.contentJson, contents, plain);
  const calls = yield* written<ChatCall[]>(row.toolCalls, contents, []);
  const legacy = yield* written<ChatFunction | null>(row.functionCall, contents, null);
  let at = 0;
  const next = (stored: StoredCall): CallItem => {
    if (legacy) return { callId: "", ...stored, kind: "function", ...legacy };
    return callOf(stored, calls[at++]);
  };
  const items: Item[] = [];
  for (const item of round.items) {
    items.push(assistantItem(item, texts, next));
    yield;
  }
  return items;
}

function assistantItem(item: StoredAssistantItem, texts: TextReader, call: (stored: StoredCall) => CallItem): Item {
  if (item.type === "message") return assistantMessage(item, texts);
  return item.type === "call" ? call(item) : item;
}

function assistantMessage({ content, length = 0, ...rest }: StoredAssistantMessage, texts: TextReader): MessageItem {
  const parts: MessageItem["content"] = content ? texts.parts(content) : [{ type: "text", text: texts.take(length) }];
  return { ...rest, role: "assistant", content: parts };
}

function callOf({ kind: search, ...stored }: StoredCall, call: ChatCall | undefined): CallItem {
  const kind = search ?? "function";
  if (!call) return { callId: "", name: "", arguments: "", ...stored, kind };
  if (call.type === "function") return { ...stored, kind, callId: call.id, ...call.function };
  return { ...stored, kind: "custom", callId: call.id, name: call.custom.name, arguments: call.custom.input };
}
