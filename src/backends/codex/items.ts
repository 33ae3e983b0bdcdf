import { argumentsState } from "../../tools/index.ts";
import {
  type CallKind,
  type Emit,
  type Extensions,
  isObject,
  type JsonObject,
  type JsonValue,
  TurnError,
} from "../../turn/index.ts";
import { Alarm } from "./alarm.ts";
import type { ToolNames } from "./tool-names.ts";

interface Message {
  type: "message";
  number: number;
  /** The text emitted so far. */
  text: string;
}

interface Reasoning {
  type: "reasoning";
  number: number;
  /** Which of its two texts is emitted: the one that arrives first. */
  shows: "summary" | "content" | undefined;
}

/** No model intends to answer with more items than this. */
const mostItems = 4_096;

/** The items of one turn, from Codex's own events and from the raw events of the model's response. */
export class Items {
  readonly #names: ToolNames;
  readonly #emit: Emit;
  readonly #open = new Map<string, Message | Reasoning>();
  /** Ids of the items that were emitted to their end. */
  readonly #done = new Set<string>();
  #last = 0;
  calls = 0;
  /** Whether the arguments of a call are cut off. */
  isCut = false;

  get areTooMany(): boolean {
    return this.#last > mostItems;
  }

  constructor(names: ToolNames, emit: Emit) {
    this.#names = names;
    this.#emit = emit;
  }

  started(item: JsonValue | undefined): void {
    if (!isObject(item)) return;
    if (item.type === "contextCompaction") throw tooLong();
    if (!expectedTypes.has(String(item.type))) throw new Alarm(String(item.type));
    // Some services give two items the same id.
    this.#done.delete(idOf(item));
    if (item.type === "agentMessage") this.#message(idOf(item), phaseOf(item));
    if (item.type === "reasoning") this.#reasoning(idOf(item));
  }

  text(id: JsonValue | undefined, delta: JsonValue | undefined): void {
    if (typeof delta !== "string" || delta === "") return;
    const message = this.#message(String(id));
    if (message) this.#say(message, delta);
  }

  thought(id: JsonValue | undefined, delta: JsonValue | undefined, part: JsonValue | undefined, of: Kind): void {
    if (typeof delta !== "string" || delta === "") return;
    const reasoning = this.#reasoning(String(id));
    if (reasoning) this.#think(reasoning, delta, typeof part === "number" ? part : 0, of);
  }

  /** The item as Codex shows it. If there are raw events, those end the item. */
  completed(item: JsonValue | undefined, isRaw: boolean): void {
    if (!isObject(item)) return;
    if (!expectedTypes.has(String(item.type))) throw new Alarm(String(item.type));
    const id = idOf(item);
    if (item.type === "agentMessage" && typeof item.text === "string") {
      this.#complete(id, item.text);
      if (!isRaw) this.#endMessage(id);
    }
    if (item.type === "reasoning" && !isRaw) this.#endReasoning(id, undefined);
  }

  /** The item as the model's response has it. */
  raw(item: JsonValue | undefined): void {
    if (!isObject(item)) return;
    switch (item.type) {
      case "message":
        if (item.role === "assistant") this.#rawMessage(item);
        return;
      case "reasoning":
        this.#rawReasoning(item);
        return;
      case "function_call":
        this.#call(item, "function", item.arguments);
        return;
      case "custom_tool_call":
        this.#call(item, "custom", item.input);
        return;
      case "web_search_call":
      case "local_shell_call":
      case "image_generation_call":
      case "tool_search_call":
        throw new Alarm(item.type);
    }
  }

  #message(id: string, extensions?: Extensions): Message | undefined {
    const known = this.#open.get(id);
    if (known || this.#done.has(id)) return known?.type === "message" ? known : undefined;
    const message: Message = { type: "message", number: this.#last++, text: "" };
    this.#open.set(id, message);
    this.#emit({ type: "message.started", item: message.number, id, extensions });
    return message;
  }

  #reasoning(id: string): Reasoning | undefined {
    const known = this.#open.get(id);
    if (known || this.#done.has(id)) return known?.type === "reasoning" ? known : undefined;
    const reasoning: Reasoning = { type: "reasoning", number: this.#last++, shows: undefined };
    this.#open.set(id, reasoning);
    this.#emit({ type: "reasoning.started", item: reasoning.number, id });
    return reasoning;
  }

  #say(message: Message, text: string): void {
    message.text += text;
    this.#emit({ type: "text.delta", item: message.number, text });
  }

  #think(reasoning: Reasoning, text: string, part: number, of: Kind): void {
    reasoning.shows ??= of;
    if (reasoning.shows !== of) return;
    this.#emit({ type: "reasoning.delta", item: reasoning.number, text, part });
  }

