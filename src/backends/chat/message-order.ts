import type { JsonObject, JsonValue } from "../../turn/index.ts";
import type { MessageOrder } from "../provider-quirks.ts";

/**
 * Orders the messages as the model's chat template requires. Nothing is dropped: consecutive messages of one role are merged.
 * Clients of the Responses API send several system messages, of which many templates keep only the first.
 */
export function orderMessages(messages: JsonObject[], order: MessageOrder, isChatClient: boolean): JsonObject[] {
  if (order === "any") return isChatClient ? messages : withOneSystemMessage(messages);
  const groups: JsonObject[][] = [];
  let mayBeSystem = order === "in turn";
  for (const message of messages) {
    mayBeSystem &&= isSystem(message);
    // A system message that the template does not allow becomes a user message at the same position.
    const role = isSystem(message) ? (mayBeSystem ? "system" : "user") : message.role;
    const group = groups.at(-1);
    const last = group?.at(-1);
    if (group && last && last.role === role && canMerge(last)) group.push({ ...message, role });
    else groups.push([{ ...message, role }]);
  }
  return groups.map(mergeMessages);
}

function withOneSystemMessage(messages: JsonObject[]): JsonObject[] {
  const end = messages.findIndex((message) => !isSystem(message));
  const count = end === -1 ? messages.length : end;
  return count < 2 ? messages : [mergeMessages(messages.slice(0, count)), ...messages.slice(count)];
}

function isSystem({ role }: JsonObject): boolean {
  return role === "system" || role === "developer";
}

/** Each tool output is a message of its own, calls must be followed by their outputs, and a message holds only one `audio`. */
function canMerge({ role, tool_calls: calls, audio }: JsonObject): boolean {
  return role !== "tool" && calls === undefined && audio === undefined;
}

function mergeMessages(group: JsonObject[]): JsonObject {
  const [first = {}, ...others] = group;
  if (others.length === 0) return first;
  const message: JsonObject = {};
  for (const key of new Set(group.flatMap((one) => Object.keys(one)))) {
    const values = group.flatMap((one) => (isFilled(one[key]) ? [one[key]] : []));
    message[key] = values.every(isJoinable) && key !== "role" && key !== "name" ? joined(values) : commonValue(values);
  }
  message.content ??= message.role === "assistant" ? null : "";
  return message;
}

function isFilled(value: JsonValue | undefined): value is JsonValue {
  return value !== undefined && value !== null && value !== "";
}

function isJoinable(value: JsonValue): value is string | JsonValue[] {
  return typeof value === "string" || Array.isArray(value);
}

function joined(values: (string | JsonValue[])[]): JsonValue | undefined {
  if (values.length === 0) return undefined;
  return values.every((value) => typeof value === "string") ? values.join("\n\n") : values.flatMap(partsOf);
}

/** A field that holds one value is kept only if all merged messages agree on it. */
function commonValue(values: JsonValue[]): JsonValue | undefined {
  const [first] = values;
  return values.every((value) => value === first) ? first : undefined;
}

function partsOf(content: string | JsonValue[]): JsonValue[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}
