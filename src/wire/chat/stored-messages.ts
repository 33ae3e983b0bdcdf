import {
  entriesOfStep,
  type InputPlaces,
  type InputSection,
  isObject,
  type JsonObject,
  type JsonValue,
  type Steps,
} from "../../turn/index.ts";
import { visibleItems } from "../visible-items.ts";
import { messageSteps } from "./messages.ts";

/** A message of a stored completion, and its id: that of the completion and the message's place in the conversation. */
export interface StoredMessage {
  id: string;
  message: JsonObject;
}

/** What the model was given for a stored completion in one section, oldest first. */
export function* storedMessages(id: string, section: InputSection, isLegacy: boolean): Steps<StoredMessage[]> {
  const input = yield* visibleItems(section.items);
  const messages = yield* messageSteps({ api: "chat", input });
  const form = isLegacy ? new LegacyForm() : undefined;
  const stored: StoredMessage[] = [];
  for (const [index, message] of messages.entries()) {
    stored.push({ id: idOf(id, section, index), message: form ? form.write(message) : message });
    if (index % entriesOfStep === entriesOfStep - 1) yield;
  }
  return stored;
}

/** This API may need more messages than are stored, for the images of outputs. The ids of these say so. */
function idOf(id: string, { position, length }: InputSection, index: number): string {
  const most = length - 1;
  return index <= most ? `${id}-${position + index}` : `${id}-${position + most}-${index - most}`;
}

const place = /^-(\d{1,9})(?:-\d{1,9})?$/;

/** Where the message is of which an id can be. */
export function placesOfMessage(id: string, message: string): InputPlaces | undefined {
  const [, digits] = (message.startsWith(id) && place.exec(message.slice(id.length))) || [];
  if (digits === undefined) return undefined;
  return { first: Number(digits), last: Number(digits) };
}

/** A stored message with the keys of OpenAI's. */
export function writeStoredMessage({ id, message }: StoredMessage): JsonObject {
  const { role, content, ...rest } = message;
  const parts = Array.isArray(content) ? content : null;
  return {
    id,
    role,
    content: parts ? textOf(parts) : (content ?? null),
    content_parts: parts,
    name: null,
    refusal: null,
    tool_calls: null,
    tool_call_id: null,
    function_call: null,
    ...rest,
  };
}

function textOf(parts: readonly JsonValue[]): string | null {
  const texts = parts.flatMap((part) => (isObject(part) && typeof part.text === "string" ? [part.text] : []));
  return texts.length > 0 ? texts.join("\n") : null;
}

/** Writes calls and outputs in the form without ids. */
class LegacyForm {
  /** The names of the called functions, by the ids that the calls have here. */
  readonly #names = new Map<string, string>();

  write(message: JsonObject): JsonObject {
    if (message.role === "tool") return this.#output(message);
    const { tool_calls: calls, ...rest } = message;
    // A legacy message holds one call.
    const call = Array.isArray(calls) && calls.length === 1 ? calls[0] : undefined;
    if (!isObject(call) || typeof call.id !== "string" || !isObject(call.function)) return message;
    const { name, arguments: text } = call.function;
    if (typeof name === "string") this.#names.set(call.id, name);
    return { ...rest, function_call: { name, arguments: text } };
  }

  #output(message: JsonObject): JsonObject {
    const { tool_call_id: id, role: _role, ...rest } = message;
    const name = typeof id === "string" ? this.#names.get(id) : undefined;
    return name === undefined ? message : { role: "function", name, ...rest };
  }
}
