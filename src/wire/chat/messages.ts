import {
  type CallItem,
  entriesOfStep,
  finished,
  givenBack,
  type Item,
  type JsonObject,
  type JsonValue,
  type MessageItem,
  type OutputItem,
  type Part,
  type Steps,
  type TextPart,
  type Turn,
} from "../../turn/index.ts";
import { typeWord } from "../part-type.ts";

/** The conversation as Chat Completions messages for a backend. */
export function writeMessages(turn: Turn): JsonObject[] {
  return finished(messageSteps(turn));
}

/** The part of a turn that becomes messages. */
export type Conversation = Pick<Turn, "api" | "instructions" | "input">;

export function* messageSteps(turn: Conversation): Steps<JsonObject[]> {
  const writer = new MessageWriter(turn.input, turn.api === "chat");
  if (turn.instructions) writer.add({ role: "system", content: turn.instructions });
  for (const [at, item] of turn.input.entries()) {
    writer.item(item, at);
    if (at % entriesOfStep === entriesOfStep - 1) yield;
  }
  return writer.finish();
}

/**
 * Chat requires everything that an assistant did in a row in one message: reasoning, text and calls. The outputs of those calls
 * must follow directly, as text only. Images of outputs follow in a user message, the only kind in which this API allows them.
 */
class MessageWriter {
  readonly #messages: JsonObject[] = [];
  readonly #items: readonly Item[];
  /** The index of a call's output, by the index of the call. */
  readonly #outputs: ReadonlyMap<number, number>;
  /** The indexes of outputs that are already written. An output follows its call, perhaps before its own position. */
  readonly #written = new Set<number>();
  /** Few providers know the role `developer`. A chat client that uses it knows that its provider does. */
  readonly #chatClient: boolean;
  #assistant: AssistantMessage | undefined;
  #attachments: JsonValue[] = [];

  constructor(items: readonly Item[], chatClient: boolean) {
    this.#items = items;
    this.#outputs = findOutputs(items);
    this.#chatClient = chatClient;
  }

  add(message: JsonObject): void {
    this.#endAssistant();
    this.#endOutputs();
    this.#messages.push(message);
  }

  finish(): JsonObject[] {
    this.#endAssistant();
    this.#endOutputs();
    return this.#messages;
  }

  item(item: Item, at: number): void {
    switch (item.type) {
      case "message":
        if (item.role === "assistant") this.#next().say(item);
        else this.add(this.#message(item));
        return;
      case "reasoning": {
        const text = item.summary.join("\n\n");
        if (text !== "") this.#next().think(text);
        return;
      }
      case "call":
        this.#open().call(writeCall(item), this.#outputs.get(at));
        return;
      case "output":
        if (this.#written.has(at)) return;
        this.#endAssistant();
        this.#output(item, at);
        return;
      case "opaque":
        // This API has no form for an item of the Responses API. A chat message passes through unchanged.
        if (item.format === "chat") this.add(item.fields);
    }
  }

  #open(): AssistantMessage {
    this.#endOutputs();
    this.#assistant ??= new AssistantMessage();
    return this.#assistant;
  }

  /** The message for anything but a call. Two in a row stay two, unless outputs of calls must follow first. */
  #next(): AssistantMessage {
    if (this.#assistant?.isDone) this.#endAssistant();
    return this.#open();
  }

  #message(item: MessageItem): JsonObject {
    const role = item.role === "developer" && !this.#chatClient ? "system" : item.role;
    return { role, content: writeContent(item.content), ...givenBack(item.extensions, "chat") };
  }

  #output(item: OutputItem, at: number): void {
    if (this.#written.has(at)) return;
    this.#written.add(at);
    const { content, attachments } = splitOutput(item);
    this.#messages.push({ role: "tool", tool_call_id: item.callId, content, ...givenBack(item.extensions, "chat") });
    for (const attachment of attachments) this.#attachments.push(attachment);
  }

  #endAssistant(): void {
    const assistant = this.#assistant;
    if (!assistant) return;
    this.#assistant = undefined;
    this.#messages.push(assistant.finish());
    for (const at of assistant.outputs.sort((a, b) => a - b)) {
      const item = this.#items[at];
      if (item?.type === "output") this.#output(item, at);
    }
  }

  #endOutputs(): void {
    if (this.#attachments.length === 0) return;
    this.#messages.push({ role: "user", content: this.#attachments });
    this.#attachments = [];
  }
}

/** An id may occur again in a later turn. An output answers the last call before it that has no output yet. */
function findOutputs(items: readonly Item[]): Map<number, number> {
  const outputs = new Map<number, number>();
  const unanswered = new Map<string, number[]>();
  items.forEach((item, at) => {
    if (item.type === "call") {
      const calls = unanswered.get(item.callId);
      if (calls) calls.push(at);
      else unanswered.set(item.callId, [at]);
    } else if (item.type === "output") {
      const call = unanswered.get(item.callId)?.pop();
      if (call !== undefined) outputs.set(call, at);
    }
  });
  return outputs;
}

