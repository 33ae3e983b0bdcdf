import {
  type Emit,
  type FinishReason,
  isObject,
  type JsonObject,
  type JsonValue,
  parseJson,
} from "../../turn/index.ts";
import { done, type ServerEvent } from "../../wire/sse.ts";
import type { AnswerReader } from "../upstream.ts";
import { cutAnswer, errorFromAnswer, invalidAnswer, type Redact } from "../upstream-errors.ts";
import { ProviderItems } from "./items.ts";
import { readUsage } from "./usage.ts";

/** A Responses provider's answer as events: event by event, or a whole response as one that has just been completed. */
export class ResponsesReader implements AnswerReader {
  readonly #backend: string;
  readonly #redact: Redact;
  readonly #emit: Emit;
  readonly #items: ProviderItems;
  #named = false;
  finished = false;

  constructor(backend: string, redact: Redact, emit: Emit) {
    this.#backend = backend;
    this.#redact = redact;
    this.#emit = emit;
    this.#items = new ProviderItems(emit);
  }

  /** Nothing but the terminal event makes the answer whole, and that finishes it. */
  get enough(): boolean {
    return this.finished;
  }

  event({ data }: ServerEvent): void {
    if (data === done) throw cutAnswer(this.#backend);
    const event = parseJson(data);
    if (!isObject(event)) throw invalidAnswer(this.#backend, "an event that is not a JSON object");
    this.#take(event);
  }

  whole(answer: JsonValue): void {
    if (!isObject(answer) || !Array.isArray(answer.output)) {
      throw isObject(answer) && answer.error
        ? errorFromAnswer(this.#backend, answer.error, this.#redact)
        : invalidAnswer(this.#backend, "an answer without output");
    }
    this.#name(answer);
    this.#end(answer, typeof answer.status === "string" ? answer.status : "completed");
  }

  end(): void {
    throw cutAnswer(this.#backend);
  }

  #take(event: JsonObject): void {
    switch (event.type) {
      case "response.created":
      case "response.in_progress":
      case "response.queued":
        if (isObject(event.response)) this.#name(event.response);
        return;
      case "response.completed":
      case "response.incomplete":
      case "response.failed":
      case "response.cancelled":
        this.#end(isObject(event.response) ? event.response : {}, event.type.slice("response.".length));
        return;
      case "error":
        throw errorFromAnswer(this.#backend, isObject(event.error) ? event.error : event, this.#redact);
      default:
        this.#items.take(event);
        if (this.#items.tooMany) throw invalidAnswer(this.#backend, "more items than a client can take");
    }
  }

  #name(response: JsonObject): void {
    if (this.#named || typeof response.id !== "string") return;
    this.#named = true;
    this.#emit({ type: "response.started", id: response.id });
  }

  #end(response: JsonObject, event: string): void {
    // The response's own word counts for more than the event's name.
    const status = typeof response.status === "string" && ended.has(response.status) ? response.status : event;
    if (status === "failed" || status === "cancelled") {
      throw errorFromAnswer(this.#backend, response.error ?? `the response was ${status}.`, this.#redact);
    }
    if (Array.isArray(response.output)) this.#items.complete(response.output, status === "incomplete");
    const reason = status === "incomplete" ? incompleteReason(response) : "stop";
    const whole = this.#items.end();
    if (isObject(response.usage)) this.#emit({ type: "usage.reported", usage: readUsage(response.usage) });
    this.finished = true;
    this.#emit({ type: "turn.finished", reason: whole || reason !== "stop" ? reason : "length" });
  }
}

const ended = new Set(["completed", "incomplete", "failed", "cancelled"]);

function incompleteReason(response: JsonObject): FinishReason {
  const details = isObject(response.incomplete_details) ? response.incomplete_details : {};
  return details.reason === "content_filter" ? "content_filter" : "length";
}
