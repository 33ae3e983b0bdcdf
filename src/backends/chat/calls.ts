import { readArguments } from "../../tools/index.ts";
import {
  type Emit,
  type FinishReason,
  isObject,
  type JsonObject,
  type JsonValue,
  type Repair,
  unread,
} from "../../turn/index.ts";
import { noteRepair, tellRepairs } from "../repairs.ts";
import { CallFinder } from "./call-finder.ts";
import { type GrowingCall, isPlaceholder, isSurelyWhole, isWhole, newCall, release } from "./growing-call.ts";
import type { ToolNames } from "./tool-names.ts";

/** No model intends to make more calls than this at once; a provider that sends more is broken. */
const mostCalls = 1_024;

/**
 * The tool calls of one chat answer. Providers mark the start of a call but not its end: a call is done when its arguments are
 * complete and something else begins, or when the answer ends. A call starts when its name is certainly complete. A name that
 * matches no tool may continue, so it is buffered until arguments arrive or something else begins.
 */
export class GrowingCalls {
  readonly #emit: Emit;
  readonly #names: ToolNames;
  #finder: CallFinder | undefined;
  readonly #calls: GrowingCall[] = [];
  /** Calls whose name may be incomplete, in the order in which their names began. */
  #held: Set<GrowingCall> | undefined;
  readonly #touched: GrowingCall[] = [];
  #legacy = false;
  /** How many calls were emitted complete. */
  given = 0;
  /** The reason to reject the answer, if there is one. */
  trouble: string | undefined;

  constructor(emit: Emit, names: ToolNames) {
    this.#emit = emit;
    this.#names = names;
  }

  get any(): boolean {
    return this.#calls.length > 0;
  }

  /** One entry of a delta's `tool_calls`. */
  take(entry: JsonObject): void {
    if (this.trouble) return;
    const inside = insideOf(entry);
    const id = idOf(entry.id);
    const name = filled(inside.name);
    const given = inside.arguments ?? inside.input;
    if (id === undefined && name === undefined && isNothing(given)) return;
    const index = indexOf(entry.index);
    const call = this.#finder?.find(index, id, name) ?? this.#begin(index, id);
    if (typeof entry.index !== "number") this.#note(call, "missing_index");
    this.#grow(call, entry, name, given);
  }

  /** One entry of a message's `tool_calls`. Each is a separate call, even if ids repeat. */
  takeWhole(entry: JsonObject, repair?: Repair): void {
    if (this.trouble) return;
    const inside = insideOf(entry);
    const name = filled(inside.name);
    const given = inside.arguments ?? inside.input;
    if (name === undefined && isNothing(given)) return;
    const call = this.#begin(undefined, idOf(entry.id));
    if (repair) this.#note(call, repair);
    this.#grow(call, entry, name, given);
    this.settle();
  }

  /** The legacy `function_call`: a call without an id. Some providers send it in addition to the same call in `tool_calls`. */
  takeLegacy(entry: JsonObject, repair?: Repair): void {
    const name = filled(entry.name);
    if (name === undefined && isNothing(entry.arguments)) return;
    const last = this.#finder?.last;
    if (last && !this.#legacy) {
      this.#note(last, "duplicate");
      return;
    }
    this.#legacy = true;
    const call = this.#finder?.find(undefined, undefined, name) ?? this.#begin(undefined, undefined);
    if (repair) this.#note(call, repair);
    this.#grow(call, {}, name, entry.arguments);
  }

