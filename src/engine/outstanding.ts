import {
  type CallItem,
  type Clock,
  type EventSink,
  type Item,
  isNumberedId,
  type Log,
  type OutputItem,
} from "../turn/index.ts";
import { CallsByOwner } from "./calls-by-owner.ts";

/** A result, with what is known of its call. If the call is not known here, its name may come from the client's own history. */
interface ReceivedResult {
  output: OutputItem;
  name: string | null;
  /** The id of the request that made the call; `null` if the call is not known here. */
  turn: string | null;
  waitedMs: number | null;
}

interface GivenCall {
  readonly owner: string;
  /** The id that the client knows. */
  readonly callId: string;
  readonly name: string;
  readonly turn: string;
  readonly givenAt: number;
  /** over: the result is no longer expected, but may still arrive. */
  state: "open" | "over" | "answered" | "forgotten";
  /** The next call in the order in which clients got them. */
  next: GivenCall | undefined;
}

export interface OutstandingOptions {
  events: EventSink;
  log: Log;
  clock?: Clock;
  /** The maximum number of calls that are kept, of all owners together. */
  most?: number;
}

/** In milliseconds. It is the same for all calls, so they expire in the order in which they were added. */
const keptFor = 15 * 60 * 1000;
const mostKept = 50_000;
/** Sequential ids are the same in all conversations. The limit keeps lookups by id fast. */
const mostOfOneId = 1000;
/** Kept calls that one request may be compared with, in total. No conversation needs more, even with sequential ids. */
const mostLooks = 1_000_000;
/** Results and missing results that are reported at once. */
const mostReports = 1000;

/**
 * The calls that clients got, for as long as their results may arrive. Nothing waits for them: the result of an unknown call is
 * accepted as it is, and a missing result is reported, never invented. A call with a result is kept for the same time, so that a
 * repeated request is not reported twice.
 */
export class OutstandingCalls {
  readonly #events: EventSink;
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #most: number;
  readonly #calls = new CallsByOwner<GivenCall>();
  #oldest: GivenCall | undefined;
  #newest: GivenCall | undefined;
  #kept = 0;
  #open = 0;
  /** How many further calls the current request may be compared with. */
  #looksLeft = mostLooks;
  /** Fires when the oldest call expires. Not set while no calls are kept. */
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor({ events, log, clock = performance, most = mostKept }: OutstandingOptions) {
    this.#events = events;
    this.#log = log;
    this.#clock = clock;
    this.#most = most;
  }

  /** How many results may still arrive. */
  get size(): number {
    return this.#open;
  }

