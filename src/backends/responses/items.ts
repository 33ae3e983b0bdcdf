import { argumentsState } from "../../tools/index.ts";
import { type Emit, isObject, type JsonObject, type JsonValue, unread } from "../../turn/index.ts";
import { annotationsOf, partsOf, textOf } from "./content.ts";
import { type GrowingItem, ItemFinder, typeOf } from "./item-finder.ts";

/**
 * The output items of one Responses answer. What a provider leaves out of its deltas is taken from the item's own end, and
 * what it leaves out of that from the response's.
 */
export class ProviderItems {
  readonly #emit: Emit;
  readonly #finder = new ItemFinder((growing, item) => this.#start(growing, item));

  constructor(emit: Emit) {
    this.#emit = emit;
  }

  get tooMany(): boolean {
    return this.#finder.tooMany;
  }

  /** One event about an item; events that the common language has no word for are left out. */
  take(event: JsonObject): void {
    switch (event.type) {
      case "response.output_item.added":
        if (isObject(event.item)) this.#finder.find(event, event.item);
        return;
      case "response.output_item.done":
        if (isObject(event.item)) this.#finish(this.#finder.find(event, event.item), event.item, false);
        return;
      case "response.output_text.delta":
        this.#text(this.#finder.of(event), event);
        return;
      case "response.refusal.delta":
        this.#refusal(this.#finder.of(event), event.delta);
        return;
      case "response.output_text.annotation.added":
        if (isObject(event.annotation)) this.#annotation(this.#finder.of(event), event.annotation);
        return;
      case "response.reasoning_summary_text.delta":
        this.#reasoning(this.#finder.of(event), event.delta, 2 * indexOf(event.summary_index));
        return;
      case "response.reasoning_text.delta":
      case "response.reasoning.delta":
        this.#reasoning(this.#finder.of(event), event.delta, 2 * indexOf(event.content_index) + 1);
        return;
      case "response.function_call_arguments.delta":
      case "response.custom_tool_call_input.delta":
        if (typeof event.delta === "string") this.#grow(this.#finder.of(event), event.delta);
        return;
      case "response.function_call_arguments.done":
        this.#reconcile(this.#finder.of(event), event.arguments);
        return;
      case "response.custom_tool_call_input.done":
        this.#reconcile(this.#finder.of(event), event.input);
    }
  }

  /** The response's own output: items that were not streamed, or not to their end. */
  complete(output: readonly JsonValue[], cut: boolean): void {
    output.forEach((item, index) => {
      if (isObject(item)) this.#finish(this.#finder.findInOutput(item, index), item, cut);
    });
  }

  /** The answer ends; false when a call stops in the middle. */
  end(): boolean {
    return this.#finder.items.every((item) => item.type !== "call" || item.done);
  }