  /** Emits what the deltas lacked. Codex removes some text from a message, so the deltas need not be a prefix of it. */
  #complete(id: string, text: string): void {
    const message = this.#message(id);
    if (message && text.length > message.text.length && text.startsWith(message.text)) {
      this.#say(message, text.slice(message.text.length));
    }
  }

  #rawMessage(item: JsonObject): void {
    const id = idOf(item);
    const content = Array.isArray(item.content) ? item.content.filter(isObject) : [];
    const text = content.map((part) => (typeof part.text === "string" ? part.text : "")).join("");
    const known = this.#open.get(id);
    if (text !== "" && (known?.type !== "message" || known.text === "")) this.#complete(id, text);
    const refusals = content.flatMap(({ refusal }) => (typeof refusal === "string" ? [refusal] : []));
    const message = refusals.length > 0 ? this.#message(id) : undefined;
    if (message) this.#emit({ type: "refusal.delta", item: message.number, text: refusals.join("") });
    this.#endMessage(id);
  }

  #rawReasoning(item: JsonObject): void {
    const id = idOf(item);
    const reasoning = this.#reasoning(id);
    if (!reasoning) return;
    for (const of of ["summary", "content"] as const) {
      const parts = item[of];
      if (reasoning.shows || !Array.isArray(parts)) continue;
      parts.filter(isObject).forEach(({ text }, part) => {
        if (typeof text === "string" && text !== "") this.#think(reasoning, text, part, of);
      });
    }
    this.#endReasoning(id, typeof item.encrypted_content === "string" ? item.encrypted_content : undefined);
  }

  /** A message that is still empty at the end of the turn is a refusal whose text Codex does not pass on. */
  refuse(): void {
    for (const message of this.#open.values()) {
      if (message.type === "message" && message.text === "") {
        this.#emit({ type: "refusal.delta", item: message.number, text: refused });
      }
    }
  }

  #endMessage(id: string): void {
    const message = this.#end(id);
    if (message) this.#emit({ type: "message.done", item: message.number });
  }

  #endReasoning(id: string, encrypted: string | undefined): void {
    const reasoning = this.#end(id);
    if (reasoning) this.#emit({ type: "reasoning.done", item: reasoning.number, encrypted });
  }

  #end(id: string): Message | Reasoning | undefined {
    const item = this.#open.get(id);
    this.#open.delete(id);
    this.#done.add(id);
    return item;
  }

  #call(item: JsonObject, kind: CallKind, text: JsonValue | undefined): void {
    const call = this.#last++;
    const callId = typeof item.call_id === "string" ? item.call_id : undefined;
    const id = typeof item.id === "string" ? item.id : undefined;
    this.calls++;
    this.#emit({ type: "call.started", call, kind, name: this.#names.toClient(String(item.name)), callId, id });
    const written = typeof text === "string" ? text : "";
    if (written !== "") this.#emit({ type: "call.arguments", call, delta: written });
    // A call with cut arguments is never done.
    if (kind === "function" && argumentsState(written) === "cut") this.isCut = true;
    else this.#emit({ type: "call.done", call });
  }
}

const refused = "The model refused to answer; Codex does not pass its words on.";

/** Whether the message is commentary or the final answer, if the model says so. */
function phaseOf({ phase }: JsonObject): Extensions | undefined {
  return typeof phase === "string" ? { format: "responses", fields: { phase } } : undefined;
}

type Kind = "summary" | "content";

/** Item types that may occur in a turn without Codex's own tools. */
const expectedTypes = new Set([
  "userMessage",
  "agentMessage",
  "reasoning",
  "dynamicToolCall",
  "functionCallOutput",
  "hookPrompt",
  "plan",
]);

/** Codex would continue with a summary of the conversation, and the client would not know. */
function tooLong(): TurnError {
  return new TurnError("upstream_rejected", "The conversation is too long for this model, as Codex counts it.", {
    upstreamCode: "context_length_exceeded",
  });
}

function idOf({ id }: JsonObject): string {
  return typeof id === "string" ? id : "";
}
