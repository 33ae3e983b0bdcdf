import {
  type CallStarted,
  type Extensions,
  givenBack,
  type Ids,
  type JsonObject,
  type TurnEvent,
} from "../../turn/index.ts";
import { itemsOfImages } from "../images.ts";
import { type CallForClient, callItem } from "./call-item.ts";
import type { Emitter, Place } from "./emitter.ts";

interface OpenMessage {
  type: "message";
  place: Place;
  extensions: Extensions | undefined;
  done: JsonObject[];
  part: OpenPart | undefined;
  /** It is not the answer: a call follows it. */
  isCommentary: boolean;
}

interface OpenPart {
  type: "output_text" | "refusal";
  text: string;
  annotations: JsonObject[];
  logprobs: JsonObject[];
}

interface OpenReasoning {
  type: "reasoning";
  place: Place;
  done: string[];
  /** The part that is growing; the backend's own number tells when the next one begins. */
  part: { number: number; text: string } | undefined;
}

interface OpenCallItem {
  type: "call";
  place: Place;
  call: CallForClient;
}

/**
 * The output of a response as it grows: one item is open at a time, and is done before the next is added. What happens is
 * told to the emitter; the items that are done are the response's `output`.
 */
export class ResponseOutput {
  readonly items: JsonObject[] = [];
  readonly #emitter: Emitter;
  readonly #ids: Ids;
  #open: OpenMessage | OpenReasoning | OpenCallItem | undefined;
  #added = 0;
  #out = "";

  constructor(emitter: Emitter, ids: Ids) {
    this.#emitter = emitter;
    this.#ids = ids;
  }

  /** What the emitter makes of the event; nothing for one that is not about output. */
  push(event: TurnEvent): string {
    this.#out = "";
    this.#take(event);
    return this.#out;
  }

  /** Ends the open item, if it is one that an end can be given to: a call is ended by `call.done` alone. */
  close(status: "completed" | "incomplete"): string {
    this.#out = "";
    this.#close(status);
    return this.#out;
  }

  #take(event: TurnEvent): void {
    switch (event.type) {
      case "text.delta": {
        const { place, done, part } = this.#part("output_text");
        part.text += event.text;
        for (const logprob of event.logprobs ?? []) part.logprobs.push(logprob);
        this.#out += this.#emitter.textDelta(place, done.length, event.text, event.logprobs);
        return;
      }
      case "refusal.delta": {
        const { place, done, part } = this.#part("refusal");
        part.text += event.text;
        this.#out += this.#emitter.refusalDelta(place, done.length, event.text);
        return;
      }
      case "annotation.added": {
        const { place, done, part } = this.#part("output_text");
        const index = part.annotations.push(event.annotation) - 1;
        this.#out += this.#emitter.annotationAdded(place, done.length, index, event.annotation);
        return;
      }
      case "message.started":
        this.#openMessage(event.id, event.extensions);
        return;
      case "message.done":
        if (this.#open?.type === "message") this.#endMessage(this.#open, "completed");
        return;
      case "reasoning.started":
        this.#openReasoning(event.id);
        return;
      case "reasoning.delta": {
        const { place, done, part } = this.#summaryPart(event.part);
        part.text += event.text;
        this.#out += this.#emitter.summaryDelta(place, done.length, event.text);
        return;
      }
      case "reasoning.done":
        if (event.encrypted !== undefined && this.#open?.type !== "reasoning") this.#openReasoning(undefined);
        if (this.#open?.type === "reasoning") this.#endReasoning(this.#open, event.encrypted);
        return;
      case "call.started":
        this.#openCall(event);
        return;
      case "call.arguments":
        if (this.#open?.type !== "call") return;
        this.#open.call.arguments += event.delta;
        this.#out += this.#emitter.argumentsDelta(this.#open.place, this.#open.call, event.delta);
        return;
      case "call.done":
        if (this.#open?.type === "call") this.#endCall(this.#open);
        return;
      case "item.done":
        for (const item of event.format === "responses" ? [event.item] : itemsOfImages(event.item))
          this.#passItem(item);
    }
  }

  #close(status: "completed" | "incomplete"): void {
    if (this.#open?.type === "message") this.#endMessage(this.#open, status);
    else if (this.#open?.type === "reasoning") this.#endReasoning(this.#open, undefined);
    this.#open = undefined;
  }

  #place(itemId: string): Place {
    return { itemId, index: this.#added++ };
  }

  #done(place: Place, item: JsonObject): void {
    this.items.push(item);
    this.#out += this.#emitter.itemDone(place, item);
    this.#open = undefined;
  }

  #openMessage(id: string | undefined, extensions: Extensions | undefined): OpenMessage {
    this.#close("completed");
    const place = this.#place(this.#ids.claim("msg", id));
    const message: OpenMessage = { type: "message", place, extensions, done: [], part: undefined, isCommentary: false };
    this.#open = message;
    this.#out += this.#emitter.itemAdded(place, messageItem(message, "in_progress"));
    return message;
  }

  /** The growing part of the open message; a message and a part are begun where there is none of that type. */
  #part(type: OpenPart["type"]): OpenMessage & { part: OpenPart } {
    const message = this.#open?.type === "message" ? this.#open : this.#openMessage(undefined, undefined);
    if (message.part?.type === type) return message as OpenMessage & { part: OpenPart };
    this.#endPart(message);
    const part: OpenPart = { type, text: "", annotations: [], logprobs: [] };
    this.#out += this.#emitter.partAdded(message.place, message.done.length, contentPart(part));
    return Object.assign(message, { part });
  }

  #endPart(message: OpenMessage): void {
    const { place, part } = message;
    if (!part) return;
    const index = message.done.length;
    this.#out +=
      part.type === "output_text"
        ? this.#emitter.textDone(place, index, part.text, part.logprobs)
        : this.#emitter.refusalDone(place, index, part.text);
    const content = contentPart(part);
    this.#out += this.#emitter.partDone(place, index, content);
    message.done.push(content);
    message.part = undefined;
  }

  #endMessage(message: OpenMessage, status: "completed" | "incomplete"): void {
    this.#endPart(message);
    this.#done(message.place, messageItem(message, status));
  }

