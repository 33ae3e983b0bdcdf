import type { JsonObject, JsonValue } from "../../turn/index.ts";
import type { MessageOrder } from "../provider-quirks.ts";

/**
 * The messages in an order that the model's template takes. Nothing is left out: who may not speak again speaks longer. Clients of the
 * Responses API say what the system has to say in several pieces, of which many templates keep only the first.
 */
export function orderMessages(messages: JsonObject[], order: MessageOrder, isChatClient: boolean): JsonObject[] {
  if (order === "any") return isChatClient ? messages : withOneBeginning(messages);
  const speeches: JsonObject[][] = [];
  let mayBeSystem = order === "in turn";
  for (const message of messages) {
    mayBeSystem &&= isSystem(message);
    // What a template has no place for is said by the user, where it was said.
    const role = isSystem(message) ? (mayBeSystem ? "system" : "user") : message.role;
    const speech = speeches.at(-1);
    const last = speech?.at(-1);
    if (speech && last && last.role === role && canGoOn(last)) speech.push({ ...message, role });
    else speeches.push([{ ...message, role }]);
  }
  return speeches.map(together);
}

function withOneBeginning(messages: JsonObject[]): JsonObject[] {
  const end = messages.findIndex((message) => !isSystem(message));
  const count = end === -1 ? messages.length : end;
  return count < 2 ? messages : [together(messages.slice(0, count)), ...messages.slice(count)];
}

function isSystem({ role }: JsonObject): boolean {
  return role === "system" || role === "developer";
}

/** Each output of a tool is a message of its own, and what follows a call is its output. Of what was heard there is one a message. */
function canGoOn({ role, tool_calls: calls, audio }: JsonObject): boolean {
  return role !== "tool" && calls === undefined && audio === undefined;
}

function together(speech: JsonObject[]): JsonObject {
  const [first = {}, ...others] = speech;
  if (others.length === 0) return first;
  const message: JsonObject = {};
  for (const key of new Set(speech.flatMap((said) => Object.keys(said)))) {
    const values = speech.flatMap((said) => (isSaid(said[key]) ? [said[key]] : []));
    message[key] = values.every(isWords) && key !== "role" && key !== "name" ? joined(values) : sameOf(values);
  }
  message.content ??= message.role === "assistant" ? null : "";
  return message;
}

function isSaid(value: JsonValue | undefined): value is JsonValue {
  return value !== undefined && value !== null && value !== "";
}

function isWords(value: JsonValue): value is string | JsonValue[] {
  return typeof value === "string" || Array.isArray(value);
}

/** Words follow words, and parts parts. */
function joined(values: (string | JsonValue[])[]): JsonValue | undefined {
  if (values.length === 0) return undefined;
  return values.every((value) => typeof value === "string") ? values.join("\n\n") : values.flatMap(partsOf);
}

/** What can be only one thing is said only where all say the same. */
function sameOf(values: JsonValue[]): JsonValue | undefined {
  const [first] = values;
  return values.every((value) => value === first) ? first : undefined;
}

function partsOf(content: string | JsonValue[]): JsonValue[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}