  /**
   * A client of this owner now has the call and may send its result. `turn` is the id of the request that made the call. Requests
   * of other owners do not affect the call.
   */
  give(owner: string, callId: string, name: string, turn: string): void {
    if (this.#isClosed) return;
    // An integer needs no heap allocation of its own.
    const givenAt = Math.floor(this.#clock.now());
    const call: GivenCall = { owner, callId, name, turn, givenAt, state: "open", next: undefined };
    if (this.#calls.add(call) > mostOfOneId) this.#forget(this.#calls.of(owner, callId)[0]);
    if (this.#newest) this.#newest.next = call;
    else this.#oldest = call;
    this.#newest = call;
    this.#open++;
    if (++this.#kept > this.#most) this.#become(this.#dropOldest(), "forgotten");
    this.#timer ??= this.#wake(keptFor);
  }

  /** Reads what a request contains about earlier calls, and reports its results that were not reported yet. */
  hear(owner: string, input: readonly Item[], requestId: string): void {
    if (this.#kept === 0 && !this.#events.on) return;
    this.#looksLeft = mostLooks;
    const results = this.#readResults(owner, input);
    if (!this.#events.on) return;
    for (const result of results.slice(0, mostReports)) this.#reportResult(result, requestId);
  }

  #reportResult({ output: { callId, output }, name, turn, waitedMs }: ReceivedResult, requestId: string): void {
    const text = typeof output === "string" ? output : JSON.stringify(output);
    const fields = { call_id: callId, bytes: Buffer.byteLength(text), name, waited_ms: waitedMs, turn };
    this.#events.write("tool_result", requestId, fields, this.#events.keepsValues ? { output: text } : undefined);
  }

  /** The remaining calls are not reported as missing: a gateway that stops says nothing about their results. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#calls.clear();
    this.#oldest = this.#newest = undefined;
    this.#kept = this.#open = 0;
  }

  #readResults(owner: string, input: readonly Item[]): ReceivedResult[] {
    const find = ({ callId, name }: CallItem, turn?: string) => this.#find(owner, callId, name, turn);
    const { calls, outputs, from } = readLastTurn(input, find);
    const results: ReceivedResult[] = [];
    for (const output of outputs) {
      const echoed = calls.get(output.callId);
      const given = echoed ? echoed.given : this.#find(owner, output.callId);
      if (!given) results.push({ output, name: echoed?.name ?? null, turn: null, waitedMs: null });
      else if (given.state !== "answered") {
        results.push({ output, name: given.name, turn: given.turn, waitedMs: this.#waited(given) });
        this.#become(given, "answered");
      }
    }
    let reports = 0;
    for (const { given } of calls.values()) {
      if (!given || !this.#isCertain(given)) continue;
      // The others are reported when their time is over.
      if (++reports > mostReports) break;
      this.#reportMissing(given, `the client continued without the result of "${given.name}"`);
    }
    if (this.#open > 0) this.#readOlder(owner, input, from);
    return results;
  }

  /** An output further back was sent elsewhere in an earlier request. It is not missing, but it is not new either. */
  #readOlder(owner: string, input: readonly Item[], from: number): void {
    for (let at = from; at >= 0; at--) {
      const item = input[at];
      // A sequential id proves nothing: the output may be of any conversation.
      if (item?.type !== "output" || isNumberedId(item.callId)) continue;
      const given = this.#find(owner, item.callId);
      if (given?.state === "open") this.#become(given, "over");
    }
  }

  /** The newest open call, or else the newest. */
  #find(owner: string, callId: string, name?: string, turn?: string): GivenCall | undefined {
    const same = this.#calls.of(owner, callId);
    let newest: GivenCall | undefined;
    for (let at = same.length - 1; at >= 0 && this.#looksLeft-- > 0; at--) {
      const call = same[at];
      const isMeant = (name === undefined || call?.name === name) && (turn === undefined || call?.turn === turn);
      if (!call || !isMeant) continue;
      if (call.state === "open") return call;
      newest ??= call;
    }
    return newest;
  }

  /** Whether the call is open, and no other known conversation may use the same id for a call of its own. */
  #isCertain({ owner, callId, name, state }: GivenCall): boolean {
    if (state !== "open") return false;
    const same = this.#calls.of(owner, callId);
    this.#looksLeft -= same.length;
    if (this.#looksLeft < 0) return false;
    return same.filter((call) => call.name === name && call.state !== "answered").length === 1;
  }

  #reportMissing(call: GivenCall, message: string): void {
    this.#become(call, "over");
    const { callId, name, turn } = call;
    const fields = { call_id: callId, name, waited_ms: this.#waited(call) };
    if (this.#events.on) this.#events.write("tool_result_missing", turn, fields);
    this.#log.info({ request_id: turn, ...fields }, message);
  }

  #waited({ givenAt }: GivenCall): number {
    return Math.round(this.#clock.now() - givenAt);
  }

  #become(call: GivenCall | undefined, state: GivenCall["state"]): void {
    if (!call) return;
    if (call.state === "open") this.#open--;
    call.state = state;
  }

  #dropOldest(): GivenCall | undefined {
    const call = this.#oldest;
    if (!call) return undefined;
    this.#oldest = call.next;
    if (!call.next) this.#newest = undefined;
    this.#kept--;
    // No effect on a forgotten call, which was removed before.
    this.#calls.remove(call);
    return call;
  }

  #forget(call: GivenCall | undefined): void {
    if (!call) return;
    this.#become(call, "forgotten");
    this.#calls.remove(call);
  }

  #wake(milliseconds: number): NodeJS.Timeout {
    return setTimeout(() => this.#expire(), milliseconds).unref();
  }

  #expire(): void {
    const now = this.#clock.now();
    let reports = 0;
    while (this.#oldest && this.#oldest.givenAt + keptFor <= now && reports < mostReports) {
      const call = this.#dropOldest();
      if (call?.state !== "open") continue;
      reports++;
      this.#reportMissing(call, `no result of "${call.name}" came within ${keptFor / 60_000} minutes`);
    }
    this.#timer = this.#oldest && this.#wake(Math.max(1, this.#oldest.givenAt + keptFor - now));
  }
}

interface LastTurn {
  /** The calls that the client repeats, by id. */
  calls: Map<string, { name: string; given: GivenCall | undefined }>;
  /** The client's outputs for these calls, or for calls that it does not repeat. */
  outputs: OutputItem[];
  /** The index of the last item before the model's last turn. */
  from: number;
}

/**
 * Reads what the input contains about the model's last turn; earlier requests covered everything before it. Some clients write each
 * output directly after its call. In that case a call before another call's output counts as part of the last turn only if it is
 * known to be.
 */
function readLastTurn(
  input: readonly Item[],
  find: (call: CallItem, turn: string | undefined) => GivenCall | undefined,
): LastTurn {
  const calls: LastTurn["calls"] = new Map();
  const outputs: OutputItem[] = [];
  let from = input.length - 1;
  for (let item = input[from]; item && !isFromModel(item); item = input[--from]) {
    if (item.type === "output") outputs.push(item);
  }
  let turn: string | undefined;
  const between = new Map<string, OutputItem>();
  for (let at = from, item = input[at]; item && !isToModel(item); item = input[--at]) {
    if (item.type === "output") between.set(item.callId, item);
    if (between.size > 0 && turn === undefined) break;
    if (item.type !== "call") continue;
    const given = find(item, turn);
    if (between.size > 0 && !given) break;
    turn ??= given?.turn;
    calls.set(item.callId, { name: item.name, given });
    const output = between.get(item.callId);
    if (output) outputs.push(output);
    from = at - 1;
  }
  return { calls, outputs: outputs.reverse(), from };
}

function isFromModel(item: Item): boolean {
  if (item.type === "opaque") return item.isToolCall === true;
  return item.type === "call" || item.type === "reasoning" || (item.type === "message" && item.role === "assistant");
}

function isToModel(item: Item): boolean {
  return item.type === "message" && item.role !== "assistant";
}
