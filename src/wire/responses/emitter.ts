import type { CallKind, ErrorBody, JsonObject } from "../../turn/index.ts";
import { doneLine } from "../sse.ts";

/** Where in the response something happens. */
export interface Place {
  itemId: string;
  index: number;
}

export interface OpenCall {
  kind: CallKind;
  callId: string;
  name: string;
  namespace?: string | undefined;
}

/**
 * What a client hears of a growing response. A profile is one implementation; the turn and the items know nothing of it.
 * Each method returns the text to send.
 */
export interface Emitter {
  lifecycle(type: LifecycleEvent, response: string): string;
  itemAdded(place: Place, item: JsonObject, call?: OpenCall): string;
  itemDone(place: Place, item: JsonObject): string;
  partAdded(place: Place, content: number, part: JsonObject): string;
  partDone(place: Place, content: number, part: JsonObject): string;
  textDelta(place: Place, content: number, delta: string, logprobs: JsonObject[] | undefined): string;
  textDone(place: Place, content: number, text: string, logprobs: JsonObject[]): string;
  annotationAdded(place: Place, content: number, index: number, annotation: JsonObject): string;
  refusalDelta(place: Place, content: number, delta: string): string;
  refusalDone(place: Place, content: number, refusal: string): string;
  summaryPartAdded(place: Place, summary: number): string;
  summaryDelta(place: Place, summary: number, delta: string): string;
  summaryDone(place: Place, summary: number, text: string): string;
  argumentsDelta(place: Place, call: OpenCall, delta: string): string;
  argumentsDone(place: Place, call: OpenCall, text: string): string;
  error(error: ErrorBody): string;
  end(response: string): string;
}

const textDeltaHead =
  'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","sequence_number":';

export type LifecycleEvent = "created" | "in_progress" | "completed" | "incomplete" | "failed";

/** The profile `openai`: the events that both the OpenAI SDKs and Open Responses know, and no others. */
export class OpenAIEmitter implements Emitter {
  #sequence = 0;
  /** The part of a delta that stays the same while its item is open. */
  #place: Place | undefined;
  #placeText = "";

  /** One counter for the whole stream; `event:` always equals `type`. */
  protected event(type: string, rest: string): string {
    return `event: ${type}\ndata: {"type":"${type}","sequence_number":${this.#sequence++},${rest}}\n\n`;
  }

  protected at(place: Place): string {
    if (place !== this.#place) {
      this.#place = place;
      this.#placeText = `"item_id":${JSON.stringify(place.itemId)},"output_index":${place.index}`;
    }
    return this.#placeText;
  }

  lifecycle(type: LifecycleEvent, response: string): string {
    return this.event(`response.${type}`, `"response":${response}`);
  }

  itemAdded(place: Place, item: JsonObject, _call?: OpenCall): string {
    return this.event("response.output_item.added", `"output_index":${place.index},"item":${JSON.stringify(item)}`);
  }

  itemDone(place: Place, item: JsonObject): string {
    return this.event("response.output_item.done", `"output_index":${place.index},"item":${JSON.stringify(item)}`);
  }

  partAdded(place: Place, content: number, part: JsonObject): string {
    return this.#part("response.content_part.added", place, content, part);
  }

  partDone(place: Place, content: number, part: JsonObject): string {
    return this.#part("response.content_part.done", place, content, part);
  }

  textDelta(place: Place, content: number, delta: string, logprobs: JsonObject[] | undefined): string {
    const probabilities = logprobs ? JSON.stringify(logprobs) : "[]";
    // The event that comes most often is put together in one go.
    return `${textDeltaHead}${this.#sequence++},${this.at(place)},"content_index":${content},"delta":${JSON.stringify(delta)},"logprobs":${probabilities}}\n\n`;
  }

  textDone(place: Place, content: number, text: string, logprobs: JsonObject[]): string {
    return this.event(
      "response.output_text.done",
      `${this.at(place)},"content_index":${content},"text":${JSON.stringify(text)},"logprobs":${JSON.stringify(logprobs)}`,
    );
  }

  annotationAdded(place: Place, content: number, index: number, annotation: JsonObject): string {
    return this.event(
      "response.output_text.annotation.added",
      `${this.at(place)},"content_index":${content},"annotation_index":${index},"annotation":${JSON.stringify(annotation)}`,
    );
  }

  refusalDelta(place: Place, content: number, delta: string): string {
    return this.event(
      "response.refusal.delta",
      `${this.at(place)},"content_index":${content},"delta":${JSON.stringify(delta)}`,
    );
  }

