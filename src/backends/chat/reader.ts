import {
  type Emit,
  type FinishReason,
  isObject,
  type JsonObject,
  type JsonValue,
  parseJson,
  type Usage,
} from "../../turn/index.ts";
import { done, type ServerEvent } from "../../wire/sse.ts";
import type { AnswerReader } from "../upstream.ts";
import { cutAnswer, errorFromAnswer, invalidAnswer, type Redact } from "../upstream-errors.ts";
import { GrowingCalls } from "./calls.ts";
import { readUsage } from "./usage.ts";

/** A chat provider's answer as events: chunk by chunk, or a whole answer as one chunk whose delta is its message. */
export class ChatReader implements AnswerReader {
  readonly #backend: string;
  readonly #redact: Redact;
  readonly #emit: Emit;
  readonly #calls: GrowingCalls;
  #reason: FinishReason | undefined;
  #usage: Usage | undefined;
  #answered = false;
  finished = false;

  constructor(backend: string, redact: Redact, emit: Emit) {
    this.#backend = backend;
    this.#redact = redact;
    this.#emit = emit;
    this.#calls = new GrowingCalls(emit);
  }

  get enough(): boolean {
    return this.#reason !== undefined;
  }

  event({ data }: ServerEvent): void {
    if (data === done) {
      if (!this.#answered) throw invalidAnswer(this.#backend, "an answer without choices");
      // A provider that says that it is done, but not why, has stopped by itself.
      this.#finish(this.#reason ?? "stop");
      return;
    }
    const chunk = parseJson(data);
    if (!isObject(chunk)) throw invalidAnswer(this.#backend, "an event that is not a JSON object");
    this.#chunk(chunk, "delta");
  }

  whole(answer: JsonValue): void {
    if (!isObject(answer)) throw invalidAnswer(this.#backend, "an answer that is not a JSON object");
    this.#chunk(answer, "message");
    if (!this.#answered) throw invalidAnswer(this.#backend, "an answer without choices");
    this.#finish(this.#reason ?? "stop");
  }

  end(): void {
    if (this.#reason === undefined) throw cutAnswer(this.#backend);
    this.#finish(this.#reason);
  }

  #chunk(chunk: JsonObject, key: "delta" | "message"): void {
    if (chunk.error) throw errorFromAnswer(this.#backend, chunk.error, this.#redact);
    if (isObject(chunk.usage)) this.#usage = readUsage(chunk.usage);
    const choice = Array.isArray(chunk.choices) ? chunk.choices[0] : undefined;
    if (!isObject(choice)) return;
    this.#answered = true;
    const delta = choice[key];
    if (isObject(delta)) this.#delta(delta, choice.logprobs, key === "message");
    if (this.#calls.tooMany) throw invalidAnswer(this.#backend, "more calls than a client can take");
    // Some providers write an empty reason in every chunk.
    if (typeof choice.finish_reason === "string" && choice.finish_reason !== "")
      this.#stop(choice.finish_reason, chunk);
  }

  #stop(reason: string, chunk: JsonObject): void {
    if (failures.has(reason)) {
      throw errorFromAnswer(this.#backend, chunk.error ?? `it stopped with "${reason}".`, this.#redact);
    }
    this.#reason = finishReasons.get(reason) ?? "stop";
  }

  #delta(delta: JsonObject, logprobs: JsonValue | undefined, whole: boolean): void {
    const { content, refusal, annotations, tool_calls: calls, function_call: legacy } = delta;
    const reasoning = delta.reasoning_content ?? delta.reasoning;
    if (typeof reasoning === "string" && reasoning !== "") this.#reasoning(reasoning);
    if (typeof content === "string") this.#text(content, logprobs);
    else if (Array.isArray(content)) this.#parts(content);
    if (typeof refusal === "string" && refusal !== "") this.#emit({ type: "refusal.delta", text: refusal });
    if (Array.isArray(annotations)) {
      for (const annotation of annotations) if (isObject(annotation)) this.#annotation(annotation);
    }
    if (Array.isArray(calls)) {
      calls.forEach((call, position) => {
        if (isObject(call)) this.#calls.take(call, whole ? position : undefined);
      });
    }
    if (isObject(legacy)) this.#calls.takeLegacy(legacy);
    for (const key of carriedKeys) {
      if (delta[key]) this.#emit({ type: "item.done", api: "chat", item: { [key]: delta[key] } });
    }
  }

  #text(text: string, logprobs: JsonValue | undefined): void {
    if (text === "") return;
    this.#calls.settle();
    if (!isObject(logprobs) || !Array.isArray(logprobs.content)) this.#emit({ type: "text.delta", text });
    else this.#emit({ type: "text.delta", text, logprobs: logprobs.content.filter(isObject) });
  }

  #reasoning(text: string): void {
    this.#calls.settle();
    this.#emit({ type: "reasoning.delta", text, part: 0 });
  }

  /** Some providers write content as parts, with the reasoning among them. */
  #parts(parts: readonly JsonValue[]): void {
    for (const part of parts) {
      if (!isObject(part)) continue;
      if (typeof part.text === "string") this.#text(part.text, undefined);
      else if (part.type === "image_url") this.#emit({ type: "item.done", api: "chat", item: { images: [part] } });
      else if (Array.isArray(part.thinking)) {
        for (const thought of part.thinking) {
          if (isObject(thought) && typeof thought.text === "string") this.#reasoning(thought.text);
        }
      }
    }
  }

  /** Chat nests a citation under its type; the common language has it flat, as Responses does. */
  #annotation(annotation: JsonObject): void {
    const { type } = annotation;
    const nested = typeof type === "string" ? annotation[type] : undefined;
    this.#emit({ type: "annotation.added", annotation: isObject(nested) ? { type, ...nested } : annotation });
  }

  #finish(reason: FinishReason): void {
    const whole = this.#calls.end(reason);
    if (this.#usage) this.#emit({ type: "usage.reported", usage: this.#usage });
    this.finished = true;
    // Arguments that stop in the middle mean that the answer does, whatever the provider says.
    this.#emit({ type: "turn.finished", reason: whole || reason !== "stop" ? reason : "length" });
  }
}

/** What a message may hold beside its content, for which only this API has a place. */
const carriedKeys = ["audio", "images", "reasoning_details"];

/** Anything else means that the model stopped by itself. */
const finishReasons = new Map<string, FinishReason>([
  ["length", "length"],
  ["max_tokens", "length"],
  ["model_length", "length"],
  ["content_filter", "content_filter"],
]);

const failures = new Set(["error", "abort", "insufficient_system_resource"]);
