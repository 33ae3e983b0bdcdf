import { type Emit, isObject, type JsonObject, type JsonValue, unread } from "../../turn/index.ts";
import { isToolCall } from "../../wire/responses/items.ts";
import { ProviderCalls, type Source } from "./calls.ts";
import { annotationsOf, partsOf, textOf } from "./content.ts";
import { type GrowingItem, typeOf } from "./growing-item.ts";
import { ItemFinder, mostItems } from "./item-finder.ts";

/**
 * The output items of one Responses answer. What a provider omits from the deltas is read from the item's end, and what it omits
 * there from the end of the response.
 */
export class ProviderItems {
  readonly #emit: Emit;
  readonly #finder = new ItemFinder((growing, item) => this.#start(growing, item));
  readonly #calls: ProviderCalls;
  #listsTooMany = false;

  constructor(emit: Emit) {
    this.#emit = emit;
    this.#calls = new ProviderCalls(emit);
  }

  /** The reason to reject the answer, if there is one. */
  get trouble(): string | undefined {
    return this.#finder.tooMany || this.#listsTooMany ? "more items than a client can take" : undefined;
  }

  /** Reads one event about an item. Drops events that have no backend event. */
  take(event: JsonObject): void {
    switch (event.type) {
      case "response.output_item.added":
        if (isObject(event.item)) this.#added(event, event.item);
        return;
      case "response.output_item.done":
        if (isObject(event.item)) this.#done(event, event.item);
        return;
      case "response.output_text.delta":
        this.#text(this.#finder.of(event, "message"), event);
        return;
      case "response.refusal.delta":
        this.#refusal(this.#finder.of(event, "message"), event.delta);
        return;
      case "response.output_text.annotation.added":
        if (isObject(event.annotation)) this.#annotation(this.#finder.of(event, "message"), event.annotation);
        return;
      case "response.reasoning_summary_text.delta":
        this.#reasoning(this.#finder.of(event, "reasoning"), event.delta, 2 * indexOf(event.summary_index));
        return;
      case "response.reasoning_text.delta":
      case "response.reasoning.delta":
        this.#reasoning(this.#finder.of(event, "reasoning"), event.delta, 2 * indexOf(event.content_index) + 1);
        return;
      case "response.function_call_arguments.delta":
      case "response.custom_tool_call_input.delta":
        this.#calls.delta(this.#finder.of(event, "call"), event);
        return;
      case "response.function_call_arguments.done":
      case "response.custom_tool_call_input.done":
        this.#calls.argumentsDone(this.#finder.of(event, "call"), event);
    }
  }

  /** Reads the response's `output`: items that were not streamed, or not to their end. */
  complete(output: readonly JsonValue[], cut: boolean, source: Source): void {
    this.#listsTooMany = output.length > mostItems;
    if (this.#listsTooMany) return;
    const streamed = this.#finder.inOutput(output);
    output.forEach((item, index) => {
      if (!isObject(item) || this.trouble) return;
      const growing = streamed[index] ?? this.#finder.add(item, undefined);
      if (!streamed[index] && source === "output") this.#calls.note(growing, "final_only");
      this.#finish(growing, item, cut, source);
    });
  }

  /** The answer ends. Returns false if a call is incomplete. */
  end(completed: boolean): boolean {
    return this.#calls.end(this.#finder.items, completed);
  }

  #added(event: JsonObject, item: JsonObject): void {
    const growing = this.#finder.added(event, item);
    if (typeof event.output_index !== "number") this.#calls.note(growing, "missing_index");
    this.#start(growing, item);
  }

  #done(event: JsonObject, item: JsonObject): void {
    const growing = this.#finder.done(event, item);
    if (typeof event.output_index !== "number") this.#calls.note(growing, "missing_index");
    this.#finish(growing, item, false, "event");
  }

  /** Starts the item when its type is known; a call also needs its name. */
  #start(growing: GrowingItem, item: JsonObject): void {
    if (growing.started) return;
    const id = typeof item.id === "string" ? item.id : undefined;
    const { number } = growing;
    switch (growing.type) {
      case "message":
        this.#emit({ type: "message.started", item: number, id, extensions: unread(item, readOfMessage, "responses") });
        break;
      case "reasoning":
        this.#emit({ type: "reasoning.started", item: number, id });
        break;
      case "call":
        this.#calls.start(growing, item);
        return;
      case "opaque":
        return;
    }
    growing.started = true;
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

  #finish(growing: GrowingItem, item: JsonObject, cut: boolean, source: Source): void {
    if (growing.done) return;
    // An item that was added without a known type has one at its end.
    if (growing.type === "opaque") growing.type = typeOf(item);
    if (growing.type === "call" && !growing.started && item.type === "custom_tool_call") growing.kind = "custom";
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
        this.#calls.finish(growing, item, cut, source);
        return;
      case "opaque":
        this.#emit({ type: "item.done", format: "responses", item, isToolCall: isToolCall(item) });
    }
    growing.done = true;
  }

  /** Emits what the message has at its end and the deltas lacked. */
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

function indexOf(value: JsonValue | undefined): number {
  return typeof value === "number" ? value : 0;
}
