import { type Item, isObject, type JsonObject, type JsonValue, type Turn } from "../../turn/index.ts";
import { writeItem } from "../../wire/responses/items.ts";
import { asShown } from "./content.ts";

/** The input of a turn if the conversation cannot be injected into the thread: all of it as one message, in order. */
export function writeTranscript({ input, inputParam = "input" }: Turn): JsonObject[] {
  const messages = input.flatMap((item) => (item.type === "message" ? [item] : []));
  const [only] = messages;
  const parts = messages.flatMap(({ role, content }): JsonObject[] => {
    const shown = content.flatMap((part) => inputOf(written(asShown(part, inputParam))));
    return messages.length === 1 && only?.role === "user" ? shown : [{ type: "text", text: `[${role}]` }, ...shown];
  });
  return parts.length > 0 ? parts : [{ type: "text", text: "" }];
}

/** The last user message as the input of a turn, and the items before it. */
export function splitLast(items: readonly JsonObject[]): { before: JsonObject[]; input: JsonObject[] } {
  const last = items.at(-1);
  if (last?.type !== "message" || last.role !== "user" || !Array.isArray(last.content)) {
    return { before: [...items], input: [{ type: "text", text: "(Go on.)" }] };
  }
  return { before: items.slice(0, -1), input: last.content.flatMap(inputOf) };
}

function written(part: Extract<Item, { type: "message" }>["content"][number]): JsonValue {
  const message = writeItem({ type: "message", role: "user", content: [part] });
  return Array.isArray(message?.content) ? (message.content[0] ?? null) : null;
}

function inputOf(part: JsonValue): JsonObject[] {
  if (!isObject(part)) return [];
  if (part.type === "input_text") return [{ type: "text", text: part.text, text_elements: [] }];
  return part.type === "input_image" ? [{ type: "image", url: part.image_url }] : [];
}
