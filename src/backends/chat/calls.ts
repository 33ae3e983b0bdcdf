import { argumentsState, ObjectEnd } from "../../tools/index.ts";
import {
  type CallKind,
  type Emit,
  type FinishReason,
  type Foreign,
  isObject,
  type JsonObject,
  type JsonValue,
  unread,
} from "../../turn/index.ts";

/** A call as it arrives: arguments wait until the name is known. */
interface GrowingCall {
  call: number;
  kind: CallKind;
  id: string | undefined;
  arguments: string;
  end: ObjectEnd;
  started: boolean;
}

/** No model means to make more calls than this at once; a provider that sends more is broken. */
const mostCalls = 1_024;

/**
 * The tool calls of one chat answer. Providers mark the beginning of a call but not its end: a call is done when its arguments
 * are whole and something else begins, or when the answer ends.
 */
export class GrowingCalls {
  readonly #emit: Emit;
  readonly #byKey = new Map<number | string, GrowingCall>();
  #open: GrowingCall[] = [];
  #last: GrowingCall | undefined;
  #count = 0;

  constructor(emit: Emit) {
    this.#emit = emit;
  }

  get tooMany(): boolean {
    return this.#count > mostCalls;
  }

  /** One entry of `tool_calls`; in a whole message its position tells calls apart. */
  take(entry: JsonObject, position?: number): void {
    const inside = isObject(entry.custom) ? entry.custom : isObject(entry.function) ? entry.function : {};
    const id = filled(entry.id);
    const name = filled(inside.name);
    const piece = textOf(inside.arguments ?? inside.input);
    if (id === undefined && name === undefined && piece === "") return;
    const call = this.#find(typeof entry.index === "number" ? entry.index : position, id, name);
    call.id ??= id;
    if (entry.type === "custom" || isObject(entry.custom)) call.kind = "custom";
    this.#grow(call, name, piece, unread(entry, readOfCall, "chat"));
  }

  /** The legacy `function_call`: a call without an id. */
  takeLegacy(entry: JsonObject): void {
    const name = filled(entry.name);
    this.#grow(this.#find(undefined, undefined, name), name, textOf(entry.arguments), undefined);
  }

  /** Something else begins: calls whose arguments are whole are done. */
  settle(): void {
    if (this.#open.length === 0) return;
    this.#open = this.#open.filter((call) => {
      if (!call.started || !isSurelyWhole(call)) return true;
      this.#emit({ type: "call.done", call: call.call });
      return false;
    });
  }

  /** The answer ends; false when a call stops in the middle. */
  end(reason: FinishReason): boolean {
    let whole = true;
    for (const call of this.#open) {
      if (call.started && isWhole(call, reason)) this.#emit({ type: "call.done", call: call.call });
      else whole = false;
    }
    this.#open = [];
    return whole;
  }

  /** By index, else by id, else the last call; a name may begin another call in the place of one that has its own. */
  #find(index: number | undefined, id: string | undefined, name: string | undefined): GrowingCall {
    const key = index ?? id;
    const known = key === undefined ? this.#last : this.#byKey.get(key);
    const another = name !== undefined && known?.started === true && this.#isAnother(known, id);
    return known && !another ? known : this.#begin(key ?? `call ${this.#count}`);
  }

  /** Some providers repeat a call's name in every delta, so a name alone does not tell. */
  #isAnother(known: GrowingCall, id: string | undefined): boolean {
    return (id !== undefined && known.id !== undefined && id !== known.id) || isSurelyWhole(known);
  }

  #begin(key: number | string): GrowingCall {
    this.settle();
    const call: GrowingCall = {
      call: this.#count++,
      kind: "function",
      id: undefined,
      arguments: "",
      end: new ObjectEnd(),
      started: false,
    };
    this.#byKey.set(key, call);
    this.#open.push(call);
    this.#last = call;
    return call;
  }

  #grow(call: GrowingCall, name: string | undefined, delta: string, more: Foreign | undefined): void {
    call.arguments += delta;
    call.end.feed(delta);
    if (!call.started) {
      if (name === undefined) return;
      call.started = true;
      this.#emit({ type: "call.started", call: call.call, kind: call.kind, name, callId: call.id, more });
      if (call.arguments !== "") this.#emit({ type: "call.arguments", call: call.call, delta: call.arguments });
    } else if (delta !== "") {
      this.#emit({ type: "call.arguments", call: call.call, delta });
    }
  }
}

const readOfCall = new Set(["index", "id", "type", "function", "custom"]);

function filled(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function textOf(piece: JsonValue | undefined): string {
  if (typeof piece === "string") return piece;
  return isObject(piece) ? JSON.stringify(piece) : "";
}

/** An object that is whole cannot go on. Free text always can, and so can arguments that have not begun. */
function isSurelyWhole({ kind, end }: GrowingCall): boolean {
  return kind === "function" && end.reached;
}

/** Where the model was cut off, only what is surely whole can be trusted; where it stopped by itself, only JSON can be cut. */
function isWhole(call: GrowingCall, reason: FinishReason): boolean {
  if (reason !== "stop") return isSurelyWhole(call);
  return call.kind === "custom" || argumentsState(call.arguments) !== "cut";
}