  #openReasoning(id: string | undefined): OpenReasoning {
    this.#close("completed");
    const place = this.#place(this.#ids.claim("rs", id));
    const reasoning: OpenReasoning = { type: "reasoning", place, done: [], part: undefined };
    this.#open = reasoning;
    this.#out += this.#emitter.itemAdded(place, reasoningItem(reasoning, "in_progress"));
    return reasoning;
  }

  #summaryPart(number: number): OpenReasoning & { part: { number: number; text: string } } {
    const reasoning = this.#open?.type === "reasoning" ? this.#open : this.#openReasoning(undefined);
    if (reasoning.part?.number === number) {
      return reasoning as OpenReasoning & { part: { number: number; text: string } };
    }
    this.#endSummaryPart(reasoning);
    this.#out += this.#emitter.summaryPartAdded(reasoning.place, reasoning.done.length);
    return Object.assign(reasoning, { part: { number, text: "" } });
  }

  #endSummaryPart(reasoning: OpenReasoning): void {
    if (!reasoning.part) return;
    this.#out += this.#emitter.summaryDone(reasoning.place, reasoning.done.length, reasoning.part.text);
    reasoning.done.push(reasoning.part.text);
    reasoning.part = undefined;
  }

  #endReasoning(reasoning: OpenReasoning, encrypted: string | undefined): void {
    this.#endSummaryPart(reasoning);
    this.#done(reasoning.place, reasoningItem(reasoning, "completed", encrypted));
  }

  #openCall({ kind, id = "", callId = "", name, namespace, extensions }: CallStarted): void {
    // Codex shows that the model goes on to work only where its words are said to be no answer yet.
    if (this.#open?.type === "message") this.#open.isCommentary = true;
    this.#close("completed");
    const place = this.#place(id);
    const call: CallForClient = { kind, id, callId, name, namespace, arguments: "", extensions };
    this.#open = { type: "call", place, call };
    this.#out += this.#emitter.itemAdded(place, callItem(call, "in_progress"), call);
  }

  #endCall({ place, call }: OpenCallItem): void {
    this.#out += this.#emitter.argumentsDone(place, call, call.arguments);
    this.#done(place, callItem(call, "completed"));
  }

  #passItem(fields: JsonObject): void {
    this.#close("completed");
    const item = { ...fields, id: this.#ids.claim("item", typeof fields.id === "string" ? fields.id : undefined) };
    const place = this.#place(item.id);
    this.#out += this.#emitter.itemAdded(place, item);
    this.#done(place, item);
  }
}

function messageItem(message: OpenMessage, status: string): JsonObject {
  const { place, done, isCommentary } = message;
  const extra = givenBack(message.extensions, "responses");
  return {
    ...extra,
    type: "message",
    id: place.itemId,
    status,
    role: "assistant",
    content: [...done],
    ...(isCommentary && { phase: extra?.phase ?? "commentary" }),
  };
}

function contentPart({ type, text, annotations, logprobs }: OpenPart): JsonObject {
  if (type === "refusal") return { type, refusal: text };
  return { type, text, annotations: [...annotations], logprobs: [...logprobs] };
}

function reasoningItem(reasoning: OpenReasoning, status: string, encrypted?: string): JsonObject {
  return {
    type: "reasoning",
    id: reasoning.place.itemId,
    summary: reasoning.done.map((text) => ({ type: "summary_text", text })),
    // Absent rather than null where there is none: Open Responses takes only a string.
    encrypted_content: encrypted,
    status,
  };
}
