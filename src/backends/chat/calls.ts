import { argumentsState, ObjectEnd } from "../../tools/index.ts";
import { type CallKind, type Emit, isObject, type JsonObject, type JsonValue } from "../../turn/index.ts";

/** A call as it arrives: arguments wait until the name is known. */
interface GrowingCall {
  call: number;
  kind: CallKind;
  id: string | undefined;
  name: string | undefined;
  arguments: string;
  started: boolean;
  /** Where the arguments end, as far as they were looked at. */
  end: ObjectEnd;
}

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

  /** One entry of `tool_calls`; in a whole message its position tells calls apart. */
  take(entry: JsonObject, position?: number): void {
    const call = this.#find(entry, typeof entry.index === "number" ? entry.index : position);
    const inside = isObject(entry.custom) ? entry.custom : isObject(entry.function) ? entry.function : {};
    if (typeof entry.id === "string" && entry.id !== "") call.id ??= entry.id;
    if (entry.type === "custom" || isObject(entry.custom)) call.kind = "custom";
    this.#grow(call, inside.name, inside.arguments ?? inside.input);
  }

  /** The legacy `function_call`: one call without an id. */
  takeLegacy(entry: JsonObject): void {
    this.#grow(this.#byKey.get("legacy") ?? this.#begin("legacy"), entry.name, entry.arguments);
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
  end(): boolean {
    let whole = true;
    for (const call of this.#open) {
      if (call.started && !isCut(call)) this.#emit({ type: "call.done", call: call.call });
      else whole = false;
    }
    this.#open = [];
    return whole;
  }

  /**
   * By index, unless another id begins another call under the same one; providers that leave the index out mean the last call,
   * unless they name one.
   */
  #find(entry: JsonObject, index: number | undefined): GrowingCall {
    const id = typeof entry.id === "string" && entry.id !== "" ? entry.id : undefined;
    if (index !== undefined) {
      const known = this.#byKey.get(index);
      const another = known?.id !== undefined && id !== undefined && known.id !== id;
      return known && !another ? known : this.#begin(index);
    }
    if (id === undefined) return this.#last ?? this.#begin(`call ${this.#count}`);
    return this.#byKey.get(id) ?? this.#begin(id);
  }

  #begin(key: number | string): GrowingCall {
    this.settle();
    const call: GrowingCall = {
      call: this.#count++,
      kind: "function",
      id: undefined,
      name: undefined,
      arguments: "",
      started: false,
      end: new ObjectEnd(),
    };
    this.#byKey.set(key, call);
    this.#open.push(call);
    this.#last = call;
    return call;
  }

  #grow(call: GrowingCall, name: JsonValue | undefined, piece: JsonValue | undefined): void {
    const delta = typeof piece === "string" ? piece : isObject(piece) ? JSON.stringify(piece) : "";
    call.arguments += delta;
    if (!call.started) {
      if (typeof name !== "string" || name === "") return;
      call.name = name;
      call.started = true;
      this.#emit({ type: "call.started", call: call.call, kind: call.kind, name, callId: call.id });
      if (call.arguments !== "") this.#emit({ type: "call.arguments", call: call.call, delta: call.arguments });
    } else if (delta !== "") {
      this.#emit({ type: "call.arguments", call: call.call, delta });
    }
  }
}

/** An object that is whole cannot go on. Free text always can, and so can arguments that have not begun. */
function isSurelyWhole({ kind, arguments: text, end }: GrowingCall): boolean {
  return kind === "function" && end.reached(text);
}

function isCut({ kind, arguments: text }: GrowingCall): boolean {
  return kind === "function" && argumentsState(text) === "cut";
}
