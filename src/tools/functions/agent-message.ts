import { type Item, isObject, type JsonValue, type MessageItem, type OpaqueItem } from "../../turn/index.ts";

/** What one of Codex's agents says to another is an item of its own, which only OpenAI's models know. */
export function isAgentMessage(item: Item): item is OpaqueItem {
  return item.type === "opaque" && item.format === "responses" && item.fields.type === "agent_message";
}

/** The same as somebody's words to the model. */
export function messageOf({ fields: { content } }: OpaqueItem): MessageItem {
  const parts = Array.isArray(content) ? content : [];
  return { type: "message", role: "user", content: [{ type: "text", text: parts.map(wordsOf).join("") }] };
}

/** The message itself stands where OpenAI has it encrypted: as the model that called for it wrote it, where that was another. */
function wordsOf(part: JsonValue): string {
  const text = isObject(part) ? (part.text ?? part.encrypted_content) : part;
  return typeof text === "string" ? text : "";
}
