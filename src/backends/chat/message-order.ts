import type { Api, JsonObject, JsonValue } from "../../turn/index.ts";
import type { MessageOrder } from "../habits.ts";

/**
 * The messages in an order that the model's template takes. Nothing is left out: who may not speak again speaks longer. Clients of the
 * Responses API say what the system has to say in several pieces, of which many templates keep only the first.
 */
export function inOrder(messages: JsonObject[], order: MessageOrder, api: Api): JsonObject[] {
  if (order === "any") return api === "chat" ? messages : withOneBeginning(messages);
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

/** Each output of a tool is a message of its own, and what follows a call is its output. */
function canGoOn({ role, tool_calls: calls }: JsonObject): boolean {
  return role !== "tool" && calls === undefined;
}

function together(speech: JsonObject[]): JsonObject {
  const [first = {}, ...others] = speech;
  if (others.length === 0) return first;
  const contents = speech.flatMap(({ content }) => (isContent(content) ? [content] : []));
  const isText = contents.every((content) => typeof content === "string");
  const content = isText ? contents.join("\n\n") : contents.flatMap(partsOf);
  return Object.assign({}, ...speech, { content: content.length > 0 ? content : null });
}

function isContent(content: JsonValue | undefined): content is string | JsonValue[] {
  return Array.isArray(content) || (typeof content === "string" && content !== "");
}

function partsOf(content: string | JsonValue[]): JsonValue[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}
