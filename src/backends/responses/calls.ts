import { argumentsState, readArguments } from "../../tools/index.ts";
import { type Emit, type JsonObject, type JsonValue, type Repair, unread } from "../../turn/index.ts";
import { noteRepair, tellRepairs } from "../repairs.ts";
import type { GrowingItem } from "./growing-item.ts";

/** Where an item's end was read: in a stream event, in the `output` of a streamed response, or in a whole answer. */
export type Source = "event" | "output" | "whole";

/** The calls among the output items of one Responses answer. */
export class ProviderCalls {
  readonly #emit: Emit;

  constructor(emit: Emit) {
    this.#emit = emit;
  }

  /** A call can start only when its name is known. */
  start(growing: GrowingItem, item: JsonObject): void {
    const { number, kind, name, callId, id } = growing;
    if (growing.started) return;
    if (name === undefined) {
      this.note(growing, "late_name");
      return;
    }
    growing.started = true;
    const namespace = typeof item.namespace === "string" ? item.namespace : undefined;
    const extensions = unread(item, readOfCall, "responses");
    this.#emit({ type: "call.started", call: number, kind, name, namespace, callId, id, extensions });
    tellRepairs(growing, this.#emit);
    if (growing.arguments !== "") this.#emit({ type: "call.arguments", call: number, delta: growing.arguments });
  }

  delta(growing: GrowingItem, { delta, output_index: index }: JsonObject): void {
    if (typeof index !== "number") this.note(growing, "missing_index");
    if (typeof delta === "string") this.#grow(growing, delta);
    // An object is complete, so a second one can only repeat it.
    else if (growing.arguments === "") this.#grow(growing, this.#textOf(growing, delta));
  }

  /** The event that ends the arguments. It has the name too. */
  argumentsDone(growing: GrowingItem, event: JsonObject): void {
    if (growing.type !== "call" || growing.done) return;
    if (typeof event.output_index !== "number") this.note(growing, "missing_index");
    if (typeof event.name === "string" && event.name !== "") growing.name ??= event.name;
    this.start(growing, {});
    this.#reconcile(growing, event.arguments ?? event.input, "event");
    growing.ended = "whole";
  }

  /** Ends a call. An incomplete one is left open. */
  finish(growing: GrowingItem, item: JsonObject, cut: boolean, source: Source): void {
    if (item.status === "incomplete" || (cut && item.status === undefined)) {
      growing.ended = "cut";
      return;
    }
    this.#reconcile(growing, growing.kind === "custom" ? item.input : item.arguments, source);
    if (!growing.started || item.status === "in_progress" || growing.cutEnds > mostCutEnds) return;
    if (isNotCut(growing)) this.#done(growing);
    else growing.cutEnds++;
  }

  /**
   * The answer ends. Returns false if a call is incomplete. In a completed response, a call that was never reported as done is done
   * if its arguments are complete.
   */
  end(items: readonly GrowingItem[], completed: boolean): boolean {
    let whole = true;
    for (const growing of items) {
      if (growing.type !== "call" || growing.done) continue;
      if (completed && growing.started && isWhole(growing)) this.#done(growing);
      else whole = false;
    }
    return whole;
  }

  note(growing: GrowingItem, repair: Repair): void {
    if (growing.type === "call") noteRepair(growing, repair, this.#emit);
  }

  #grow(growing: GrowingItem, delta: string): void {
    if (growing.type !== "call" || growing.done || delta === "") return;
    growing.arguments += delta;
    if (growing.started) this.#emit({ type: "call.arguments", call: growing.number, delta });
  }

  /** The final value repeats the deltas. Adds what they lacked. */
  #reconcile(growing: GrowingItem, given: JsonValue | undefined, source: Source): void {
    if (typeof given !== "string" && growing.arguments !== "") return;
    const text = typeof given === "string" ? given : this.#textOf(growing, given);
    if (text.length <= growing.arguments.length || !text.startsWith(growing.arguments)) return;
    if (source !== "whole" && !growing.repairs?.has("final_only")) this.note(growing, "arguments_at_end");
    this.#grow(growing, text.slice(growing.arguments.length));
  }

  #textOf(growing: GrowingItem, given: JsonValue | undefined): string {
    if (given === undefined || given === null) return "";
    this.note(growing, "arguments_object");
    const read = readArguments(given);
    return typeof read === "string" ? read : JSON.stringify(read);
  }

  #done(growing: GrowingItem): void {
    growing.done = true;
    this.#emit({ type: "call.done", call: growing.number });
  }
}

const readOfCall = new Set(["type", "id", "call_id", "name", "namespace", "arguments", "input", "status"]);

/** After so many ends that were none, the call waits for the end of the answer: each time all of its arguments are parsed. */
const mostCutEnds = 8;

function isNotCut({ kind, arguments: text }: GrowingItem): boolean {
  return kind === "custom" || argumentsState(text) !== "cut";
}

function isWhole(growing: GrowingItem): boolean {
  if (growing.ended === "whole") return isNotCut(growing);
  const { kind, arguments: text } = growing;
  return growing.ended === undefined && kind === "function" && text.trim() !== "" && argumentsState(text) === "whole";
}
