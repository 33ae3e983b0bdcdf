import { type GrowingCall, isPlaceholder, isSurelyWhole } from "./growing-call.ts";
import type { ToolNames } from "./tool-names.ts";

/** Finds the call that an entry of a stream belongs to, even if the entry lacks an index, an id or a name. */
export class CallFinder {
  readonly #names: ToolNames;
  /** Most providers count indexes from 0. Other indexes are kept in the map. */
  readonly #byIndex: (GrowingCall | undefined)[] = [];
  #byOddIndex: Map<number, GrowingCall> | undefined;
  #byId: Map<string, GrowingCall> | undefined;
  #last: GrowingCall | undefined;

  constructor(names: ToolNames) {
    this.#names = names;
  }

  hasIndex(index: number | undefined): boolean {
    return index !== undefined && this.#callAt(index) !== undefined;
  }

  get last(): GrowingCall | undefined {
    return this.#last;
  }

  /** `undefined` if the entry begins a new call. */
  find(index: number | undefined, id: string | undefined, name: string | undefined): GrowingCall | undefined {
    const known = index === undefined ? this.#withoutIndex(id, name) : this.#withIndex(index, id, name);
    if (!known || (name !== undefined && this.#isAnother(known, id, name))) return undefined;
    this.#learn(known, index, id);
    return known;
  }

  add(call: GrowingCall): void {
    this.#last = call;
    if (call.index !== undefined) this.#setCallAt(call.index, call);
    if (call.id !== undefined) this.#identify(call.id, call);
  }

  #identify(id: string, call: GrowingCall): void {
    this.#byId ??= new Map();
    this.#byId.set(id, call);
  }

  #callAt(index: number): GrowingCall | undefined {
    return this.#byIndex[index] ?? this.#byOddIndex?.get(index);
  }

  #setCallAt(index: number, call: GrowingCall): void {
    if (Number.isInteger(index) && index >= 0 && index <= this.#byIndex.length) this.#byIndex[index] = call;
    else {
      this.#byOddIndex ??= new Map();
      this.#byOddIndex.set(index, call);
    }
  }

  #withIndex(index: number, id: string | undefined, name: string | undefined): GrowingCall | undefined {
    const atIndex = this.#callAt(index);
    const identified = id === undefined ? undefined : this.#byId?.get(id);
    // If several calls share an index, the id decides; if several share an id, the index decides.
    if (atIndex) return identified?.index === index ? identified : atIndex;
    if (identified) return identified.index === undefined ? identified : undefined;
    return id === undefined && name === undefined && this.#last?.index === undefined ? this.#last : undefined;
  }

  #withoutIndex(id: string | undefined, name: string | undefined): GrowingCall | undefined {
    if (id === undefined) return this.#last;
    const identified = this.#byId?.get(id);
    if (identified) return identified;
    // An id that arrives after the name belongs to the last call, if that has no id yet.
    return name === undefined && this.#last?.id === undefined ? this.#last : undefined;
  }

  #learn(call: GrowingCall, index: number | undefined, id: string | undefined): void {
    if (id !== undefined && call.id === undefined) {
      call.id = id;
      this.#identify(id, call);
    }
    if (index !== undefined && call.index === undefined) {
      call.index = index;
      this.#setCallAt(index, call);
    }
  }

  /** A name alone does not show a new call: some providers repeat it in every delta, others send it in pieces. */
  #isAnother(known: GrowingCall, id: string | undefined, name: string): boolean {
    if (known.name === "") return false;
    if (known.done) return true;
    const continues = !known.started && this.#names.isBeginning(this.#names.join(known.name, name));
    if (id !== undefined && known.id !== undefined) {
      if (id !== known.id) return !continues;
      return isSurelyWhole(known) && !isPlaceholder(known);
    }
    if (isSurelyWhole(known)) return true;
    if (!known.blank) return false;
    if (known.started) return name !== known.name;
    return !continues && !name.startsWith(known.name) && this.#names.has(name);
  }
}
