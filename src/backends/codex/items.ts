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
  /** What was given of it. */
  text: string;
}

interface Reasoning {
  type: "reasoning";
  number: number;
  /** Which of its two texts is shown: the first that comes. */
  shows: "summary" | "content" | undefined;
  parts: Set<number>;
}

/** The items of one turn, as Codex tells of them and as its raw events have them. */
export class Items {
  readonly #names: ToolNames;
  readonly #emit: Emit;
  readonly #open = new Map<string, Message | Reasoning>();
  /** Those that were given to their end. */
  readonly #done = new Set<string>();
  #last = 0;
  calls = 0;
  /** The arguments of a call stop in the middle. */
  isCut = false;

  constructor(names: ToolNames, emit: Emit) {
    this.#names = names;
    this.#emit = emit;
  }

  started(item: JsonValue | undefined): void {
    if (!isObject(item)) return;
    if (item.type === "contextCompaction") throw tooLong();
    if (!quiet.has(String(item.type))) throw new Alarm(String(item.type));
    // Some services name two items alike.
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

  /** As Codex shows it. Where there are raw events, those say when it is done. */
  completed(item: JsonValue | undefined, isRaw: boolean): void {
    if (!isObject(item)) return;
    if (!quiet.has(String(item.type))) throw new Alarm(String(item.type));
    const id = idOf(item);
    if (item.type === "agentMessage" && typeof item.text === "string") {
      this.#complete(id, item.text);
      if (!isRaw) this.#endMessage(id);
    }
    if (item.type === "reasoning" && !isRaw) this.#endReasoning(id, undefined);
  }

  /** As the model's response has it. */
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
    const reasoning: Reasoning = { type: "reasoning", number: this.#last++, shows: undefined, parts: new Set() };
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
    reasoning.parts.add(part);
    this.#emit({ type: "reasoning.delta", item: reasoning.number, text, part });
  }

  /** What did not come in pieces. Codex takes some words out of a message, so that what came may be no part of the whole. */
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

  /** A message that was begun and has nothing in it when all is over is one that Codex has no words for. */
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
    // A call that stops in the middle is never done.
    if (kind === "function" && argumentsState(written) === "cut") this.isCut = true;
    else this.#emit({ type: "call.done", call });
  }
}

const refused = "The model refused to answer; Codex does not pass its words on.";

/** Whether it is said on the way or as the answer, where the model tells. */
function phaseOf({ phase }: JsonObject): Extensions | undefined {
  return typeof phase === "string" ? { format: "responses", fields: { phase } } : undefined;
}

type Kind = "summary" | "content";

/** What may happen in a turn without tools of Codex's own. */
const quiet = new Set([
  "userMessage",
  "agentMessage",
  "reasoning",
  "dynamicToolCall",
  "functionCallOutput",
  "hookPrompt",
  "plan",
]);

/** Codex would go on with a summary of the conversation, of which the client knows nothing. */
function tooLong(): TurnError {
  return new TurnError("upstream_rejected", "The conversation is too long for this model, as Codex counts it.", {
    upstreamCode: "context_length_exceeded",
  });
}

function idOf({ id }: JsonObject): string {
  return typeof id === "string" ? id : "";
}
