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
import { parseProviderJson } from "../provider-json.ts";
import { reportedError } from "../reported-error.ts";
import type { AnswerReader } from "../upstream.ts";
import { cutAnswer, errorFromAnswer, invalidAnswer, type Redact } from "../upstream-errors.ts";
import { GrowingCalls } from "./calls.ts";
import { MessageContent } from "./content.ts";
import { type StopCause, stopCauseOf } from "./finish.ts";
import { ToolNames } from "./tool-names.ts";
import { readUsage } from "./usage.ts";

/** A chat provider's answer as events: chunk by chunk, or a whole answer in one piece. */
export class ChatReader implements AnswerReader {
  readonly #backend: string;
  readonly #redact: Redact;
  readonly #emit: Emit;
  readonly #turn: Turn;
  readonly #calls: GrowingCalls;
  readonly #content: MessageContent;
  /** What the provider said about why it stopped. */
  #stopped: StopCause | undefined;
  #usage: Usage | undefined;
  /** A choice that has a whole message in a stream; the last one says the most. */
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
    if (!isObject(answer)) throw invalidAnswer(this.#backend, "an answer that is not a JSON object");
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

  /** Nothing in an event that is a sign of life; the end, where white space stands around it. */
  #oddData(data: string): void {
    const text = data.trim();
    if (text === done) this.#finish();
    else if (text !== "") throw invalidAnswer(this.#backend, "an event that is not a JSON object");
  }

  /** The one choice that was asked for; objects without any are usage or signs of life. */
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
    // Some providers write an empty reason in every chunk.
    if (typeof reason !== "string" || reason === "") return;
    const cause = stopCauseOf(reason);
    if (cause === "failed") throw this.#failure(`it stopped with "${reason}".`);
    // What was cut stays cut, whatever is said after it.
    if (this.#stopped !== "length" && this.#stopped !== "content_filter") this.#stopped = cause;
  }

  #finish(): void {
    if (!this.#answered) throw invalidAnswer(this.#backend, "an answer without choices");
    if (this.#final && isObject(this.#final.message)) this.#content.rest(this.#final.message, this.#final.logprobs);
    if (this.#calls.trouble) throw invalidAnswer(this.#backend, this.#calls.trouble);
    // A provider that says that it is done, but not why, has stopped by itself. One that has said nothing at all has not.
    if (this.#stopped === undefined && !this.#content.any) throw cutAnswer(this.#backend);
    const reason: FinishReason =
      this.#stopped === "length" || this.#stopped === "content_filter" ? this.#stopped : "stop";
    const whole = this.#calls.end(reason);
    if (this.#usage) this.#emit({ type: "usage.reported", usage: this.#usage });
    if (whole && reason === "stop" && this.#contradicts())
      this.#emit({ type: "call.repaired", repair: "finish_reason" });
    this.finished = true;
    // Arguments that stop in the middle mean that the answer does, whatever the provider says.
    this.#emit({ type: "round.finished", reason: whole || reason !== "stop" ? reason : "length" });
  }

  /** Whether the reason is missing, or not the one that goes with the calls. */
  #contradicts(): boolean {
    const { given } = this.#calls;
    if (this.#stopped === undefined) return true;
    if (this.#stopped === "calls") return given === 0;
    // The API itself says "stop" after a call that the request forced.
    return given > 0 && this.#turn.choice.mode !== "forced";
  }

  #failure(error: JsonValue): Error {
    return errorFromAnswer(this.#backend, error, this.#redact);
  }
}

/** A provider that was asked for one choice may send more. */
function firstOf(choices: readonly JsonValue[]): JsonObject | undefined {
  for (const choice of choices) {
    if (isObject(choice) && (typeof choice.index !== "number" || choice.index === 0)) return choice;
  }
  return undefined;
}