/** Collects what an assistant did. */
class AssistantMessage {
  /** The indexes of the outputs of its calls. */
  readonly outputs: number[] = [];
  readonly #message: JsonObject = { role: "assistant", content: null };
  readonly #calls: JsonObject[] = [];
  #spoke = false;

  /** Whether the message may end here: it has content, and no output of its calls must follow. */
  get isDone(): boolean {
    return this.outputs.length === 0 && (this.#spoke || this.#calls.length > 0);
  }

  think(text: string): void {
    this.#message.reasoning_content = joined(this.#message.reasoning_content, text);
  }

  say(item: MessageItem): void {
    this.#spoke = true;
    Object.assign(this.#message, givenBack(item.extensions, "chat"));
    const refusal = item.content.flatMap((part) => (part.type === "refusal" ? [part.refusal] : [])).join("");
    if (refusal !== "") this.#message.refusal = joined(this.#message.refusal, refusal);
    const content = writeContent(item.content.filter((part) => part.type !== "refusal"));
    if (content !== "") this.#message.content = joined(this.#message.content, content);
  }

  call(call: JsonObject, output: number | undefined): void {
    this.#calls.push(call);
    if (output !== undefined) this.outputs.push(output);
  }

  finish(): JsonObject {
    const message = this.#message;
    if (this.#calls.length > 0) message.tool_calls = this.#calls;
    // Providers accept `null` only if the message has something else.
    else if (message.content === null && message.refusal === undefined) message.content = "";
    return message;
  }
}

/** Joins texts with a blank line. If one of both is a list, the result is a list of parts. */
function joined(before: JsonValue | undefined, content: string | JsonValue[]): string | JsonValue[] {
  if (typeof before === "string" && typeof content === "string") return `${before}\n\n${content}`;
  if (typeof before !== "string" && !Array.isArray(before)) return content;
  const parts = listOf(before);
  for (const part of listOf(content)) parts.push(part);
  return parts;
}

function listOf(content: string | JsonValue[]): JsonValue[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

function writeCall({ kind, callId: id, name, arguments: text, extensions }: CallItem): JsonObject {
  if (kind === "custom") return { id, type: "custom", custom: { name, input: text }, ...givenBack(extensions, "chat") };
  return {
    id,
    type: "function",
    function: { name, arguments: text.trim() === "" ? "{}" : text },
    ...givenBack(extensions, "chat"),
  };
}

/** A tool output as text. Parts that cannot be text go into a message that follows. */
function splitOutput(item: OutputItem): { content: string | JsonValue[]; attachments: JsonValue[] } {
  if (typeof item.output === "string") return { content: item.output, attachments: [] };
  const texts: TextPart[] = [];
  const attachments: JsonValue[] = [];
  for (const part of item.output) {
    if (part.type === "text") {
      texts.push(part);
      continue;
    }
    const written = part.type === "refusal" ? undefined : writePart(part);
    if (written === undefined || isNotice(written)) {
      texts.push({ type: "text", text: notice(part) });
      continue;
    }
    if (attachments.length === 0) attachments.push({ type: "text", text: `Attached by the tool call ${item.callId}:` });
    attachments.push(written);
    texts.push({ type: "text", text: `[${part.type === "image" ? "image" : "file"} attached in the next message]` });
  }
  const plain = texts.every((part) => givenBack(part.extensions, "chat") === undefined);
  return { content: plain ? texts.map(({ text }) => text).join("\n") : texts.map(writePart), attachments };
}

/** Plain text stays a string, because some providers accept nothing else. */
function writeContent(parts: readonly Part[]): string | JsonValue[] {
  if (parts.every(isPlain)) return parts.map(({ text }) => text).join("");
  return parts.map(writePart);
}

/** Whether a string can hold the part: text without fields such as `cache_control`. */
function isPlain(part: Part): part is TextPart {
  return part.type === "text" && givenBack(part.extensions, "chat") === undefined;
}

function writePart(part: Part): JsonObject {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text, ...givenBack(part.extensions, "chat") };
    case "refusal":
      return { type: "refusal", refusal: part.refusal };
    case "image":
      if (part.url === undefined) return { type: "text", text: notice(part) };
      return {
        type: "image_url",
        image_url: { url: part.url, detail: part.detail },
        ...givenBack(part.extensions, "chat"),
      };
    case "file":
      if (part.data === undefined && part.fileId === undefined) return { type: "text", text: notice(part) };
      return {
        type: "file",
        file: { file_data: part.data, file_id: part.fileId, filename: part.name },
        ...givenBack(part.extensions, "chat"),
      };
    case "opaque":
      return part.format === "chat" ? part.fields : { type: "text", text: notice(part) };
  }
}

function isNotice(part: JsonObject): boolean {
  return part.type === "text";
}

/** Replaces a part that cannot be sent, so that the model knows that something was there. */
function notice(part: Part): string {
  const what = part.type === "opaque" ? `a part of type ${typeWord(part.fields.type)}` : `an attached ${part.type}`;
  return `[${what} that cannot be shown to this model]`;
}
