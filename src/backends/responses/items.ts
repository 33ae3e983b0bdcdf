import { argumentsState } from "../../tools/index.ts";
import { type CallKind, type Emit, isObject, type JsonObject, type JsonValue, without } from "../../turn/index.ts";

interface GrowingItem {
  type: "message" | "reasoning" | "call" | "other";
  kind: CallKind;
  /** A call's number; arguments so far. */
  call: number;
  name: string | undefined;
  arguments: string;
  started: boolean;
  /** Whether anything of the item's content came by deltas. */
  streamed: boolean;
  done: boolean;
}

/**
 * The output items of one Responses answer. What a provider leaves out of its deltas is taken from the item's own end, and
 * what it leaves out of that from the response's.
 */
export class ProviderItems {
  readonly #emit: Emit;
  readonly #byIndex = new Map<number, GrowingItem>();
  readonly #byId = new Map<string, GrowingItem>();
  #calls = 0;

  constructor(emit: Emit) {
    this.#emit = emit;
  }

  /** One event about an item; events that the common language has no word for are left out. */
  take(event: JsonObject): void {
    switch (event.type) {
      case "response.output_item.added":
        if (isObject(event.item)) this.#add(event.item, event.output_index);
        return;
      case "response.output_item.done":
        if (isObject(event.item)) this.#finish(this.#find(event, event.item), event.item);
        return;
      case "response.output_text.delta":
        this.#text(this.#find(event), event);
        return;
      case "response.refusal.delta":
        if (typeof event.delta === "string") this.#content(event, { type: "refusal.delta", text: event.delta });
        return;
      case "response.output_text.annotation.added":
        if (isObject(event.annotation))
          this.#content(event, { type: "annotation.added", annotation: event.annotation });
        return;
      case "response.reasoning_summary_text.delta":
        this.#reasoning(event, 2 * indexOf(event.summary_index));
        return;
      case "response.reasoning_text.delta":
      case "response.reasoning.delta":
        this.#reasoning(event, 2 * indexOf(event.content_index) + 1);
        return;
      case "response.function_call_arguments.delta":
      case "response.custom_tool_call_input.delta":
        if (typeof event.delta === "string") this.#grow(this.#find(event), event.delta);
        return;
      case "response.function_call_arguments.done":
        this.#name(this.#find(event), event.name);
        this.#reconcile(this.#find(event), event.arguments);
        return;
      case "response.custom_tool_call_input.done":
        this.#reconcile(this.#find(event), event.input);
    }
  }

  /** The response's own output: items that were not streamed, or not to their end. */
  complete(output: readonly JsonValue[]): void {
    output.forEach((item, index) => {
      if (!isObject(item)) return;
      const known = this.#byIndex.get(index) ?? (typeof item.id === "string" ? this.#byId.get(item.id) : undefined);
      const growing = known ?? this.#add(item, index);
      if (!growing.done) this.#finish(growing, item);
    });
  }

  /** The answer ends; false when a call stops in the middle. */
  end(): boolean {
    return [...this.#byIndex.values()].every((item) => item.type !== "call" || item.done);
  }

  #add(item: JsonObject, index: JsonValue | undefined): GrowingItem {
    const type = itemTypes[String(item.type)] ?? "other";
    const growing: GrowingItem = {
      type,
      kind: item.type === "custom_tool_call" ? "custom" : "function",
      call: type === "call" ? this.#calls++ : -1,
      name: undefined,
      arguments: "",
      started: false,
      streamed: false,
      done: false,
    };
    this.#byIndex.set(typeof index === "number" ? index : this.#byIndex.size, growing);
    const id = typeof item.id === "string" ? item.id : undefined;
    if (id !== undefined) this.#byId.set(id, growing);
    if (type === "message") this.#emit({ type: "message.started", id, more: besides(item, readOfMessage) });
    else if (type === "reasoning") this.#emit({ type: "reasoning.started", id });
    else if (type === "call") this.#start(growing, item);
    return growing;
  }

