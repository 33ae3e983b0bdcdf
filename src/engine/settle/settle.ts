import type {
  BackendEvent,
  BackendMessageStarted,
  Ids,
  RoundFailed,
  RoundFinished,
  TurnEvent,
  UsageReported,
} from "../../turn/index.ts";
import { type CallSettings, Calls } from "./calls.ts";

/** Events about an item of the answer. All others are about the round. */
export type ItemEvent = Exclude<BackendEvent, RoundFinished | RoundFailed | UsageReported>;

/**
 * Converts `BackendEvent`s to `TurnEvent`s: every item is started and ended, every id is present and final. Items arrive here one
 * after the other (`orderItems`). This is the only place that makes ids of items and calls. An event that lacks nothing is passed
 * on unchanged.
 */
export class Settle {
  readonly #ids: Ids;
  readonly #emit: (event: TurnEvent) => void;
  readonly #calls: Calls;
  #open: "message" | "reasoning" | undefined;
  /** Whether the round has had a message. */
  #hasMessage = false;

  constructor(settings: CallSettings, emit: (event: TurnEvent) => void) {
    this.#ids = settings.ids;
    this.#emit = emit;
    this.#calls = new Calls(settings, (event) => this.#emitCall(event));
  }

  push(event: ItemEvent): void {
    if (this.#calls.isOpen && !isOfCall(event) && !this.#calls.abandon()) return;
    switch (event.type) {
      case "text.delta":
      case "refusal.delta":
      case "annotation.added":
        if (this.#open !== "message") this.#startMessage();
        this.#emit(event);
        return;
      case "message.started":
        this.#startMessage(event);
        return;
      case "message.done":
        if (this.#open === "message") this.#close("completed");
        return;
      case "reasoning.started":
        this.#startReasoning(event.id);
        return;
      case "reasoning.delta":
        if (this.#open !== "reasoning") this.#startReasoning(undefined);
        this.#emit(event);
        return;
      case "reasoning.done":
        if (event.encrypted !== undefined && this.#open !== "reasoning") this.#startReasoning(undefined);
        if (this.#open === "reasoning") this.#endReasoning(event.encrypted);
        return;
      case "call.started":
      case "call.arguments":
      case "call.done":
      case "call.repaired":
        this.#calls.push(event);
        return;
      case "item.done": {
        this.#close("completed");
        const { format, item, isToolCall, extensions } = event;
        const id = this.#ids.claim("item", typeof item.id === "string" ? item.id : undefined);
        this.#emit({ type: "item.done", id, format, item, isToolCall, extensions });
        return;
      }
      case "message.extra":
        this.#emit(event);
    }
  }

  /** Ends the open item. Returns the round's last event with the correct reason: a call that stops in the middle was cut off. */
  finish(event: RoundFinished): RoundFinished {
    const ending: RoundFinished =
      this.#calls.isOpen && event.reason === "stop" ? { ...event, reason: "length" } : event;
    this.#close(ending.reason === "stop" ? "completed" : "incomplete");
    return ending;
  }

  #startMessage(event?: BackendMessageStarted): void {
    this.#close("completed");
    const continues = !event && this.#hasMessage;
    this.#open = "message";
    this.#hasMessage = true;
    const id = this.#ids.claim("msg", event?.id);
    this.#emit({ type: "message.started", id, continues, extensions: event?.extensions });
  }

  #startReasoning(id: string | undefined): void {
    this.#close("completed");
    this.#open = "reasoning";
    this.#emit({ type: "reasoning.started", id: this.#ids.claim("rs", id), upstreamId: id });
  }

  #endReasoning(encrypted: string | undefined): void {
    this.#open = undefined;
    this.#emit({ type: "reasoning.done", encrypted });
  }

  #emitCall(event: TurnEvent): void {
    if (event.type === "call.started") this.#close("completed", true);
    this.#emit(event);
  }

  #close(status: "completed" | "incomplete", isCommentary = false): void {
    if (this.#open === "reasoning") this.#endReasoning(undefined);
    if (this.#open !== "message") return;
    this.#open = undefined;
    this.#emit({ type: "message.done", status, isCommentary });
  }
}

function isOfCall({ type }: ItemEvent): boolean {
  return type === "call.arguments" || type === "call.done" || type === "call.started" || type === "call.repaired";
}
