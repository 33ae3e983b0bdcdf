/** The fields under which a call is stored. */
export interface OwnedCall {
  readonly owner: string;
  readonly callId: string;
}

const none: readonly never[] = [];

/**
 * Calls by owner and id. Ids are unique in most conversations, so a call that is alone under its id needs no array. Sequential ids
 * repeat in every conversation, so their calls share an array.
 */
export class CallsByOwner<Call extends OwnedCall> {
  readonly #owners = new Map<string, Map<string, Call | Call[]>>();

  /** Oldest first. */
  of(owner: string, callId: string): readonly Call[] {
    const found = this.#owners.get(owner)?.get(callId);
    if (found === undefined) return none;
    return Array.isArray(found) ? found : [found];
  }

  /** Returns the number of calls that are now stored under the id. */
  add(call: Call): number {
    let calls = this.#owners.get(call.owner);
    if (!calls) {
      calls = new Map();
      this.#owners.set(call.owner, calls);
    }
    const same = calls.get(call.callId);
    if (same === undefined) calls.set(call.callId, call);
    else if (Array.isArray(same)) return same.push(call);
    else calls.set(call.callId, [same, call]);
    return same === undefined ? 1 : 2;
  }

  /** Removes the call, if it is the oldest under its id. */
  remove(call: Call): void {
    const calls = this.#owners.get(call.owner);
    const same = calls?.get(call.callId);
    if (Array.isArray(same)) {
      if (same[0] === call) same.shift();
      if (same.length === 0) calls?.delete(call.callId);
    } else if (same === call) calls?.delete(call.callId);
    if (calls?.size === 0) this.#owners.delete(call.owner);
  }

  clear(): void {
    this.#owners.clear();
  }
}
