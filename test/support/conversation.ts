import { type CallKind, isObject, type JsonObject, type JsonValue } from "../../src/turn/index.ts";
import { objectsOf } from "./folded.ts";

/** A request's conversation as any provider would understand it. */
export type ConversationEntry =
  | { kind: "message"; role: string; text: string; images: string[] }
  | { kind: "call"; id: string; name: string; arguments: string }
  | { kind: "output"; id: string; text: string };

export interface OfferedTool {
  name: string;
  kind: CallKind;
  description?: JsonValue | undefined;
  parameters?: JsonValue | undefined;
  strict?: JsonValue | undefined;
}

/** Reads the conversation out of a request body of either API. */
export function conversation(body: JsonObject): ConversationEntry[] {
  if ("messages" in body) return objectsOf(body.messages).flatMap(readChatMessage);
  const input = typeof body.input === "string" ? [{ role: "user", content: body.input }] : objectsOf(body.input);
  const instructions: ConversationEntry[] =
    typeof body.instructions === "string" && body.instructions !== ""
      ? [{ kind: "message", role: "system", text: body.instructions, images: [] }]
      : [];
  return [...instructions, ...input.flatMap(readResponsesItem)];
}

/** The functions and custom tools that a request of either API offers. */
export function offeredTools(body: JsonObject): OfferedTool[] {
  const tools = objectsOf(body.tools).flatMap((tool): OfferedTool[] => {
    if (tool.type !== "function" && tool.type !== "custom") return [];
    const definition = "messages" in body ? tool[tool.type] : tool;
    return isObject(definition) ? [readTool(definition, tool.type)] : [];
  });
  return [...tools, ...objectsOf(body.functions).map((definition) => readTool(definition, "function"))];
}

function readTool({ name, description, parameters, strict }: JsonObject, kind: CallKind): OfferedTool {
  return {
    name: String(name),
    kind,
    ...(description !== undefined && { description }),
    ...(parameters !== undefined && { parameters }),
    ...(strict !== undefined && { strict }),
  };
}

function readChatMessage(message: JsonObject): ConversationEntry[] {
  const { role, content } = message;
  if (role === "tool") return [{ kind: "output", id: String(message.tool_call_id), text: textOf(content) }];
  if (role === "function") return [{ kind: "output", id: "", text: textOf(content) }];
  const legacy = isObject(message.function_call) ? [{ function: message.function_call }] : [];
  const calls = [...objectsOf(message.tool_calls), ...legacy].map((call: JsonObject): ConversationEntry => {
    const inside = isObject(call.custom) ? call.custom : isObject(call.function) ? call.function : {};
    return {
      kind: "call",
      id: String(call.id ?? ""),
      name: String(inside.name),
      arguments: String(inside.arguments ?? inside.input),
    };
  });
  return [...said(role, content), ...calls];
}

function readResponsesItem(item: JsonObject): ConversationEntry[] {
  switch (item.type) {
    case "function_call":
    case "custom_tool_call":
      return [
        {
          kind: "call",
          id: String(item.call_id),
          name: String(item.name),
          arguments: String(item.arguments ?? item.input),
        },
      ];
    case "function_call_output":
    case "custom_tool_call_output":
      return [{ kind: "output", id: String(item.call_id), text: textOf(item.output) }];
    default:
      return item.role === undefined ? [] : said(item.role, item.content);
  }
}

function said(role: JsonValue | undefined, content: JsonValue | undefined): ConversationEntry[] {
  const text = textOf(content);
  const images = objectsOf(content).flatMap(imageOf);
  return text === "" && images.length === 0 ? [] : [{ kind: "message", role: String(role), text, images }];
}

function textOf(content: JsonValue | undefined): string {
  if (typeof content === "string") return content;
  return objectsOf(content)
    .map((part) => (typeof part.text === "string" ? part.text : ""))
    .join("");
}

function imageOf(part: JsonObject): string[] {
  const image = part.image_url;
  if (typeof image === "string") return [image];
  return isObject(image) && typeof image.url === "string" ? [image.url] : [];
}
