import {
  type CallKind,
  type CallStarted,
  type Encoder,
  type FinishReason,
  type FrameSink,
  givenBack,
  type JsonObject,
  type TurnEnding,
  type TurnEvent,
  type Usage,
} from "../../turn/index.ts";
import type { AnswerOptions } from "../codec.ts";
import { errorEnvelope } from "../envelope.ts";
import { finishReason, hasCalls, writeAnnotation, writeUsage } from "./answer.ts";
import type { ChatRequest } from "./decode.ts";
import { writeImages } from "./images.ts";
import { describeCompletion } from "./stored-completion.ts";

/**
 * Encodes a Chat Completions stream in the strictest form that clients need: the role first, one index per call, its name once, one
 * finish reason, then usage if requested, then the end.
 */
export class ChatStreamEncoder implements Encoder {
  readonly readsAnswer = false;
  readonly #request: ChatRequest;
  readonly #options: AnswerOptions;
  readonly #sink: FrameSink;
  /** The text before and after a choice, which is the same in every chunk of a stream. */
  readonly #head: string;
  readonly #tail: string;
  #index = -1;
  #kind: CallKind = "function";
  /** The open call belongs to the gateway and is hidden from the client. */
  #isHidden = false;
  #roleSent = false;
  #textSent = false;
  #separate = false;
  #callsDone = 0;

  constructor(request: ChatRequest, options: AnswerOptions) {
    const { id, model, createdAt: created, sink } = options;
    this.#request = request;
    this.#options = options;
    this.#sink = sink;
    const start = JSON.stringify({ id, object: "chat.completion.chunk", created, model });
    this.#head = `${start.slice(0, -1)},"choices":[{"index":0,"delta":{`;
    this.#tail = `}]${request.includeUsage ? ',"usage":null' : ""}}`;
  }

  /** This API has no event before the first content. */
  open(): void {}

  keepAlive(): void {
    this.#sink.keepAlive();
  }

  push(event: TurnEvent): void {
    switch (event.type) {
      case "text.delta":
        this.#text(event.text, event.logprobs);
        return;
      case "reasoning.delta":
        this.#delta(`"reasoning_content":${JSON.stringify(event.text)}`);
        return;
      case "call.arguments":
        if (!this.#isHidden) this.#arguments(event.delta);
        return;
      case "refusal.delta":
        this.#delta(`"refusal":${JSON.stringify(event.text)}`);
        return;
      case "annotation.added":
        this.#delta(`"annotations":${JSON.stringify([writeAnnotation(event.annotation)])}`);
        return;
      case "message.started":
        this.#separate = this.#textSent && !event.continues;
        this.#extra(givenBack(event.extensions, "chat"));
        return;
      case "call.started":
        this.#isHidden = event.owner === "gateway";
        if (!this.#isHidden) this.#call(event);
        return;
      case "call.done":
        if (!this.#isHidden) this.#callsDone++;
        return;
      case "item.done":
        this.#extra(writeImages({ fields: event.item, extensions: event.extensions }));
        return;
      case "message.extra":
        this.#extra(givenBack(event.extensions, "chat"));
        return;
      case "message.done":
      case "reasoning.started":
      case "reasoning.done":
      case "output.done":
        return;
    }
  }

  describe(ending: TurnEnding): string {
    const { answer } = this.#options;
    return describeCompletion(this.#request, this.#options, ending, this.#callsDone > 0 || hasCalls(answer.items));
  }

  end(ending: TurnEnding): void {
    if (ending.type === "turn.failed") this.#sink.frame("", errorEnvelope(ending.error.body));
    else this.#finish(ending.reason, ending.usage);
    this.#sink.end();
  }

  #call({ kind, callId: id, name, extensions }: CallStarted): void {
    const index = ++this.#index;
    this.#kind = kind;
    if (this.#request.legacy) {
      this.#delta(`"function_call":${JSON.stringify({ name, arguments: "" })}`);
      return;
    }
    const extra = givenBack(extensions, "chat");
    const call =
      kind === "custom"
        ? { ...extra, index, id, type: "custom", custom: { name, input: "" } }
        : { ...extra, index, id, type: "function", function: { name, arguments: "" } };
    this.#delta(`"tool_calls":${JSON.stringify([call])}`);
  }

  /** Fields that pass through unread are part of the delta in this API. */
  #extra(fields: JsonObject | undefined): void {
    const written = fields ? JSON.stringify(fields).slice(1, -1) : "";
    if (written !== "") this.#delta(written);
  }

  #text(text: string, logprobs: JsonObject[] | undefined): void {
    const content = this.#separate ? `\n\n${text}` : text;
    this.#separate = false;
    this.#textSent = true;
    this.#delta(
      `"content":${JSON.stringify(content)}`,
      logprobs && `"logprobs":${JSON.stringify({ content: logprobs, refusal: null })},`,
    );
  }

  #arguments(delta: string): void {
    const text = JSON.stringify(delta);
    if (this.#request.legacy) {
      this.#delta(`"function_call":{"arguments":${text}}`);
      return;
    }
    const piece = this.#kind === "custom" ? `"custom":{"input":${text}}` : `"function":{"arguments":${text}}`;
    this.#delta(`"tool_calls":[{"index":${this.#index},${piece}}]`);
  }

  /** `choiceFields` are fields of the choice, beside the delta. */
  #delta(fields: string, choiceFields = ""): void {
    if (!this.#roleSent) this.#role(fields.startsWith('"content"'));
    this.#sink.frame("", `${this.#head}${fields}},${choiceFields}"finish_reason":null${this.#tail}`);
  }

  #role(isText: boolean): void {
    this.#roleSent = true;
    const content = isText ? '""' : "null";
    this.#sink.frame("", `${this.#head}"role":"assistant","content":${content}},"finish_reason":null${this.#tail}`);
  }

  #finish(reason: FinishReason, usage: Usage | undefined): void {
    if (!this.#roleSent) this.#role(true);
    const finish = finishReason(reason, this.#callsDone > 0, this.#request.legacy);
    this.#sink.frame("", `${this.#head}},"finish_reason":"${finish}"${this.#tail}`);
    if (!this.#request.includeUsage || !usage) return;
    const start = this.#head.slice(0, this.#head.indexOf(',"choices":['));
    this.#sink.frame("", `${start},"choices":[],"usage":${JSON.stringify(writeUsage(usage))}}`);
  }
}
