import { type Emit, isObject, type JsonObject, type JsonValue, TurnError } from "../../turn/index.ts";
import type { Redact } from "../provider-words.ts";
import { invalidAnswer } from "../upstream-errors.ts";
import { readFailure } from "./errors.ts";
import { Items } from "./items.ts";
import type { ToolNames } from "./tool-names.ts";
import { readUsage } from "./usage.ts";

export interface ReaderOptions {
  backend: string;
  redact: Redact;
  names: ToolNames;
  /** Whether raw events report calls and the end of the model's response. */
  isRaw: boolean;
  emit: Emit;
}

/** Reads the app-server's messages about one turn. */
export class TurnReader {
  readonly #options: ReaderOptions;
  readonly #items: Items;
  #turn: string | undefined;
  #usage: JsonObject | undefined;
  /** Whether the terminal event was emitted. */
  finished = false;
  /** Whether the app-server has ended the turn. */
  ended = false;

  constructor(options: ReaderOptions) {
    this.#options = options;
    this.#items = new Items(options.names, options.emit);
  }

  /** The id of the turn, once it is known. */
  get turn(): string | undefined {
    return this.#turn;
  }

  began(turn: JsonValue | undefined): void {
    if (isObject(turn) && typeof turn.id === "string") this.#turn ??= turn.id;
  }

  /** Emits nothing more. Later messages only show that the turn has ended. */
  abandon(): void {
    this.finished = true;
  }

  /** Throws the error of a failed turn. */
  hear(method: string, params: JsonObject): void {
    if (method === "turn/started") this.began(params.turn);
    if (method === "turn/completed" && isObject(params.turn) && params.turn.id === this.#turn) this.#end(params.turn);
    // Codex also reports the items that were injected before the turn.
    if (this.finished || params.turnId !== this.#turn) return;
    if (this.#items.areTooMany) throw invalidAnswer(this.#options.backend, "more items than a client can take");
    this.#take(method, params);
  }

  #take(method: string, params: JsonObject): void {
    switch (method) {
      case "item/agentMessage/delta":
        this.#items.text(params.itemId, params.delta);
        return;
      case "item/reasoning/summaryTextDelta":
        this.#items.thought(params.itemId, params.delta, params.summaryIndex, "summary");
        return;
      case "item/reasoning/textDelta":
        this.#items.thought(params.itemId, params.delta, params.contentIndex, "content");
        return;
      case "item/started":
        this.#items.started(params.item);
        return;
      case "item/completed":
        this.#items.completed(params.item, this.#options.isRaw);
        return;
      case "rawResponseItem/completed":
        this.#items.raw(params.item);
        return;
      case "rawResponse/completed":
        this.#responded(params.usage);
        return;
      case "thread/tokenUsage/updated":
        if (isObject(params.tokenUsage) && isObject(params.tokenUsage.last)) this.#usage = params.tokenUsage.last;
        return;
      case "error":
        this.#fail(params.error, params.willRetry === true);
    }
  }

  /** The model's response is complete. If it has calls, the turn is over; otherwise Codex reports the end. */
  #responded(usage: JsonValue | undefined): void {
    if (isObject(usage)) this.#options.emit({ type: "usage.reported", usage: readUsage(usage) });
    if (this.#items.calls > 0) this.#finish(this.#items.isCut ? "length" : "stop");
  }

  #end(turn: JsonObject): void {
    this.ended = true;
    if (this.finished) return;
    switch (turn.status) {
      case "completed":
        if (!this.#options.isRaw && this.#usage) {
          this.#options.emit({ type: "usage.reported", usage: readUsage(this.#usage) });
        }
        this.#items.refuse();
        this.#finish("stop");
        return;
      case "failed":
        this.#fail(turn.error, false);
        return;
      default:
        throw new TurnError("upstream_cut", `The backend "${this.#options.backend}" gave up its turn.`, {
          failure: { by: "backend", phase: "answer", remedy: "retry" },
        });
    }
  }

  /** A retry by Codex would repeat the answer. The gateway retries instead, if it has sent nothing yet. */
  #fail(reported: JsonValue | undefined, isRetried: boolean): void {
    const { backend, redact } = this.#options;
    const error = isRetried ? cause(reported) : reported;
    const failure = readFailure(backend, error, redact);
    if ("error" in failure) throw failure.error;
    this.#finish(failure.reason);
  }

  #finish(reason: "stop" | "length" | "content_filter"): void {
    this.finished = true;
    this.#options.emit({ type: "round.finished", reason });
  }
}

/** For the message "Reconnecting… 1/5", the reason is in another field. */
function cause(reported: JsonValue | undefined): JsonValue | undefined {
  if (!isObject(reported) || typeof reported.additionalDetails !== "string") return reported;
  return { ...reported, message: reported.additionalDetails };
}