  /** Something else begins: buffered names are complete, and calls with complete arguments are done. */
  settle(): void {
    if (this.#touched.length === 0 && !this.#held?.size) return;
    this.#startHeld();
    this.#finishWhole();
  }

  /** The answer ends. Returns false if a call is incomplete. */
  end(reason: FinishReason): boolean {
    let whole = true;
    this.#startHeld();
    for (const call of this.#calls) {
      if (call.done) continue;
      if (call.started && isWhole(call, reason)) this.#finish(call);
      else whole = false;
    }
    return whole;
  }

  #begin(index: number | undefined, id: string | undefined): GrowingCall {
    this.#finishWhole();
    if (this.#calls.length === mostCalls) this.trouble = "more calls than a client can take";
    const call = newCall(this.#calls.length, index, id);
    this.#finder ??= new CallFinder(this.#names);
    if (this.#finder.hasIndex(index)) this.#note(call, "shared_index");
    this.#calls.push(call);
    this.#finder.add(call);
    return call;
  }

  #grow(call: GrowingCall, entry: JsonObject, name: string | undefined, given: JsonValue | undefined): void {
    // A delta that arrives after its call is done is too late.
    if (call.done || this.trouble) return;
    if (!call.touched) {
      call.touched = true;
      this.#touched.push(call);
    }
    if (!call.started) {
      if (entry.type === "custom" || isObject(entry.custom)) call.kind = "custom";
      call.extensions ??= unread(entry, readOfCall, "chat");
    }
    if (name !== undefined) this.#name(call, name);
    if (isNothing(given)) return;
    if (!call.started && call.name !== "") this.#start(call);
    if (typeof given === "string") this.#text(call, given);
    else this.#value(call, given);
  }

  #name(call: GrowingCall, piece: string): void {
    if (call.name === "") {
      call.name = this.#names.shared(piece);
      this.#held ??= new Set();
      this.#held.add(call);
      if (!call.blank || call.object) this.#note(call, "late_name");
    } else if (call.started) {
      if (piece === call.name) this.#note(call, "repeated_name");
      return;
    } else {
      const name = this.#names.join(call.name, piece);
      this.#note(call, name === piece ? "repeated_name" : "split_name");
      call.name = name;
    }
    if (this.#names.isWhole(call.name)) this.#start(call);
  }

  #text(call: GrowingCall, piece: string): void {
    if (call.object) {
      // Arguments that came as an object are complete, and text appended to them would not be JSON. The exception is an empty
      // placeholder object, which the text replaces.
      if (!isPlaceholder(call) || !piece.trimStart().startsWith("{")) return;
      if (piece === emptyObject) return;
      call.object = undefined;
      this.#note(call, "arguments_object");
    } else if (call.kind === "function") {
      if (piece === emptyObject && call.arguments === "") {
        call.object = {};
        return;
      }
      if (piece.length === call.arguments.length && call.end.reached && piece === call.arguments) return;
    }
    call.arguments += piece;
    call.end.feed(piece);
    if (call.blank && piece.trim() !== "") call.blank = false;
    if (call.started) this.#emit({ type: "call.arguments", call: call.number, delta: piece });
  }

  #value(call: GrowingCall, given: JsonValue | undefined): void {
    this.#note(call, "arguments_object");
    const read = readArguments(given);
    if (typeof read === "string") this.#text(call, read);
    else if (read && call.blank) {
      call.object = call.object ? Object.assign(call.object, read) : read;
      call.hasKeys ||= Object.keys(read).length > 0;
    }
  }

  #startHeld(): void {
    for (const call of this.#held ?? []) this.#start(call);
  }

  /** Calls start in the order in which their names began. */
  #start(call: GrowingCall): void {
    for (const held of this.#held ?? []) {
      this.#held?.delete(held);
      const { number, kind, name, id: callId, extensions } = held;
      held.started = true;
      this.#emit({ type: "call.started", call: number, kind, name, callId, extensions });
      tellRepairs(held, this.#emit);
      if (held.arguments !== "") this.#emit({ type: "call.arguments", call: number, delta: held.arguments });
      if (held === call) return;
    }
  }

  #finishWhole(): void {
    for (const call of this.#touched) {
      call.touched = false;
      if (call.started && !call.done && isSurelyWhole(call)) this.#finish(call);
    }
    this.#touched.length = 0;
  }

  #finish(call: GrowingCall): void {
    if (call.object) {
      this.#emit({ type: "call.arguments", call: call.number, delta: JSON.stringify(call.object) });
    }
    release(call);
    this.given++;
    this.#emit({ type: "call.done", call: call.number });
  }

  #note(call: GrowingCall, repair: Repair): void {
    noteRepair(call, repair, this.#emit);
  }
}

const emptyObject = "{}";
const readOfCall = new Set(["index", "id", "type", "function", "custom", "name", "arguments", "input"]);

/** The object with the name and the arguments. Some providers omit the `function` wrapper. */
function insideOf(entry: JsonObject): JsonObject {
  if (isObject(entry.custom)) return entry.custom;
  return isObject(entry.function) ? entry.function : entry;
}

function isNothing(given: JsonValue | undefined): boolean {
  return given === undefined || given === null || given === "";
}

function filled(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function idOf(value: JsonValue | undefined): string | undefined {
  return typeof value === "number" ? String(value) : filled(value);
}

/** Some providers send the index as a string. */
function indexOf(value: JsonValue | undefined): number | undefined {
  if (typeof value === "number") return value;
  const read = typeof value === "string" && value.trim() !== "" ? Number(value) : Number.NaN;
  return Number.isNaN(read) ? undefined : read;
}