  refusalDone(place: Place, content: number, refusal: string): string {
    return this.event(
      "response.refusal.done",
      `${this.at(place)},"content_index":${content},"refusal":${JSON.stringify(refusal)}`,
    );
  }

  summaryPartAdded(place: Place, summary: number): string {
    const part = '{"type":"summary_text","text":""}';
    return this.event(
      "response.reasoning_summary_part.added",
      `${this.at(place)},"summary_index":${summary},"part":${part}`,
    );
  }

  summaryDelta(place: Place, summary: number, delta: string): string {
    return this.event(
      "response.reasoning_summary_text.delta",
      `${this.at(place)},"summary_index":${summary},"delta":${JSON.stringify(delta)}`,
    );
  }

  summaryDone(place: Place, summary: number, text: string): string {
    const where = `${this.at(place)},"summary_index":${summary}`;
    const whole = JSON.stringify(text);
    return (
      this.event("response.reasoning_summary_text.done", `${where},"text":${whole}`) +
      this.event("response.reasoning_summary_part.done", `${where},"part":{"type":"summary_text","text":${whole}}`)
    );
  }

  argumentsDelta(place: Place, call: OpenCall, delta: string): string {
    // The API has no events for the arguments of a search: its item has them.
    if (call.kind === "search") return "";
    return this.event(
      call.kind === "function" ? "response.function_call_arguments.delta" : "response.custom_tool_call_input.delta",
      `${this.at(place)},"delta":${JSON.stringify(delta)}`,
    );
  }

  argumentsDone(place: Place, call: OpenCall, text: string): string {
    if (call.kind === "search") return "";
    if (call.kind === "custom") {
      return this.event("response.custom_tool_call_input.done", `${this.at(place)},"input":${JSON.stringify(text)}`);
    }
    return this.event(
      "response.function_call_arguments.done",
      `${this.at(place)},"name":${JSON.stringify(call.name)},"arguments":${JSON.stringify(text)}`,
    );
  }

  /** OpenAI reads the flat fields, Open Responses the nested ones: one event has both. */
  error({ message, type, param, code }: ErrorBody): string {
    const flat = JSON.stringify({ code, message, param }).slice(1, -1);
    return this.event("error", `${flat},"error":${JSON.stringify({ type, code, message, param })}`);
  }

  end(_response: string): string {
    return doneLine;
  }

  #part(type: string, place: Place, content: number, part: JsonObject): string {
    return this.event(type, `${this.at(place)},"content_index":${content},"part":${JSON.stringify(part)}`);
  }
}

/** The profile `extended`: the standard events, and beside them those of the begin/delta/end convention. */
export class ExtendedEmitter extends OpenAIEmitter {
  override itemAdded(place: Place, item: JsonObject, call?: OpenCall): string {
    const added = super.itemAdded(place, item, call);
    if (!call) return added;
    return added + this.event("response.output_tool_call.begin", `${this.at(place)},${namesOf(call)}`);
  }

  override argumentsDelta(place: Place, call: OpenCall, delta: string): string {
    const standard = super.argumentsDelta(place, call, delta);
    return (
      standard + this.event("response.output_tool_call.delta", `${this.at(place)},"delta":${JSON.stringify(delta)}`)
    );
  }

  override argumentsDone(place: Place, call: OpenCall, text: string): string {
    const rest = `${namesOf(call)},"arguments":${JSON.stringify(text)}`;
    const done = super.argumentsDone(place, call, text);
    return done + this.event("response.output_tool_call.end", `${this.at(place)},${rest}`);
  }

  override end(response: string): string {
    return this.event("response.done", `"response":${response}`) + super.end(response);
  }
}

function namesOf({ callId, name, namespace }: OpenCall): string {
  return JSON.stringify({ call_id: callId, name, namespace }).slice(1, -1);
}

/** For an answer in one piece: the items grow, and nobody hears of it. */
export const silentEmitter: Emitter = {
  lifecycle: () => "",
  itemAdded: () => "",
  itemDone: () => "",
  partAdded: () => "",
  partDone: () => "",
  textDelta: () => "",
  textDone: () => "",
  annotationAdded: () => "",
  refusalDelta: () => "",
  refusalDone: () => "",
  summaryPartAdded: () => "",
  summaryDelta: () => "",
  summaryDone: () => "",
  argumentsDelta: () => "",
  argumentsDone: () => "",
  error: () => "",
  end: () => "",
};
