import { type Emit, type FinishReason, isObject, type JsonObject, type JsonValue } from "../../turn/index.ts";
import { done, type ServerEvent } from "../../wire/sse.ts";
import { type AnswerReader, notAnObject } from "../answer-body.ts";
import { parseProviderJson } from "../provider-json.ts";
import { reportedError } from "../reported-error.ts";
import { cutAnswer, errorFromAnswer, invalidAnswer, type Redact } from "../upstream-errors.ts";
import type { Source } from "./calls.ts";
import { ProviderItems } from "./items.ts";
import { readUsage } from "./usage.ts";

/** Reads a Responses provider's answer and emits events. A whole answer is read like the terminal event of a stream. */
export class ResponsesReader implements AnswerReader {
  readonly #backend: string;
  readonly #redact: Redact;
  readonly #emit: Emit;
  readonly #items: ProviderItems;
  finished = false;

  constructor(backend: string, redact: Redact, emit: Emit) {
    this.#backend = backend;
    this.#redact = redact;
    this.#emit = emit;
    this.#items = new ProviderItems(emit);
  }

  /** Only the terminal event completes the answer, and it finishes it too. */
  get enough(): boolean {
    return this.finished;
  }

  event({ event: name, data }: ServerEvent): void {
    if (data === done) throw cutAnswer(this.#backend);
    const event = parseProviderJson(this.#backend, data);
    if (name === "error") throw this.#failure(isObject(event) ? (reportedError(event) ?? event) : data);
    if (!isObject(event)) this.#oddData(data);
    else if (typeof event.type === "string") this.#take(event, event.type);
    else this.#takeUntyped(event, name);
  }

  whole(answer: JsonValue): void {
    if (!isObject(answer)) throw invalidAnswer(this.#backend, notAnObject);
    const error = Array.isArray(answer.output) ? undefined : reportedError(answer);
    if (error !== undefined) throw this.#failure(error);
    const status = typeof answer.status === "string" ? answer.status : "completed";
    if (status === "queued" || status === "in_progress") {
      throw invalidAnswer(this.#backend, "a response that is still in progress");
    }
    if (!Array.isArray(answer.output) && severity(status) < severity("cancelled")) {
      throw invalidAnswer(this.#backend, "an answer without output");
    }
    this.#end(answer, status, "whole");
  }

  end(): void {
    throw cutAnswer(this.#backend);
  }

  #take(event: JsonObject, type: string): void {
    switch (type) {
      case "response.created":
      case "response.in_progress":
      case "response.queued":
        return;
      case "response.completed":
      case "response.incomplete":
      case "response.failed":
      case "response.cancelled":
        this.#end(isObject(event.response) ? event.response : {}, type.slice("response.".length), "output");
        return;
      case "response.done":
        this.#end(isObject(event.response) ? event.response : {}, "completed", "output");
        return;
      case "error":
      case "response.error":
        throw this.#failure(reportedError(event) ?? event);
      default:
        this.#items.take(event);
        if (this.#items.trouble) throw invalidAnswer(this.#backend, this.#items.trouble);
    }
  }

  /** Some providers send the type only as the SSE event name. An event without either is an error or a keep-alive. */
  #takeUntyped(event: JsonObject, name: string | undefined): void {
    const error = reportedError(event);
    if (error !== undefined) throw this.#failure(error);
    if (name) this.#take({ ...event, type: name }, name);
  }

  #oddData(data: string): void {
    const text = data.trim();
    if (text === done) throw cutAnswer(this.#backend);
    if (text !== "") throw invalidAnswer(this.#backend, "an event that is not a JSON object");
  }

  #end(response: JsonObject, event: string, source: Source): void {
    // If the event's name and the response's status differ, the worse one counts.
    const own = typeof response.status === "string" ? response.status : event;
    const status = severity(own) > severity(event) ? own : event;
    if (response.error || severity(status) >= severity("cancelled")) {
      throw this.#failure(response.error || `the response was ${status}.`);
    }
    const incomplete = severity(status) === severity("incomplete");
    if (Array.isArray(response.output)) this.#items.complete(response.output, incomplete, source);
    if (this.#items.trouble) throw invalidAnswer(this.#backend, this.#items.trouble);
    const reason = incomplete ? incompleteReason(response) : "stop";
    const whole = this.#items.end(!incomplete);
    if (isObject(response.usage)) this.#emit({ type: "usage.reported", usage: readUsage(response.usage) });
    this.finished = true;
    const endTurn = typeof response.end_turn === "boolean" ? response.end_turn : undefined;
    this.#emit({ type: "round.finished", reason: whole || reason !== "stop" ? reason : "length", endTurn });
  }

  #failure(error: JsonValue): Error {
    return errorFromAnswer(this.#backend, error, this.#redact);
  }
}

/** How far from success a status is; -1 for one that is not final. */
function severity(status: string): number {
  return ["completed", "incomplete", "cancelled", "failed"].indexOf(status);
}

function incompleteReason(response: JsonObject): FinishReason {
  const details = isObject(response.incomplete_details) ? response.incomplete_details : {};
  return details.reason === "content_filter" ? "content_filter" : "length";
}