  #find(event: JsonObject, item?: JsonObject): GrowingItem {
    const byIndex = typeof event.output_index === "number" ? this.#byIndex.get(event.output_index) : undefined;
    if (byIndex) return byIndex;
    const id = event.item_id ?? item?.id;
    const byId = typeof id === "string" ? this.#byId.get(id) : undefined;
    return byId ?? this.#add(item ?? implied(event), event.output_index);
  }

  #text(item: GrowingItem, { delta, logprobs }: JsonObject): void {
    if (typeof delta !== "string" || delta === "") return;
    item.streamed = true;
    if (Array.isArray(logprobs) && logprobs.length > 0) {
      this.#emit({ type: "text.delta", text: delta, logprobs: logprobs.filter(isObject) });
    } else this.#emit({ type: "text.delta", text: delta });
  }

  #content(event: JsonObject, content: Parameters<Emit>[0]): void {
    this.#find(event).streamed = true;
    this.#emit(content);
  }

  #reasoning(event: JsonObject, part: number): void {
    if (typeof event.delta !== "string" || event.delta === "") return;
    this.#content(event, { type: "reasoning.delta", text: event.delta, part });
  }

  #start(growing: GrowingItem, item: JsonObject): void {
    if (growing.started || typeof item.name !== "string" || item.name === "") return;
    growing.started = true;
    this.#emit({
      type: "call.started",
      call: growing.call,
      kind: growing.kind,
      name: item.name,
      callId: typeof item.call_id === "string" ? item.call_id : undefined,
      id: typeof item.id === "string" ? item.id : undefined,
      more: besides(item, readOfCall),
    });
    if (growing.arguments !== "") {
      this.#emit({ type: "call.arguments", call: growing.call, delta: growing.arguments });
    }
  }

  #name(growing: GrowingItem, name: JsonValue | undefined): void {
    if (growing.type === "call" && typeof name === "string") this.#start(growing, { name });
  }

  #grow(growing: GrowingItem, delta: string): void {
    if (growing.type !== "call" || growing.done || delta === "") return;
    growing.arguments += delta;
    if (growing.started) this.#emit({ type: "call.arguments", call: growing.call, delta });
  }

  /** The end of a value repeats it whole: what was missing before is added now. */
  #reconcile(growing: GrowingItem, whole: JsonValue | undefined): void {
    const text = isObject(whole) ? JSON.stringify(whole) : whole;
    if (typeof text !== "string" || !text.startsWith(growing.arguments)) return;
    this.#grow(growing, text.slice(growing.arguments.length));
  }

  #finish(growing: GrowingItem, item: JsonObject): void {
    if (growing.done) return;
    switch (growing.type) {
      case "message":
        if (!growing.streamed) this.#wholeMessage(item);
        break;
      case "reasoning":
        if (!growing.streamed) this.#wholeReasoning(item);
        this.#emit({
          type: "reasoning.done",
          encrypted: typeof item.encrypted_content === "string" ? item.encrypted_content : undefined,
        });
        break;
      case "call":
        this.#start(growing, item);
        this.#reconcile(growing, growing.kind === "custom" ? item.input : item.arguments);
        if (!growing.started) return;
        if (growing.kind === "function" && argumentsState(growing.arguments) === "cut") return;
        this.#emit({ type: "call.done", call: growing.call });
        break;
      case "other":
        this.#emit({ type: "item.done", api: "responses", item });
    }
    growing.done = true;
  }

  #wholeMessage(item: JsonObject): void {
    for (const part of Array.isArray(item.content) ? item.content : []) {
      if (!isObject(part)) continue;
      if (typeof part.text === "string" && part.text !== "") {
        this.#emit({
          type: "text.delta",
          text: part.text,
          logprobs:
            Array.isArray(part.logprobs) && part.logprobs.length > 0 ? part.logprobs.filter(isObject) : undefined,
        });
      }
      if (typeof part.refusal === "string") this.#emit({ type: "refusal.delta", text: part.refusal });
      for (const annotation of Array.isArray(part.annotations) ? part.annotations : []) {
        if (isObject(annotation)) this.#emit({ type: "annotation.added", annotation });
      }
    }
  }

  #wholeReasoning(item: JsonObject): void {
    const parts = [item.summary, item.content].flatMap((list) => (Array.isArray(list) ? list : []));
    parts.forEach((part, index) => {
      if (!isObject(part) || typeof part.text !== "string" || part.text === "") return;
      this.#emit({ type: "reasoning.delta", text: part.text, part: index });
    });
  }
}

const itemTypes: Record<string, GrowingItem["type"]> = {
  message: "message",
  reasoning: "reasoning",
  function_call: "call",
  custom_tool_call: "call",
};

const readOfMessage = new Set(["type", "id", "role", "content", "status"]);
const readOfCall = new Set(["type", "id", "call_id", "name", "arguments", "input", "status"]);

function besides(item: JsonObject, read: ReadonlySet<string>): JsonObject | undefined {
  const rest = without(item, read);
  for (const key of Object.keys(rest)) if (rest[key] === null) delete rest[key];
  return Object.keys(rest).length > 0 ? rest : undefined;
}

/** A delta of an item that was never added tells by its own type what it belongs to. */
function implied(event: JsonObject): JsonObject {
  const type = String(event.type);
  const id = event.item_id;
  if (type.includes("function_call")) return { type: "function_call", id };
  if (type.includes("custom_tool_call")) return { type: "custom_tool_call", id };
  if (type.includes("reasoning")) return { type: "reasoning", id };
  return { type: "message", id };
}

function indexOf(value: JsonValue | undefined): number {
  return typeof value === "number" ? value : 0;
}
