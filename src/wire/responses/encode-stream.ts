import type {
  AnswerView,
  CallItem,
  Encoder,
  ErrorBody,
  MessageItem,
  ReasoningItem,
  TurnEnding,
  TurnEvent,
} from "../../turn/index.ts";
import type { AnswerOptions } from "../codec.ts";
import { callItem } from "./call-item.ts";
import type { ResponsesRequest } from "./decode.ts";
import { type Emitter, ExtendedEmitter, OpenAIEmitter, type OutputPosition } from "./emitter.ts";
import { contentPart, messageItem, reasoningItem, writeOutput } from "./output-items.ts";
import { endedState, ResponseWriter } from "./response-object.ts";

const noPosition: OutputPosition = { itemId: "", index: -1 };

/**
 * Encodes a Responses stream with a profile's emitter. Content is read from the answer; this class tracks only what was emitted.
 */
export class ResponsesStreamEncoder implements Encoder {
  readonly readsAnswer = true;
  readonly #options: AnswerOptions;
  readonly #answer: AnswerView;
  readonly #emitter: Emitter;
  readonly #response: ResponseWriter;
  /** How many items were added. */
  #added = 0;
  #at = noPosition;
  /** Of the open item: the index of the last part, and its kind: a content type, or the backend's number of a summary part. */
  #part = -1;
  #partType: "text" | "refusal" | undefined;
  #partNumber: number | undefined;
  /** The open call belongs to the gateway and is hidden from the client. */
  #isHidden = false;
  #completedAt: number | undefined;

  constructor(request: ResponsesRequest, options: AnswerOptions) {
    const { answer, sink, profile } = options;
    this.#options = options;
    this.#answer = answer;
    this.#emitter = profile === "extended" ? new ExtendedEmitter(sink) : new OpenAIEmitter(sink);
    this.#response = new ResponseWriter(request, options);
  }

  open(): void {
    const response = this.#response.write({ status: "in_progress", output: [] });
    this.#emitter.lifecycle("created", response);
    this.#emitter.lifecycle("in_progress", response);
  }

  /** An event, not a comment: comments do not reset the idle timer of some clients. */
  keepAlive(): void {
    const output = writeOutput(this.#answer.items);
    this.#emitter.lifecycle("in_progress", this.#response.write({ status: "in_progress", output }));
  }

  push(event: TurnEvent): void {
    switch (event.type) {
      case "text.delta":
        this.#openPart("text");
        this.#emitter.textDelta(this.#at, this.#part, event.text, event.logprobs);
        return;
      case "call.arguments":
        if (!this.#isHidden) this.#emitter.argumentsDelta(this.#at, this.#call(), event.delta);
        return;
      case "reasoning.delta":
        this.#openSummary(event.part);
        this.#emitter.summaryDelta(this.#at, this.#part, event.text);
        return;
      case "message.started":
        this.#add(event.id);
        this.#emitter.itemAdded(this.#at, messageItem(this.#message(), "in_progress"));
        return;
      case "refusal.delta":
        this.#openPart("refusal");
        this.#emitter.refusalDelta(this.#at, this.#part, event.text);
        return;
      case "annotation.added":
        this.#openPart("text");
        this.#annotate();
        return;
      case "message.done":
        this.#endPart();
        this.#emitter.itemDone(this.#at, messageItem(this.#message(), event.status));
        return;
      case "reasoning.started":
        this.#add(event.id);
        this.#emitter.itemAdded(this.#at, reasoningItem(this.#reasoning(), "in_progress"));
        return;
      case "reasoning.done":
        this.#endSummary();
        this.#emitter.itemDone(this.#at, reasoningItem(this.#reasoning(), "completed"));
        return;
      case "call.started": {
        this.#isHidden = event.owner === "gateway";
        if (this.#isHidden) return;
        this.#add(event.id);
        const call = this.#call();
        this.#emitter.itemAdded(this.#at, callItem(call, "in_progress"), call);
        return;
      }
      case "call.done": {
        if (this.#isHidden) return;
        const call = this.#call();
        this.#emitter.argumentsDone(this.#at, call, event.arguments);
        this.#emitter.itemDone(this.#at, callItem(call, "completed"));
        return;
      }
      case "item.done":
        if (event.format !== "responses") return;
        this.#add(event.id);
        this.#emitter.wholeItem(this.#at, { ...event.item, id: event.id });
        return;
      case "output.done":
      case "message.extra":
        return;
    }
  }

  describe(ending: TurnEnding): string {
    return this.#response.describe(ending, this.#completionTime());
  }

  end(ending: TurnEnding): void {
    if (ending.type === "turn.failed") this.#emitError(ending.error.body);
    const state = endedState(ending, this.#answer.items, this.#completionTime());
    const response = this.#response.write(state);
    this.#emitter.lifecycle(state.status, response);
    this.#emitter.end(response);
  }

  /** The same in the stored response and in the one that the client gets. */
  #completionTime(): number {
    this.#completedAt ??= this.#options.now();
    return this.#completedAt;
  }

  #emitError(error: ErrorBody): void {
    this.#emitter.error(error);
  }

  #add(itemId: string): void {
    this.#at = { itemId, index: this.#added++ };
    this.#part = -1;
    this.#partType = undefined;
    this.#partNumber = undefined;
  }

  #openPart(type: "text" | "refusal"): void {
    if (this.#partType === type) return;
    this.#endPart();
    this.#partType = type;
    const part = type === "text" ? contentPart({ type, text: "" }) : contentPart({ type, refusal: "" });
    this.#emitter.partAdded(this.#at, ++this.#part, part);
  }

  #endPart(): void {
    const part = this.#partType && this.#message().content[this.#part];
    this.#partType = undefined;
    if (part?.type === "text") this.#emitter.textDone(this.#at, this.#part, part.text, part.logprobs ?? []);
    else if (part?.type === "refusal") this.#emitter.refusalDone(this.#at, this.#part, part.refusal);
    if (part) this.#emitter.partDone(this.#at, this.#part, contentPart(part));
  }

  #annotate(): void {
    const part = this.#message().content[this.#part];
    const annotations = (part?.type === "text" && part.annotations) || [];
    const last = annotations.at(-1);
    if (last) this.#emitter.annotationAdded(this.#at, this.#part, annotations.length - 1, last);
  }

  #openSummary(number: number): void {
    if (this.#partNumber === number) return;
    this.#endSummary();
    this.#partNumber = number;
    this.#emitter.summaryPartAdded(this.#at, ++this.#part);
  }

  #endSummary(): void {
    if (this.#partNumber === undefined) return;
    this.#partNumber = undefined;
    this.#emitter.summaryDone(this.#at, this.#part, this.#reasoning().summary[this.#part] ?? "");
  }

  #message(): MessageItem {
    const { current } = this.#answer;
    return current?.type === "message" ? current : notCurrent("message");
  }

  #reasoning(): ReasoningItem {
    const { current } = this.#answer;
    return current?.type === "reasoning" ? current : notCurrent("reasoning");
  }

  #call(): CallItem {
    const { current } = this.#answer;
    return current?.type === "call" ? current : notCurrent("call");
  }
}

function notCurrent(type: string): never {
  throw new Error(`the answer has no ${type} for the event about one`);
}
