import { type Emit, isTerminal, type TurnEvent } from "../../turn/index.ts";
import type { Stage } from "./stage.ts";

/** What came while another call was open. */
interface Waiting {
  /** Absent for text and other events between calls. */
  call: number | undefined;
  events: TurnEvent[];
  done: boolean;
}

/**
 * One call after the other: some clients cannot read calls whose pieces are mixed, and none needs them so. The call that began
 * first streams on; what belongs to others waits until it is done.
 */
export function inOrder(): Stage {
  let open: number | undefined;
  const queue: Waiting[] = [];
  const byCall = new Map<number, Waiting>();

  const wait = (call: number | undefined, event: TurnEvent) => {
    let waiting = call === undefined ? queue.at(-1) : byCall.get(call);
    if (!waiting || waiting.call !== call) {
      waiting = { call, events: [], done: false };
      queue.push(waiting);
      if (call !== undefined) byCall.set(call, waiting);
    }
    waiting.events.push(event);
    if (event.type === "call.done") waiting.done = true;
  };

  const advance = (emit: Emit) => {
    while (open === undefined) {
      const next = queue.shift();
      if (!next) return;
      if (next.call !== undefined) {
        byCall.delete(next.call);
        if (!next.done) open = next.call;
      }
      for (const event of next.events) emit(event);
    }
  };

  return (event, emit) => {
    // What waits behind a call that was never finished cannot be given any more: an item is done before the next is added.
    if (isTerminal(event) || event.type === "usage.reported" || event.type === "response.started") {
      emit(event);
      return;
    }
    const call = "call" in event ? event.call : undefined;
    if (open === undefined) {
      if (event.type === "call.started") open = event.call;
      // A piece of a call that is done already comes too late.
      else if (call !== undefined) return;
      emit(event);
    } else if (call !== open) {
      wait(call, event);
    } else {
      emit(event);
      if (event.type === "call.done") {
        open = undefined;
        advance(emit);
      }
    }
  };
}
