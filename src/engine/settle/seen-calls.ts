import { canonicalArguments } from "../../tools/index.ts";
import type { BackendCallStarted } from "../../turn/index.ts";

interface SeenCall {
  name: string;
  text: string;
  /** Of all calls that came under its id, where there was another. */
  known: Set<string> | undefined;
}

/** The whole calls of a round, so that none is given twice. */
export class SeenCalls {
  /** By the ids that the backend gave them. */
  readonly #byId = new Map<string, SeenCall>();
  /** Those that came as calls, and those that were written as text: a backend may read a call and pass its text on all the same. */
  readonly #native: SeenCall[] = [];
  readonly #written: SeenCall[] = [];

  /** Whether it may be one that came before, so that it must wait until it is whole. */
  mayHave({ callId, dialect }: BackendCallStarted): boolean {
    const others = dialect === undefined ? this.#written : this.#native;
    return others.length > 0 || (callId !== undefined && this.#byId.has(callId));
  }

  /** Whether it is new. */
  add({ callId, name, offeredAs, dialect }: BackendCallStarted, text: string): boolean {
    const call: SeenCall = { name: offeredAs ?? name, text, known: undefined };
    const [same, others] = dialect === undefined ? [this.#native, this.#written] : [this.#written, this.#native];
    const twin = others.findIndex((other) => meansTheSame(other, call));
    // One call has one twin: the next that is like it is another call.
    if (twin !== -1) others.splice(twin, 1);
    else same.push(call);
    return twin === -1 && this.#isNewId(callId, call);
  }

  #isNewId(callId: string | undefined, call: SeenCall): boolean {
    if (callId === undefined) return true;
    const first = this.#byId.get(callId);
    if (!first) {
      this.#byId.set(callId, call);
      return true;
    }
    first.known ??= new Set([`${first.name}\n${canonicalArguments(first.text)}`]);
    const canonical = `${call.name}\n${canonicalArguments(call.text)}`;
    const isNew = !first.known.has(canonical);
    first.known.add(canonical);
    return isNew;
  }
}

function meansTheSame(one: SeenCall, other: SeenCall): boolean {
  return (
    one.name === other.name &&
    (one.text === other.text || canonicalArguments(one.text) === canonicalArguments(other.text))
  );
}
