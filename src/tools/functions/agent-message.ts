import { type Item, isObject, type JsonValue, type MessageItem, type OpaqueItem } from "../../turn/index.ts";

/** A message from one Codex agent to another is an item type that only OpenAI's models know. */
export function isAgentMessage(item: Item): item is OpaqueItem {
  return item.type === "opaque" && item.format === "responses" && item.fields.type === "agent_message";
}

/** The item as a user message. */
export function messageOf({ fields: { content } }: OpaqueItem): MessageItem {
  const parts = Array.isArray(content) ? content : [];
  return { type: "message", role: "user", content: [{ type: "text", text: parts.map(wordsOf).join("") }] };
}

/** OpenAI's models encrypt the message. If another model wrote it, `encrypted_content` holds plain text. */
function wordsOf(part: JsonValue): string {
  const text = isObject(part) ? (part.text ?? part.encrypted_content) : part;
  return typeof text === "string" ? text : "";
}
