import { createHash } from "node:crypto";
import { canonicalArguments } from "../../tools/index.ts";
import type { BackendCallStarted } from "../../turn/index.ts";

/** Characters of arguments that are kept as they came. Of further calls only a digest is kept, which takes time to compute. */
const mostKept = 512 * 1024;

/** A complete call. Its digest is computed when it is first needed, and replaces the arguments. */
interface SeenCall {
  readonly name: string;
  text: string;
  digest: string | undefined;
}

/** The complete calls of a round, so that none is sent twice. */
export class SeenCalls {
  /** By the backend's own ids: the first call with the id, and the digests of all of them if there is more than one. */
  readonly #byId = new Map<string, SeenCall>();
  #sameId: Map<string, Set<string>> | undefined;
  /** Calls that came as calls, and calls that were written as text: a backend may parse a call and still pass on its text. */
  readonly #native = new CallsWithoutTwin();
  readonly #written = new CallsWithoutTwin();
  #kept = 0;

  /** Whether the call may repeat an earlier one, so that it must wait until it is complete. */
  mayHave({ callId, dialect }: BackendCallStarted): boolean {
    const others = dialect === undefined ? this.#written : this.#native;
    return others.size > 0 || (callId !== undefined && this.#byId.has(callId));
  }

  /** Returns whether the call is new. */
  add({ callId, name, offeredAs, dialect }: BackendCallStarted, text: string): boolean {
    const call: SeenCall = { name: offeredAs ?? name, text, digest: undefined };
    this.#kept += text.length;
    if (this.#kept > mostKept) digestOf(call);
    const [same, others] = dialect === undefined ? [this.#native, this.#written] : [this.#written, this.#native];
    // A call has one twin at most: the next equal call is another call.
    if (others.take(call)) return false;
    same.add(call);
    return this.#isNewId(callId, call);
  }

  #isNewId(callId: string | undefined, call: SeenCall): boolean {
    if (callId === undefined) return true;
    const first = this.#byId.get(callId);
    if (!first) {
      this.#byId.set(callId, call);
      return true;
    }
    this.#sameId ??= new Map();
    const known = this.#sameId.get(callId) ?? new Set([digestOf(first)]);
    this.#sameId.set(callId, known);
    const digest = digestOf(call);
    const isNew = !known.has(digest);
    known.add(digest);
    return isNew;
  }
}

/** Calls of one origin that no call of the other origin has repeated. */
class CallsWithoutTwin {
  size = 0;
  /** Calls that are not counted by their digests yet. Most rounds have calls of one origin, and need no digests. */
  #uncounted: SeenCall[] = [];
  #counts: Map<string, number> | undefined;

  add(call: SeenCall): void {
    this.size++;
    this.#uncounted.push(call);
  }

  /** Removes one call that means the same. Returns whether there was one. */
  take(call: SeenCall): boolean {
    if (this.size === 0) return false;
    const counts = this.#count();
    const digest = digestOf(call);
    const count = counts.get(digest) ?? 0;
    if (count === 0) return false;
    counts.set(digest, count - 1);
    this.size--;
    return true;
  }

  #count(): Map<string, number> {
    this.#counts ??= new Map();
    for (const call of this.#uncounted) {
      const digest = digestOf(call);
      this.#counts.set(digest, (this.#counts.get(digest) ?? 0) + 1);
    }
    this.#uncounted = [];
    return this.#counts;
  }
}

/** The same for calls that mean the same. */
function digestOf(call: SeenCall): string {
  if (call.digest !== undefined) return call.digest;
  const { name, text } = call;
  const canonical = canonicalArguments(text);
  call.digest = createHash("sha256").update(`${name.length}:${name}${canonical}`).digest("base64");
  call.text = "";
  return call.digest;
}
