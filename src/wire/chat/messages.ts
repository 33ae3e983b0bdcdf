import type { CallItem, Item, JsonObject, JsonValue, MessageItem, OutputItem, Part, Turn } from "../../turn/index.ts";

/** The conversation as Chat Completions messages, for a backend. */
export function writeMessages(turn: Turn): JsonObject[] {
  const writer = new MessageWriter(turn.api === "chat");
  if (turn.instructions) writer.add({ role: "system", content: turn.instructions });
  for (const item of turn.input) writer.item(item);
  return writer.finish();
}

/**
 * Chat wants what an assistant did between two answers in one message: reasoning, text and calls; and right after it the
 * outputs of those calls, as text only. Images of outputs follow as a user's message, the one place where this API has them.
 */
class MessageWriter {
  readonly #messages: JsonObject[] = [];
  /** A chat client that uses what few providers know (the role `developer`, custom calls) knows that its own does. */
  readonly #chatClient: boolean;
  #assistant: JsonObject | undefined;
  #attachments: JsonValue[] = [];

  constructor(chatClient: boolean) {
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

  item(item: Item): void {
    switch (item.type) {
      case "message":
        if (item.role === "assistant") this.#say(item);
        else this.add(this.#message(item));
        return;
      case "reasoning": {
        const text = item.summary.join("\n\n");
        if (text === "") return;
        if (this.#assistant && (this.#assistant.tool_calls || this.#assistant.content)) this.#endAssistant();
        this.#turn().reasoning_content = text;
        return;
      }
      case "call":
        this.#call(item);
        return;
      case "output":
        this.#output(item);
        return;
      case "opaque":
        // An item of the Responses API has no form here; a message of this API passes as it came.
        if (item.api === "chat") this.add(item.fields);
    }
  }

  #turn(): JsonObject {
    this.#endOutputs();
    this.#assistant ??= { role: "assistant", content: null };
    return this.#assistant;
  }

  #message(item: MessageItem): JsonObject {
    const role = item.role === "developer" && !this.#chatClient ? "system" : item.role;
    return { role, content: writeContent(item.content), ...foreign(item) };
  }

  #say(item: MessageItem): void {
    const refusal = item.content.flatMap((part) => (part.type === "refusal" ? [part.refusal] : [])).join("");
    const content = writeContent(item.content.filter((part) => part.type !== "refusal"));
    const before = this.#assistant;
    // Two messages in a row stay two, unless calls hold them together.
    if (before?.content && !before.tool_calls) this.#endAssistant();
    const message = this.#turn();
    Object.assign(message, foreign(item));
    if (refusal !== "") message.refusal = refusal;
    if (content === "") return;
    message.content =
      typeof message.content === "string" && typeof content === "string" ? `${message.content}\n\n${content}` : content;
  }

  #call(item: CallItem): void {
    const message = this.#turn();
    const calls = Array.isArray(message.tool_calls) ? message.tool_calls : [];
    calls.push(writeCall(item, this.#chatClient));
    message.tool_calls = calls;
  }

  #output(item: OutputItem): void {
    this.#endAssistant();
    const { text, attachments } = splitOutput(item);
    this.#messages.push({ role: "tool", tool_call_id: item.callId, content: text, ...foreign(item) });
    this.#attachments.push(...attachments);
  }

  #endAssistant(): void {
    if (!this.#assistant) return;
    this.#messages.push(this.#assistant);
    this.#assistant = undefined;
  }

  #endOutputs(): void {
    if (this.#attachments.length === 0) return;
    this.#messages.push({ role: "user", content: this.#attachments });
    this.#attachments = [];
  }
}

function writeCall({ kind, callId: id, name, arguments: text }: CallItem, chatClient: boolean): JsonObject {
  if (kind === "function")
    return { id, type: "function", function: { name, arguments: text.trim() === "" ? "{}" : text } };
  if (chatClient) return { id, type: "custom", custom: { name, input: text } };
  return { id, type: "function", function: { name, arguments: JSON.stringify({ input: text }) } };
}

/** A tool's output as text, and what cannot be text as parts of a message that follows. */
function splitOutput(item: OutputItem): { text: string; attachments: JsonValue[] } {
  if (typeof item.output === "string") return { text: item.output, attachments: [] };
  const texts: string[] = [];
  const attachments: JsonValue[] = [];
  for (const part of item.output) {
    if (part.type === "text") {
      texts.push(part.text);
      continue;
    }
    const written = part.type === "refusal" ? undefined : writePart(part);
    if (written === undefined || isNotice(written)) {
      texts.push(notice(part));
      continue;
    }
    if (attachments.length === 0) attachments.push({ type: "text", text: `Attached by the tool call ${item.callId}:` });
    attachments.push(written);
    texts.push(`[${part.type === "image" ? "image" : "file"} attached in the next message]`);
  }
  return { text: texts.join("\n"), attachments };
}

/** Plain text stays a string: some providers take nothing else. */
function writeContent(parts: readonly Part[]): string | JsonValue[] {
  if (parts.every((part) => part.type === "text")) return parts.map((part) => part.text).join("");
  return parts.map(writePart);
}

function writePart(part: Part): JsonObject {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text };
    case "refusal":
      return { type: "refusal", refusal: part.refusal };
    case "image":
      if (part.url === undefined) return { type: "text", text: notice(part) };
      return {
        type: "image_url",
        image_url: { url: part.url, detail: part.detail },
      };
    case "file":
      if (part.data === undefined && part.fileId === undefined) return { type: "text", text: notice(part) };
      return {
        type: "file",
        file: { file_data: part.data, file_id: part.fileId, filename: part.name },
      };
    case "opaque":
      return part.api === "chat" ? part.fields : { type: "text", text: notice(part) };
  }
}

function isNotice(part: JsonObject): boolean {
  return part.type === "text";
}

/** What the model is told where a part cannot be carried: it must not believe that nothing was there. */
function notice(part: Part): string {
  const what = part.type === "opaque" ? `a part of type ${String(part.fields.type)}` : `an attached ${part.type}`;
  return `[${what} that cannot be shown to this model]`;
}

function foreign(item: MessageItem | OutputItem): JsonObject | undefined {
  return item.more?.api === "chat" ? item.more.fields : undefined;
}
