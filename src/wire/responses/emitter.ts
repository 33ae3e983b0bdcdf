import type { CallItem, ErrorBody, FrameSink, JsonObject } from "../../turn/index.ts";

/** The item of the response that an event belongs to. */
export interface OutputPosition {
  itemId: string;
  index: number;
}

/**
 * Emits the events of a growing response as frames. Each profile is one implementation; the turn and the items do not depend on it.
 */
export interface Emitter {
  lifecycle(type: LifecycleEvent, response: string): void;
  itemAdded(at: OutputPosition, item: JsonObject, call?: CallItem): void;
  itemDone(at: OutputPosition, item: JsonObject): void;
  /** An item that is added and done at once. */
  wholeItem(at: OutputPosition, item: JsonObject): void;
  partAdded(at: OutputPosition, content: number, part: JsonObject): void;
  partDone(at: OutputPosition, content: number, part: JsonObject): void;
  textDelta(at: OutputPosition, content: number, delta: string, logprobs: JsonObject[] | undefined): void;
  textDone(at: OutputPosition, content: number, text: string, logprobs: JsonObject[]): void;
  annotationAdded(at: OutputPosition, content: number, index: number, annotation: JsonObject): void;
  refusalDelta(at: OutputPosition, content: number, delta: string): void;
  refusalDone(at: OutputPosition, content: number, refusal: string): void;
  summaryPartAdded(at: OutputPosition, summary: number): void;
  summaryDelta(at: OutputPosition, summary: number, delta: string): void;
  summaryDone(at: OutputPosition, summary: number, text: string): void;
  argumentsDelta(at: OutputPosition, call: CallItem, delta: string): void;
  argumentsDone(at: OutputPosition, call: CallItem, text: string): void;
  error(error: ErrorBody): void;
  end(response: string): void;
}

const textDelta = "response.output_text.delta";
const textDeltaHead = `{"type":"${textDelta}","sequence_number":`;

export type LifecycleEvent = "created" | "in_progress" | "completed" | "incomplete" | "failed";

/** The profile `openai`: the events that both the OpenAI SDKs and Open Responses know, and no others. */
export class OpenAIEmitter implements Emitter {
  readonly #sink: FrameSink;
  #sequence = 0;
  /** The part of a delta event that stays the same while its item is open. */
  #position: OutputPosition | undefined;
  #positionText = "";

  constructor(sink: FrameSink) {
    this.#sink = sink;
  }

  /** One counter for the whole stream; `event:` always equals `type`. */
  protected event(type: string, rest: string): void {
    this.#sink.frame(type, `{"type":"${type}","sequence_number":${this.#sequence++},${rest}}`);
  }

  protected where(at: OutputPosition): string {
    if (at !== this.#position) {
      this.#position = at;
      this.#positionText = `"item_id":${JSON.stringify(at.itemId)},"output_index":${at.index}`;
    }
    return this.#positionText;
  }

  lifecycle(type: LifecycleEvent, response: string): void {
    this.event(`response.${type}`, `"response":${response}`);
  }

  itemAdded(at: OutputPosition, item: JsonObject, _call?: CallItem): void {
    this.event("response.output_item.added", `${this.whichItem(at)},"item":${JSON.stringify(item)}`);
  }

  itemDone(at: OutputPosition, item: JsonObject): void {
    this.event("response.output_item.done", `${this.whichItem(at)},"item":${JSON.stringify(item)}`);
  }

  /** The item may be a large image, so it is serialized once. */
  wholeItem(at: OutputPosition, item: JsonObject): void {
    const fields = `${this.whichItem(at)},"item":${JSON.stringify(item)}`;
    this.event("response.output_item.added", fields);
    this.event("response.output_item.done", fields);
  }

  /** The fields that identify the item in events that hold the whole item. */
  protected whichItem({ index }: OutputPosition): string {
    return `"output_index":${index}`;
  }

  partAdded(at: OutputPosition, content: number, part: JsonObject): void {
    this.#part("response.content_part.added", at, content, part);
  }

  partDone(at: OutputPosition, content: number, part: JsonObject): void {
    this.#part("response.content_part.done", at, content, part);
  }

