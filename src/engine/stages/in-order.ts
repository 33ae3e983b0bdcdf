import { type Emit, isTerminal, type TurnEvent, type TurnListener } from "../../turn/index.ts";
import type { Stage } from "./stage.ts";

/** What came while another item was open. */
interface Waiting {
  /** The item's number; absent for what has none, such as text between calls. */
  lane: number | undefined;
  events: TurnEvent[];
  done: boolean;
}

/**
 * One item after the other: some clients cannot read calls whose pieces are mixed, and none needs them so. The item that began
 * first streams on; what belongs to others waits until it is done.
 */
export function inOrder(listener: TurnListener): Stage {
  let open: number | undefined;
  let opensCall = false;
  let queue: Waiting[] = [];
  /** How many of those that wait had begun when the open call went on. */
  let mixed = 0;
  let byLane: Map<number, Waiting> | undefined;

  const wait = (lane: number | undefined, event: TurnEvent) => {
    let waiting = lane === undefined ? queue.at(-1) : byLane?.get(lane);
    if (!waiting || waiting.lane !== lane) {
      waiting = { lane, events: [], done: false };
      queue.push(waiting);
      if (lane !== undefined) {
        byLane ??= new Map();
        byLane.set(lane, waiting);
      }
      if (event.type === "call.started") listener.callBuffered?.(event);
    }
    waiting.events.push(event);
    if (ends(event)) waiting.done = true;
  };

  /** Gives what waits until an item is open again, or all of it when nothing more can come. */
  const advance = (emit: Emit, toTheEnd: boolean) => {
    let next = 0;
    for (; next < queue.length && (open === undefined || (toTheEnd && !opensCall)); next++) {
      const waiting = queue[next];
      if (!waiting) break;
      const [first] = waiting.events;
      if (waiting.lane !== undefined) {
        byLane?.delete(waiting.lane);
        open = waiting.done ? undefined : waiting.lane;
        opensCall = open !== undefined && first?.type === "call.started";
      }
      if (first?.type === "call.started") listener.callReplayed?.(first, waiting.events.length);
      for (const event of waiting.events) {
        emit(event);
        if (next < mixed && event.type === "call.started") {
          emit({ type: "call.repaired", call: event.call, repair: "interleaved" });
        }
      }
    }
    queue = queue.slice(next);
    mixed = Math.max(0, mixed - next);
  };

  return (event, emit) => {
    if (isAside(event)) {
      emit(event);
      return;
    }
    if (isTerminal(event)) {
      // What waits behind a call that was never finished cannot be given any more: an item is done before the next is added.
      if (event.type === "turn.finished") advance(emit, true);
      emit(event);
      return;
    }
    const lane = laneOf(event);
    if (open === undefined) {
      if (begins(event)) {
        open = lane;
        opensCall = event.type === "call.started";
      } else if (lane !== undefined) {
        // A piece of an item that is done already comes too late.
        return;
      }
      emit(event);
    } else if (lane !== open) {
      wait(lane, event);
    } else {
      if (event.type === "call.arguments") mixed = queue.length;
      emit(event);
      if (ends(event)) {
        open = undefined;
        advance(emit, false);
      }
    }
  };
}

/** What is about no item has its place at once. */
function isAside(event: TurnEvent): boolean {
  if (event.type === "call.repaired") return event.call === undefined;
  return event.type === "usage.reported" || event.type === "response.started";
}

function laneOf(event: TurnEvent): number | undefined {
  if ("call" in event) return event.call;
  return "item" in event && typeof event.item === "number" ? event.item : undefined;
}

function begins(event: TurnEvent): boolean {
  return event.type === "call.started" || event.type === "message.started" || event.type === "reasoning.started";
}

function ends(event: TurnEvent): boolean {
  return event.type === "call.done" || event.type === "message.done" || event.type === "reasoning.done";
}
