import { answerBounds, type BackendEvent, type Emit, isTerminal, type TurnListener } from "../../turn/index.ts";
import { joinPieces } from "../join-pieces.ts";
import type { Stage } from "../stages/stage.ts";

/** The events of an item that arrived while another item was open. */
interface Waiting {
  /** The item's number; absent for events without one, such as text between calls. */
  lane: number | undefined;
  events: BackendEvent[];
  done: boolean;
}

const none: Waiting[] = [];
const noEvents: BackendEvent[] = [];
/** Shorter arrays are copied to grow: V8 reserves space for sixteen more entries in an array that is pushed to. */
const fewEvents = 8;
/** From this many events on, pieces of text are joined while they wait, so that they do not take long when they are emitted. */
const manyEvents = 64;
/** Items that were emitted are removed from the queue when there are this many of them: that moves all others. */
const mostEmitted = 256;

/**
 * Emits one item after the other: some clients cannot read calls whose events are interleaved, and no client needs that. The item
 * that started first streams on; events of other items wait until it is done.
 */
export function orderItems(listener: TurnListener): Stage {
  const order = new Order(listener);
  return (event, emit) => order.push(event, emit);
}

class Order {
  readonly #listener: TurnListener;
  #emit: Emit = () => {};
  #open: number | undefined;
  #opensCall = false;
  #queue = none;
  /** How many items at the beginning of the queue were emitted. */
  #emitted = 0;
  /** How many items of the queue had started when the open call got more arguments. */
  #mixed = 0;
  #byLane: Map<number, Waiting> | undefined;

  constructor(listener: TurnListener) {
    this.#listener = listener;
  }

  push(event: BackendEvent, emit: Emit): void {
    this.#emit = emit;
    if (belongsToNoItem(event)) emit(event);
    else if (isTerminal(event)) {
      // Items that wait behind an unfinished call are dropped: an item must be done before the next one is added.
      if (event.type === "round.finished") this.#advance(true);
      emit(event);
    } else this.#take(event);
  }

  #take(event: BackendEvent): void {
    const lane = laneOf(event);
    if (this.#open === undefined) {
      if (begins(event)) {
        this.#open = lane;
        this.#opensCall = event.type === "call.started";
      } else if (lane !== undefined) {
        // An event of an item that is already done is dropped.
        return;
      }
      this.#emit(event);
    } else if (lane !== this.#open) this.#wait(lane, event);
    else this.#continueOpen(event);
  }

  #continueOpen(event: BackendEvent): void {
    if (event.type === "call.arguments") this.#mixed = this.#queue.length;
    this.#emit(event);
    if (!ends(event)) return;
    this.#open = undefined;
    this.#advance(false);
  }

  #wait(lane: number | undefined, event: BackendEvent): void {
    const waiting = lane === undefined ? this.#lastWithoutLane() : this.#byLane?.get(lane);
    if (!waiting) {
      // An event of an item that is already done, or was never started, is dropped.
      if (lane === undefined || begins(event)) this.#startWaiting(lane, event);
      return;
    }
    if (waiting.done && lane !== undefined) return;
    keep(waiting, event);
    if (ends(event)) waiting.done = true;
  }

  #lastWithoutLane(): Waiting | undefined {
    const last = this.#queue.at(-1);
    return last?.lane === undefined ? last : undefined;
  }

  #startWaiting(lane: number | undefined, event: BackendEvent): void {
    if (this.#queue.length - this.#emitted === answerBounds.waiting) {
      this.#listener.callLeftOut?.(`more than ${answerBounds.waiting} items overlap with another one`);
      this.push({ type: "round.finished", reason: "length" }, this.#emit);
      return;
    }
    const waiting: Waiting = { lane, events: [event], done: false };
    if (this.#queue === none) this.#queue = [];
    this.#queue.push(waiting);
    if (lane !== undefined) {
      this.#byLane ??= new Map();
      this.#byLane.set(lane, waiting);
    }
    if (event.type === "call.started") this.#listener.callBuffered?.(event);
  }

  /** Emits waiting items until one is open again, or all of them at the end of the round. */
  #advance(isEnd: boolean): void {
    const queue = this.#queue;
    while (this.#open === undefined || (isEnd && !this.#opensCall)) {
      const waiting = queue[this.#emitted];
      if (!waiting) break;
      this.#emitted++;
      this.#emitWaiting(waiting, this.#emitted <= this.#mixed);
    }
    if (this.#emitted === queue.length) this.#queue = none;
    else if (this.#emitted < mostEmitted || this.#emitted * 2 < queue.length) return;
    else this.#queue = queue.slice(this.#emitted);
    this.#mixed = Math.max(0, this.#mixed - this.#emitted);
    this.#emitted = 0;
  }

  #emitWaiting(waiting: Waiting, isMixed: boolean): void {
    const { lane, events, done } = waiting;
    const [first] = events;
    waiting.events = noEvents;
    if (lane !== undefined) {
      this.#byLane?.delete(lane);
      this.#open = done ? undefined : lane;
      this.#opensCall = this.#open !== undefined && first?.type === "call.started";
    }
    if (first?.type === "call.started") this.#listener.callReplayed?.(first, events.length);
    for (const event of events) {
      this.#emit(event);
      if (isMixed && event.type === "call.started") {
        this.#emit({ type: "call.repaired", call: event.call, repair: "interleaved" });
      }
    }
  }
}

function keep(waiting: Waiting, event: BackendEvent): void {
  const { events } = waiting;
  if (events.length < fewEvents) waiting.events = events.concat(event);
  else if (events.length < manyEvents) events.push(event);
  else {
    const last = events[events.length - 1];
    const joined = last && joinPieces(last, event);
    if (joined) events[events.length - 1] = joined;
    else events.push(event);
  }
}

/** An event that belongs to no item does not wait. */
function belongsToNoItem(event: BackendEvent): boolean {
  if (event.type === "call.repaired") return event.call === undefined;
  return event.type === "usage.reported";
}

function laneOf(event: BackendEvent): number | undefined {
  if ("call" in event) return event.call;
  return "item" in event && typeof event.item === "number" ? event.item : undefined;
}

function begins(event: BackendEvent): boolean {
  return event.type === "call.started" || event.type === "message.started" || event.type === "reasoning.started";
}

function ends(event: BackendEvent): boolean {
  return event.type === "call.done" || event.type === "message.done" || event.type === "reasoning.done";
}