  textDelta(at: OutputPosition, content: number, delta: string, logprobs: JsonObject[] | undefined): void {
    const probabilities = logprobs ? JSON.stringify(logprobs) : "[]";
    // The most frequent event is built in one step.
    this.#sink.frame(
      textDelta,
      `${textDeltaHead}${this.#sequence++},${this.where(at)},"content_index":${content},"delta":${JSON.stringify(delta)},"logprobs":${probabilities}}`,
    );
  }

  textDone(at: OutputPosition, content: number, text: string, logprobs: JsonObject[]): void {
    this.event(
      "response.output_text.done",
      `${this.where(at)},"content_index":${content},"text":${JSON.stringify(text)},"logprobs":${JSON.stringify(logprobs)}`,
    );
  }

  annotationAdded(at: OutputPosition, content: number, index: number, annotation: JsonObject): void {
    this.event(
      "response.output_text.annotation.added",
      `${this.where(at)},"content_index":${content},"annotation_index":${index},"annotation":${JSON.stringify(annotation)}`,
    );
  }

  refusalDelta(at: OutputPosition, content: number, delta: string): void {
    this.event(
      "response.refusal.delta",
      `${this.where(at)},"content_index":${content},"delta":${JSON.stringify(delta)}`,
    );
  }

  refusalDone(at: OutputPosition, content: number, refusal: string): void {
    this.event(
      "response.refusal.done",
      `${this.where(at)},"content_index":${content},"refusal":${JSON.stringify(refusal)}`,
    );
  }

  summaryPartAdded(at: OutputPosition, summary: number): void {
    const part = '{"type":"summary_text","text":""}';
    this.event("response.reasoning_summary_part.added", `${this.where(at)},"summary_index":${summary},"part":${part}`);
  }

  summaryDelta(at: OutputPosition, summary: number, delta: string): void {
    this.event(
      "response.reasoning_summary_text.delta",
      `${this.where(at)},"summary_index":${summary},"delta":${JSON.stringify(delta)}`,
    );
  }

  summaryDone(at: OutputPosition, summary: number, text: string): void {
    const where = `${this.where(at)},"summary_index":${summary}`;
    const whole = JSON.stringify(text);
    this.event("response.reasoning_summary_text.done", `${where},"text":${whole}`);
    this.event("response.reasoning_summary_part.done", `${where},"part":{"type":"summary_text","text":${whole}}`);
  }

  argumentsDelta(at: OutputPosition, call: CallItem, delta: string): void {
    // The API has no events for the arguments of a search; its item has them.
    if (call.kind === "search") return;
    this.event(
      call.kind === "function" ? "response.function_call_arguments.delta" : "response.custom_tool_call_input.delta",
      `${this.where(at)},"delta":${JSON.stringify(delta)}`,
    );
  }

  argumentsDone(at: OutputPosition, call: CallItem, text: string): void {
    if (call.kind === "search") return;
    if (call.kind === "custom") {
      this.event("response.custom_tool_call_input.done", `${this.where(at)},"input":${JSON.stringify(text)}`);
      return;
    }
    this.event(
      "response.function_call_arguments.done",
      `${this.where(at)},"name":${JSON.stringify(call.name)},"arguments":${JSON.stringify(text)}`,
    );
  }

  /** OpenAI reads the flat fields, Open Responses the nested ones, so the event has both. */
  error({ message, type, param, code }: ErrorBody): void {
    const flat = JSON.stringify({ code, message, param }).slice(1, -1);
    this.event("error", `${flat},"error":${JSON.stringify({ type, code, message, param })}`);
  }

  end(_response: string): void {
    this.#sink.end();
  }

  #part(type: string, at: OutputPosition, content: number, part: JsonObject): void {
    this.event(type, `${this.where(at)},"content_index":${content},"part":${JSON.stringify(part)}`);
  }
}

/** The profile `extended`: the standard events, and also those of the begin/delta/end convention. */
export class ExtendedEmitter extends OpenAIEmitter {
  protected override whichItem(at: OutputPosition): string {
    return this.where(at);
  }

  override itemAdded(at: OutputPosition, item: JsonObject, call?: CallItem): void {
    super.itemAdded(at, item, call);
    if (call) this.event("response.output_tool_call.begin", `${this.where(at)},${namesOf(call)}`);
  }

  override argumentsDelta(at: OutputPosition, call: CallItem, delta: string): void {
    super.argumentsDelta(at, call, delta);
    this.event("response.output_tool_call.delta", `${this.where(at)},"delta":${JSON.stringify(delta)}`);
  }

  override argumentsDone(at: OutputPosition, call: CallItem, text: string): void {
    super.argumentsDone(at, call, text);
    const rest = `${namesOf(call)},"arguments":${JSON.stringify(text)}`;
    this.event("response.output_tool_call.end", `${this.where(at)},${rest}`);
  }

  override end(response: string): void {
    this.event("response.done", `"response":${response}`);
    super.end(response);
  }
}

function namesOf({ callId, name, namespace }: CallItem): string {
  return JSON.stringify({ call_id: callId, name, namespace }).slice(1, -1);
}
