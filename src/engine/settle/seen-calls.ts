import { canonicalArguments } from "../../tools/index.ts";
import type { BackendCallStarted } from "../../turn/index.ts";

interface SeenCall {
  name: string;
  text: string;
  /** The names and canonical arguments of all calls with this id, if there is more than one. */
  known: Set<string> | undefined;
}

/** The complete calls of a round, so that none is sent twice. */
export class SeenCalls {
  /** By the backend's own ids. */
  readonly #byId = new Map<string, SeenCall>();
  /** Calls that came as calls, and calls that were written as text: a backend may parse a call and still pass on its text. */
  readonly #native: SeenCall[] = [];
  readonly #written: SeenCall[] = [];

  /** Whether the call may repeat an earlier one, so that it must wait until it is complete. */
  mayHave({ callId, dialect }: BackendCallStarted): boolean {
    const others = dialect === undefined ? this.#written : this.#native;
    return others.length > 0 || (callId !== undefined && this.#byId.has(callId));
  }

  /** Returns whether the call is new. */
  add({ callId, name, offeredAs, dialect }: BackendCallStarted, text: string): boolean {
    const call: SeenCall = { name: offeredAs ?? name, text, known: undefined };
    const [same, others] = dialect === undefined ? [this.#native, this.#written] : [this.#written, this.#native];
    const twin = others.findIndex((other) => meansTheSame(other, call));
    // A call has one twin at most: the next equal call is another call.
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
