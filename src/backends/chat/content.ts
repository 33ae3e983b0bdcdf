import {
  type Emit,
  type Extensions,
  isObject,
  type JsonObject,
  type JsonValue,
  type Repair,
} from "../../turn/index.ts";
import type { GrowingCalls } from "./calls.ts";
import { imageItem } from "./images.ts";

/** Reads the content of a chat message from deltas, from a whole message, or from both, and emits events. */
export class MessageContent {
  readonly #emit: Emit;
  readonly #calls: GrowingCalls;
  #said = false;
  #thought = false;
  #refused = false;
  #annotated = false;
  #carried = false;

  constructor(emit: Emit, calls: GrowingCalls) {
    this.#emit = emit;
    this.#calls = calls;
  }

  /** Whether the message had any content. */
  get any(): boolean {
    return this.#said || this.#thought || this.#refused || this.#carried || this.#calls.any;
  }

  delta(delta: JsonObject, logprobs: JsonValue | undefined): void {
    this.#read(delta, logprobs);
    for (const entry of entriesOf(delta.tool_calls)) if (isObject(entry)) this.#calls.take(entry);
    if (isObject(delta.function_call)) this.#calls.takeLegacy(delta.function_call);
  }

  whole(message: JsonObject, logprobs: JsonValue | undefined, repair?: Repair): void {
    this.#read(message, logprobs);
    for (const entry of entriesOf(message.tool_calls)) if (isObject(entry)) this.#calls.takeWhole(entry, repair);
    if (isObject(message.function_call)) this.#calls.takeLegacy(message.function_call, repair);
  }

  /** The message at the end of a stream. It repeats what the deltas had and may add what they lacked. */
  rest(message: JsonObject, logprobs: JsonValue | undefined): void {
    const emitted = new Set<string>();
    if (this.#said) emitted.add("content");
    if (this.#thought) emitted.add("reasoning").add("reasoning_content");
    if (this.#refused) emitted.add("refusal");
    if (this.#annotated) emitted.add("annotations");
    if (this.#calls.any) emitted.add("tool_calls").add("function_call");
    if (this.#carried) for (const key of ["images", ...extraKeys]) emitted.add(key);
    const rest = Object.fromEntries(Object.entries(message).filter(([key]) => !emitted.has(key)));
    this.whole(rest, logprobs, "final_only");
  }

  #read(message: JsonObject, logprobs: JsonValue | undefined): void {
    const { content, refusal, annotations } = message;
    const reasoning = message.reasoning_content ?? message.reasoning;
    if (typeof reasoning === "string" && reasoning !== "") this.#reasoning(reasoning);
    if (typeof content === "string") this.#text(content, logprobs);
    else if (Array.isArray(content)) this.#parts(content);
    if (typeof refusal === "string" && refusal !== "") {
      this.#refused = true;
      this.#emit({ type: "refusal.delta", text: refusal });
    }
    if (Array.isArray(annotations)) {
      for (const annotation of annotations) if (isObject(annotation)) this.#annotation(annotation);
    }
    if (Array.isArray(message.images)) this.#images(message.images);
    for (const key of extraKeys) if (message[key]) this.#extra({ [key]: message[key] });
  }

  #text(text: string, logprobs: JsonValue | undefined): void {
    if (text === "") return;
    this.#said = true;
    this.#calls.settle();
    if (!isObject(logprobs) || !Array.isArray(logprobs.content)) this.#emit({ type: "text.delta", text });
    else this.#emit({ type: "text.delta", text, logprobs: logprobs.content.filter(isObject) });
  }

  #reasoning(text: string): void {
    this.#thought = true;
    this.#calls.settle();
    this.#emit({ type: "reasoning.delta", text, part: 0 });
  }

  /** Some providers send content as parts, with the reasoning among them. */
  #parts(parts: readonly JsonValue[]): void {
    for (const part of parts) {
      if (!isObject(part)) continue;
      if (typeof part.text === "string") this.#text(part.text, undefined);
      else if (part.type === "image_url") this.#images([part]);
      else if (Array.isArray(part.thinking)) {
        for (const thought of part.thinking) {
          if (isObject(thought) && typeof thought.text === "string") this.#reasoning(thought.text);
        }
      }
    }
  }

  /** Chat nests a citation under its type; backend events have it flat, as Responses does. */
  #annotation(annotation: JsonObject): void {
    this.#annotated = true;
    const { type } = annotation;
    const nested = typeof type === "string" ? annotation[type] : undefined;
    this.#emit({ type: "annotation.added", annotation: isObject(nested) ? { type, ...nested } : annotation });
  }

  /** An image with data is an item. The first item carries all images of the delta as a chat client gets them. */
  #images(images: JsonValue[]): void {
    if (images.length === 0) return;
    this.#carried = true;
    const items = images.map(imageItem).filter((item) => item !== undefined);
    if (items.length === 0) this.#extra({ images });
    items.forEach((item, index) => {
      const extensions: Extensions = { format: "chat", fields: index === 0 ? { images } : {} };
      this.#emit({ type: "item.done", format: "responses", item, extensions });
    });
  }

  #extra(fields: JsonObject): void {
    this.#carried = true;
    this.#emit({ type: "message.extra", extensions: { format: "chat", fields } });
  }
}

/** Message fields beside the content that only this API has. */
const extraKeys = ["audio", "reasoning_details"];

const none: readonly JsonValue[] = [];

/** Some providers send a single call without a list. */
function entriesOf(calls: JsonValue | undefined): readonly JsonValue[] {
  if (!calls) return none;
  return Array.isArray(calls) ? calls : [calls];
}