  /** Begins the item as soon as it is known what it is; a call, when its name is known too. */
  #start(growing: GrowingItem, item: JsonObject): void {
    if (growing.started) return;
    const id = typeof item.id === "string" ? item.id : undefined;
    const { number } = growing;
    switch (growing.type) {
      case "message":
        this.#emit({ type: "message.started", item: number, id, more: unread(item, readOfMessage, "responses") });
        break;
      case "reasoning":
        this.#emit({ type: "reasoning.started", item: number, id });
        break;
      case "call":
        if (typeof item.name !== "string" || item.name === "") return;
        this.#startCall(growing, item.name, id, item);
        break;
      case "opaque":
        return;
    }
    growing.started = true;
  }

  #startCall(growing: GrowingItem, name: string, id: string | undefined, item: JsonObject): void {
    const callId = typeof item.call_id === "string" ? item.call_id : undefined;
    const more = unread(item, readOfCall, "responses");
    this.#emit({ type: "call.started", call: growing.number, kind: growing.kind, name, callId, id, more });
    if (growing.arguments !== "") {
      this.#emit({ type: "call.arguments", call: growing.number, delta: growing.arguments });
    }
  }

  #text(growing: GrowingItem, { delta, logprobs }: JsonObject): void {
    if (typeof delta !== "string" || delta === "" || growing.done) return;
    growing.characters += delta.length;
    const item = growing.number;
    if (Array.isArray(logprobs) && logprobs.length > 0) {
      this.#emit({ type: "text.delta", item, text: delta, logprobs: logprobs.filter(isObject) });
    } else this.#emit({ type: "text.delta", item, text: delta });
  }

  #refusal(growing: GrowingItem, delta: JsonValue | undefined): void {
    if (typeof delta !== "string" || delta === "" || growing.done) return;
    growing.characters += delta.length;
    this.#emit({ type: "refusal.delta", item: growing.number, text: delta });
  }

  #annotation(growing: GrowingItem, annotation: JsonObject): void {
    growing.annotations++;
    this.#emit({ type: "annotation.added", item: growing.number, annotation });
  }

  #reasoning(growing: GrowingItem, delta: JsonValue | undefined, part: number): void {
    if (typeof delta !== "string" || delta === "" || growing.done) return;
    growing.characters += delta.length;
    this.#emit({ type: "reasoning.delta", item: growing.number, text: delta, part });
  }

  #grow(growing: GrowingItem, delta: string): void {
    if (growing.type !== "call" || growing.done || delta === "") return;
    growing.arguments += delta;
    if (growing.started) this.#emit({ type: "call.arguments", call: growing.number, delta });
  }

  /** The end of a value repeats it whole: what was missing before is added now. */
  #reconcile(growing: GrowingItem, whole: JsonValue | undefined): void {
    const text = isObject(whole) ? JSON.stringify(whole) : whole;
    if (typeof text !== "string" || text.length <= growing.arguments.length) return;
    if (text.startsWith(growing.arguments)) this.#grow(growing, text.slice(growing.arguments.length));
  }

  #finish(growing: GrowingItem, item: JsonObject, cut: boolean): void {
    if (growing.done) return;
    // An item that was added without saying what it is says so at its end.
    if (growing.type === "opaque") growing.type = typeOf(item);
    this.#start(growing, item);
    switch (growing.type) {
      case "message":
        this.#rest(growing, item);
        this.#emit({ type: "message.done", item: growing.number });
        break;
      case "reasoning":
        if (growing.characters === 0) this.#wholeReasoning(growing, item);
        this.#emit({
          type: "reasoning.done",
          item: growing.number,
          encrypted: typeof item.encrypted_content === "string" ? item.encrypted_content : undefined,
        });
        break;
      case "call":
        if (!this.#finishCall(growing, item, cut)) return;
        break;
      case "opaque":
        this.#emit({ type: "item.done", api: "responses", item });
    }
    growing.done = true;
  }

  /** False when the call is not whole: it is then left unfinished. */
  #finishCall(growing: GrowingItem, item: JsonObject, cut: boolean): boolean {
    growing.kind = item.type === "custom_tool_call" ? "custom" : growing.kind;
    this.#reconcile(growing, growing.kind === "custom" ? item.input : item.arguments);
    const incomplete =
      item.status === "incomplete" || item.status === "in_progress" || (cut && item.status === undefined);
    if (!growing.started || incomplete) return false;
    if (growing.kind === "function" && argumentsState(growing.arguments) === "cut") return false;
    this.#emit({ type: "call.done", call: growing.number });
    return true;
  }

  /** What a message has at its end and did not have in its deltas. */
  #rest(growing: GrowingItem, item: JsonObject): void {
    let seen = growing.characters;
    for (const part of partsOf(item)) {
      const { text, kind } = textOf(part);
      const rest = text.slice(seen);
      seen = Math.max(0, seen - text.length);
      if (rest === "") continue;
      if (kind === "refusal") this.#refusal(growing, rest);
      else this.#text(growing, { delta: rest, logprobs: rest === text ? part.logprobs : undefined });
    }
    for (const annotation of annotationsOf(item).slice(growing.annotations)) this.#annotation(growing, annotation);
  }

  #wholeReasoning(growing: GrowingItem, item: JsonObject): void {
    const parts = [item.summary, item.content].flatMap((list) => (Array.isArray(list) ? list.filter(isObject) : []));
    for (const [index, part] of parts.entries()) this.#reasoning(growing, part.text, index);
  }
}

const readOfMessage = new Set(["type", "id", "role", "content", "status"]);
const readOfCall = new Set(["type", "id", "call_id", "name", "arguments", "input", "status"]);

function indexOf(value: JsonValue | undefined): number {
  return typeof value === "number" ? value : 0;
}
