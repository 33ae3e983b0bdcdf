import { type GrowingCall, isPlaceholder, isSurelyWhole } from "./growing-call.ts";
import type { ToolNames } from "./tool-names.ts";

/** Knows which call an entry of a stream speaks of, however little or much it says. */
export class CallFinder {
  readonly #names: ToolNames;
  /** Most count from 0; what does not is looked for in the map. */
  readonly #byIndex: (GrowingCall | undefined)[] = [];
  #byOddIndex: Map<number, GrowingCall> | undefined;
  #byId: Map<string, GrowingCall> | undefined;
  #last: GrowingCall | undefined;

  constructor(names: ToolNames) {
    this.#names = names;
  }

  hasIndex(index: number | undefined): boolean {
    return index !== undefined && this.#placed(index) !== undefined;
  }

  get last(): GrowingCall | undefined {
    return this.#last;
  }

  /** Nothing where the entry begins another call. */
  find(index: number | undefined, id: string | undefined, name: string | undefined): GrowingCall | undefined {
    const known = index === undefined ? this.#byItsId(id, name) : this.#at(index, id, name);
    if (!known || (name !== undefined && this.#isAnother(known, id, name))) return undefined;
    this.#learn(known, index, id);
    return known;
  }

  add(call: GrowingCall): void {
    this.#last = call;
    if (call.index !== undefined) this.#place(call.index, call);
    if (call.id !== undefined) this.#identify(call.id, call);
  }

  #identify(id: string, call: GrowingCall): void {
    this.#byId ??= new Map();
    this.#byId.set(id, call);
  }

  #placed(index: number): GrowingCall | undefined {
    return this.#byIndex[index] ?? this.#byOddIndex?.get(index);
  }

  #place(index: number, call: GrowingCall): void {
    if (Number.isInteger(index) && index >= 0 && index <= this.#byIndex.length) this.#byIndex[index] = call;
    else {
      this.#byOddIndex ??= new Map();
      this.#byOddIndex.set(index, call);
    }
  }

  #at(index: number, id: string | undefined, name: string | undefined): GrowingCall | undefined {
    const placed = this.#placed(index);
    const identified = id === undefined ? undefined : this.#byId?.get(id);
    // Where several calls have one index, the id tells more; where several have one id, the index does.
    if (placed) return identified?.index === index ? identified : placed;
    if (identified) return identified.index === undefined ? identified : undefined;
    return id === undefined && name === undefined && this.#last?.index === undefined ? this.#last : undefined;
  }

  #byItsId(id: string | undefined, name: string | undefined): GrowingCall | undefined {
    if (id === undefined) return this.#last;
    const identified = this.#byId?.get(id);
    if (identified) return identified;
    // An id that comes after the name belongs to the call that has none yet.
    return name === undefined && this.#last?.id === undefined ? this.#last : undefined;
  }

  #learn(call: GrowingCall, index: number | undefined, id: string | undefined): void {
    if (id !== undefined && call.id === undefined) {
      call.id = id;
      this.#identify(id, call);
    }
    if (index !== undefined && call.index === undefined) {
      call.index = index;
      this.#place(index, call);
    }
  }

  /** A name alone does not tell: some providers repeat it in every delta, and others send it in pieces. */
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
