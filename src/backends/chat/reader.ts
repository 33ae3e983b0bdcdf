import {
  type Emit,
  type FinishReason,
  isObject,
  type JsonObject,
  type JsonValue,
  type Turn,
  type Usage,
} from "../../turn/index.ts";
import { done, type ServerEvent } from "../../wire/sse.ts";
import { type AnswerReader, notAnObject } from "../answer-body.ts";
import { parseProviderJson } from "../provider-json.ts";
import { reportedError } from "../reported-error.ts";
import { cutAnswer, errorFromAnswer, invalidAnswer, type Redact } from "../upstream-errors.ts";
import { GrowingCalls } from "./calls.ts";
import { MessageContent } from "./content.ts";
import { type StopCause, stopCauseOf } from "./finish.ts";
import { ToolNames } from "./tool-names.ts";
import { readUsage } from "./usage.ts";

/** Reads a chat provider's answer, streamed or whole, and emits events. */
export class ChatReader implements AnswerReader {
  readonly #backend: string;
  readonly #redact: Redact;
  readonly #emit: Emit;
  readonly #turn: Turn;
  readonly #calls: GrowingCalls;
  readonly #content: MessageContent;
  /** The finish reason that the provider sent. */
  #stopped: StopCause | undefined;
  #usage: Usage | undefined;
  /** A choice with a whole message inside a stream. The last one is the most complete. */
  #final: JsonObject | undefined;
  #answered = false;
  finished = false;

  constructor(backend: string, redact: Redact, emit: Emit, turn: Turn) {
    this.#backend = backend;
    this.#redact = redact;
    this.#emit = emit;
    this.#turn = turn;
    this.#calls = new GrowingCalls(emit, new ToolNames(turn.tools));
    this.#content = new MessageContent(emit, this.#calls);
  }

  get enough(): boolean {
    return this.#stopped !== undefined;
  }

  event({ event, data }: ServerEvent): void {
    if (data === done) {
      this.#finish();
      return;
    }
    const chunk = parseProviderJson(this.#backend, data);
    if (event === "error") throw this.#failure(isObject(chunk) ? (reportedError(chunk) ?? chunk) : data);
    if (isObject(chunk)) this.#chunk(chunk);
    else this.#oddData(data);
  }

  whole(answer: JsonValue): void {
    if (!isObject(answer)) throw invalidAnswer(this.#backend, notAnObject);
    const choice = this.#choice(answer);
    if (choice) {
      const message = choice.message ?? choice.delta;
      if (isObject(message)) this.#content.whole(message, choice.logprobs);
      this.#stop(choice);
    }
    this.#finish();
  }

  end(): void {
    if (this.#stopped === undefined) throw cutAnswer(this.#backend);
    this.#finish();
  }

  #chunk(chunk: JsonObject): void {
    const choice = this.#choice(chunk);
    if (!choice) return;
    if (isObject(choice.delta)) this.#content.delta(choice.delta, choice.logprobs);
    if (isObject(choice.message)) this.#final = choice;
    if (this.#calls.trouble) throw invalidAnswer(this.#backend, this.#calls.trouble);
    this.#stop(choice);
  }

  /** An event without data is a keep-alive. Whitespace may surround the end marker. */
  #oddData(data: string): void {
    const text = data.trim();
    if (text === done) this.#finish();
    else if (text !== "") throw invalidAnswer(this.#backend, "an event that is not a JSON object");
  }

  /** The one requested choice. Objects without choices report usage or are keep-alives. */
  #choice(object: JsonObject): JsonObject | undefined {
    const { choices, usage } = object;
    if (object.error || !Array.isArray(choices)) {
      const error = reportedError(object);
      if (error !== undefined) throw this.#failure(error);
    }
    if (isObject(usage)) this.#usage = readUsage(usage);
    const choice = Array.isArray(choices) ? firstOf(choices) : undefined;
    if (!choice) return undefined;
    if (choice.error) throw this.#failure(choice.error);
    this.#answered = true;
    return choice;
  }

  #stop({ finish_reason: reason }: JsonObject): void {
    // Some providers send an empty reason in every chunk.
    if (typeof reason !== "string" || reason === "") return;
    const cause = stopCauseOf(reason);
    if (cause === "failed") throw this.#failure(`it stopped with "${reason}".`);
    // A cut answer stays cut, whatever reason follows.
    if (this.#stopped !== "length" && this.#stopped !== "content_filter") this.#stopped = cause;
  }

  #finish(): void {
    if (!this.#answered) throw invalidAnswer(this.#backend, "an answer without choices");
    if (this.#final && isObject(this.#final.message)) this.#content.rest(this.#final.message, this.#final.logprobs);
    if (this.#calls.trouble) throw invalidAnswer(this.#backend, this.#calls.trouble);
    // A provider that ends without a finish reason has stopped by itself, unless it sent no content at all.
    if (this.#stopped === undefined && !this.#content.any) throw cutAnswer(this.#backend);
    const reason: FinishReason =
      this.#stopped === "length" || this.#stopped === "content_filter" ? this.#stopped : "stop";
    const whole = this.#calls.end(reason);
    if (this.#usage) this.#emit({ type: "usage.reported", usage: this.#usage });
    if (whole && reason === "stop" && this.#contradicts())
      this.#emit({ type: "call.repaired", repair: "finish_reason" });
    this.finished = true;
    // Incomplete arguments mean that the answer was cut, whatever the provider reports.
    this.#emit({ type: "round.finished", reason: whole || reason !== "stop" ? reason : "length" });
  }

  /** Whether the finish reason is missing or does not match the calls. */
  #contradicts(): boolean {
    const { given } = this.#calls;
    if (this.#stopped === undefined) return true;
    if (this.#stopped === "calls") return given === 0;
    // The API reports "stop" after a call that the request forced.
    return given > 0 && this.#turn.choice.mode !== "forced";
  }

  #failure(error: JsonValue): Error {
    return errorFromAnswer(this.#backend, error, this.#redact);
  }
}

/** A provider may send several choices though one was requested. */
function firstOf(choices: readonly JsonValue[]): JsonObject | undefined {
  for (const choice of choices) {
    if (isObject(choice) && (typeof choice.index !== "number" || choice.index === 0)) return choice;
  }
  return undefined;
}
