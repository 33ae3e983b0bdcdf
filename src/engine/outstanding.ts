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

/** A result, with what is known of its call. Of a call that is not known here, the client's own history may still tell the name. */
interface BroughtResult {
  output: OutputItem;
  name: string | null;
  /** The id of the request that made the call; `null` where the call is not known here. */
  turn: string | null;
  waitedMs: number | null;
}

interface GivenCall {
  readonly owner: string;
  /** By which the client knows it. */
  readonly callId: string;
  readonly name: string;
  readonly turn: string;
  readonly givenAt: number;
  /** over: nobody expects its result any more, but it may come all the same. */
  state: "open" | "over" | "answered" | "forgotten";
  /** The one that was given after it. */
  next: GivenCall | undefined;
}

export interface OutstandingOptions {
  events: EventSink;
  log: Log;
  clock?: Clock;
  /** How many are kept, of all owners together. */
  most?: number;
}

/** Milliseconds. It is the same for all, so that the first that was given is the first whose time is over. */
const keptFor = 15 * 60 * 1000;
const mostKept = 50_000;
/** Calls that are numbered have the same ids in all conversations: looking for one must not become slow. */
const mostOfOneId = 1000;

/**
 * The calls that clients were given, for as long as their results may come. Nothing waits for them: the result of an unknown call is
 * taken as it is, and one that does not come is told, never made up. A call with a result is kept as long, so that a request that is
 * sent again tells nothing twice.
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
  /** Until the time of the oldest is over; none where nothing is kept. */
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor({ events, log, clock = performance, most = mostKept }: OutstandingOptions) {
    this.#events = events;
    this.#log = log;
    this.#clock = clock;
    this.#most = most;
  }

  /** How many results may still come. */
  get size(): number {
    return this.#open;
  }

  /**
   * An owner's client has a call now, and may bring its result. `turn` is the id of the request that made the call. No other owner's
   * requests touch the call.
   */
  give(owner: string, callId: string, name: string, turn: string): void {
    if (this.#isClosed) return;
    // A whole number needs no memory of its own.
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

  /** Reads what a request says of the calls before it, and reports the results that it brings and that were not reported yet. */
  hear(owner: string, input: readonly Item[], requestId: string): void {
    if (this.#kept === 0 && !this.#events.on) return;
    const results = this.#hear(owner, input);
    if (this.#events.on) for (const result of results) this.#tellResult(result, requestId);
  }

  #tellResult({ output: { callId, output }, name, turn, waitedMs }: BroughtResult, requestId: string): void {
    const text = typeof output === "string" ? output : JSON.stringify(output);
    const fields = { call_id: callId, bytes: Buffer.byteLength(text), name, waited_ms: waitedMs, turn };
    this.#events.write("tool_result", requestId, fields, this.#events.keepsValues ? { output: text } : undefined);
  }

  /** Nothing is told of those that are left: that the gateway stops says nothing about their results. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#calls.clear();
    this.#oldest = this.#newest = undefined;
    this.#kept = this.#open = 0;
  }

  #hear(owner: string, input: readonly Item[]): BroughtResult[] {
    const find = ({ callId, name }: CallItem, turn?: string) => this.#find(owner, callId, name, turn);
    const { calls, outputs, from } = readLastTurn(input, find);
    const results: BroughtResult[] = [];
    for (const output of outputs) {
      const echoed = calls.get(output.callId);
      const given = echoed ? echoed.given : this.#find(owner, output.callId);
      if (!given) results.push({ output, name: echoed?.name ?? null, turn: null, waitedMs: null });
      else if (given.state !== "answered") {
        results.push({ output, name: given.name, turn: given.turn, waitedMs: this.#waited(given) });
        this.#become(given, "answered");
      }
    }
    for (const { given } of calls.values()) {
      if (given && this.#isCertain(given))
        this.#miss(given, `the client continued without the result of "${given.name}"`);
    }
    if (this.#open > 0) this.#hearOlder(owner, input, from);
    return results;
  }

  /** An output further back was brought to somebody else. It is not missing, but it is nothing new either. */
  #hearOlder(owner: string, input: readonly Item[], from: number): void {
    for (let at = from; at >= 0; at--) {
      const item = input[at];
      if (item?.type !== "output") continue;
      const given = this.#find(owner, item.callId);
      // A number tells nothing: the output may be of any conversation.
      if (given?.state === "open" && !isNumberedId(item.callId)) this.#become(given, "over");
    }
  }

  /** The newest that is open, else the newest. */
  #find(owner: string, callId: string, name?: string, turn?: string): GivenCall | undefined {
    const same = this.#calls.of(owner, callId);
    const isMeant = (call: GivenCall) =>
      (name === undefined || call.name === name) && (turn === undefined || call.turn === turn);
    return same.findLast((call) => call.state === "open" && isMeant(call)) ?? same.findLast(isMeant);
  }

  /** Whether it is open, and no other conversation is known that may mean a call of its own by the same id. */
  #isCertain({ owner, callId, name, state }: GivenCall): boolean {
    if (state !== "open") return false;
    const same = this.#calls.of(owner, callId);
    return same.filter((call) => call.name === name && call.state !== "answered").length === 1;
  }

  #miss(call: GivenCall, message: string): void {
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
    // One that is forgotten has left already.
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
    while (this.#oldest && this.#oldest.givenAt + keptFor <= now) {
      const call = this.#dropOldest();
      if (call?.state === "open")
        this.#miss(call, `no result of "${call.name}" came within ${keptFor / 60_000} minutes`);
    }
    this.#timer = this.#oldest && this.#wake(Math.max(1, this.#oldest.givenAt + keptFor - now));
  }
}

interface LastTurn {
  /** Those that the client repeats, by their ids. */
  calls: Map<string, { name: string; given: GivenCall | undefined }>;
  /** What the client brings for them, or for calls that it does not repeat. */
  outputs: OutputItem[];
  /** Where what was there before ends. */
  from: number;
}

/**
 * What the client says of the model's last turn: all before it was heard of before. Some clients write each output behind its call;
 * then a call before another's output is of the last turn only if that is known.
 */
function readLastTurn(
  input: readonly Item[],
  find: (call: CallItem, turn: string | undefined) => GivenCall | undefined,
): LastTurn {
  const calls: LastTurn["calls"] = new Map();
  const outputs: OutputItem[] = [];
  let from = input.length - 1;
  for (let item = input[from]; item && !isModels(item); item = input[--from]) {
    if (item.type === "output") outputs.push(item);
  }
  let turn: string | undefined;
  const between = new Map<string, OutputItem>();
  for (let at = from, item = input[at]; item && !isSaidToModel(item); item = input[--at]) {
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

function isModels(item: Item): boolean {
  if (item.type === "opaque") return item.isToolCall === true;
  return item.type === "call" || item.type === "reasoning" || (item.type === "message" && item.role === "assistant");
}

function isSaidToModel(item: Item): boolean {
  return item.type === "message" && item.role !== "assistant";
}
