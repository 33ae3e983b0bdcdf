import type {
  AnswerView,
  CallItem,
  Extensions,
  Item,
  JsonObject,
  JsonValue,
  MessageItem,
  MessageStarted,
  ReasoningItem,
  RefusalPart,
  TextPart,
  TurnEvent,
} from "../turn/index.ts";

/**
 * The one fold from a turn's events to its items. Everything that reads an answer reads it here: the next round's history, the code
 * that stores the turn, and the encoders, for the end of an item and for a response's `output`.
 */
export class Transcript implements AnswerView {
  readonly items: Item[] = [];
  /**
   * Whether anything reads the transcript. If not, it tracks only which item is open and stores no content: an answer may be long.
   */
  isRead = true;
  #open: MessageItem | ReasoningItem | CallItem | undefined;
  #last: Item | undefined;
  /** The backend's number of the summary part that the open reasoning item appends to. */
  #part: number | undefined;
  /** The last message of this round. It carries the fields that belong to no item. */
  #message: MessageItem | undefined;
  /** The extensions that this transcript has made and may change, and which of their fields are lists of its own. */
  #extra: Extensions | undefined;
  #lists = new Set<string>();

  get current(): Item | undefined {
    return this.#open ?? this.#last;
  }

  /** The item that was started and is not done. */
  get open(): Item | undefined {
    return this.#open;
  }

  push(event: TurnEvent): void {
    switch (event.type) {
      case "text.delta":
        if (this.isRead) this.#text(event.text, event.logprobs);
        return;
      case "reasoning.delta":
        if (this.isRead) this.#think(event.text, event.part);
        return;
      case "call.arguments":
        // `call.done` carries the complete arguments.
        return;
      case "message.started":
        this.#startMessage(event);
        return;
      case "refusal.delta":
        if (this.isRead) this.#refuse(event.text);
        return;
      case "annotation.added":
        if (this.isRead) this.#textPart()?.annotations?.push(event.annotation);
        return;
      case "message.done":
        if (this.#open?.type === "message") {
          if (event.status === "incomplete") this.#open.isIncomplete = true;
          if (event.isCommentary) this.#open.isCommentary = true;
        }
        this.#done();
        return;
      case "reasoning.started":
        this.#open = { type: "reasoning", id: event.id, summary: [] };
        this.#part = undefined;
        return;
      case "reasoning.done":
        if (this.#open?.type === "reasoning") this.#open.encrypted = event.encrypted;
        this.#done();
        return;
      case "call.started": {
        const { kind, owner, callId, id, name, namespace, extensions } = event;
        this.#open = { type: "call", kind, owner, callId, id, name, namespace, arguments: "", extensions };
        return;
      }
      case "call.done":
        if (this.#open?.type === "call") this.#open.arguments = event.arguments;
        this.#done();
        return;
      case "output.done":
        this.#add({ type: "output", kind: event.kind, callId: event.callId, output: event.output });
        return;
      case "item.done": {
        const { id, format, item, isToolCall, extensions } = event;
        this.#add({ type: "opaque", format, fields: { ...item, id }, isToolCall, extensions });
        return;
      }
      case "message.extra":
        if (this.isRead) this.#keepExtra(event.extensions);
    }
  }

  /** Drops the open item of the last round. Returns the index at which the next round begins, for `rollBack`. */
  beginRound(): number {
    this.#open = undefined;
    this.#message = undefined;
    return this.items.length;
  }

  /** Drops all items from index `mark` on. */
  rollBack(mark: number): void {
    this.items.length = mark;
    this.#open = undefined;
    this.#last = this.items.at(-1);
    this.#message = undefined;
  }

  #done(): void {
    const done = this.#open;
    this.#open = undefined;
    if (done) this.#add(done);
  }

  #add(item: Item): void {
    if (!this.isRead) return;
    this.#last = item;
    this.items.push(item);
  }

  #text(text: string, logprobs: JsonObject[] | undefined): void {
    const part = this.#textPart();
    if (!part) return;
    part.text += text;
    if (!logprobs) return;
    part.logprobs ??= [];
    for (const logprob of logprobs) part.logprobs.push(logprob);
  }

  #textPart(): TextPart | undefined {
    if (this.#open?.type !== "message") return undefined;
    const { content } = this.#open;
    const last = content[content.length - 1];
    if (last?.type === "text") return last;
    const part: TextPart = { type: "text", text: "", annotations: [] };
    content.push(part);
    return part;
  }

  #refuse(text: string): void {
    if (this.#open?.type !== "message") return;
    const { content } = this.#open;
    const last = content[content.length - 1];
    if (last?.type === "refusal") last.refusal += text;
    else content.push({ type: "refusal", refusal: text } satisfies RefusalPart);
  }

  #think(text: string, part: number): void {
    if (this.#open?.type !== "reasoning") return;
    const { summary } = this.#open;
    if (part === this.#part) summary[summary.length - 1] += text;
    else {
      summary.push(text);
      this.#part = part;
    }
  }

  #startMessage({ id, continues, extensions }: MessageStarted): void {
    const message: MessageItem = { type: "message", role: "assistant", content: [], id, continues, extensions };
    const placeholder = this.#message?.id === undefined ? this.#message : undefined;
    if (placeholder && !extensions) {
      this.items.splice(this.items.lastIndexOf(placeholder), 1);
      message.extensions = placeholder.extensions;
    }
    this.#message = message;
    this.#open = message;
  }

  /** Adds fields to the round's last message. Before the first message a placeholder without an id holds them. */
  #keepExtra({ format, fields }: Extensions): void {
    let message = this.#message;
    if (!message || (message.extensions && message.extensions.format !== format)) {
      message = { type: "message", role: "assistant", content: [] };
      this.#message = message;
      this.items.push(message);
    }
    if (!message.extensions || message.extensions !== this.#extra) {
      this.#extra = { format, fields: { ...message.extensions?.fields } };
      message.extensions = this.#extra;
      this.#lists = new Set();
    }
    for (const [key, value] of Object.entries(fields)) this.#keepField(this.#extra.fields, key, value);
  }

  /** A list comes in pieces; any other value replaces the earlier one. A list of the backend's is copied before it grows. */
  #keepField(kept: JsonObject, key: string, value: JsonValue | undefined): void {
    const before = kept[key];
    if (!Array.isArray(value)) {
      kept[key] = value;
      this.#lists.delete(key);
    } else if (Array.isArray(before) && this.#lists.has(key)) for (const piece of value) before.push(piece);
    else {
      kept[key] = Array.isArray(before) ? before.concat(value) : value.slice();
      this.#lists.add(key);
    }
  }
}
