import type { BackendEvent } from "../../turn/index.ts";
import { joinPieces } from "../join-pieces.ts";
import type { Stage } from "./stage.ts";

/** In characters. A model that says more before the call that it must make is not asked again. */
const mostHeld = 1024 * 1024;
/** The size that an event has besides its text: held events are emitted at once, and each of them takes time. */
const eventSize = 256;

/** Holds what the model says until it makes a call, so that it can still be asked again if it makes none. */
export function holdWords(): Stage {
  let held: BackendEvent[] | undefined = [];
  let size = 0;
  return (event, emit) => {
    // On a failure, held events are dropped: either the model is asked again, or the client gets the failure alone.
    if (!held || event.type === "round.failed" || event.type === "usage.reported") {
      emit(event);
      return;
    }
    const last = held[held.length - 1];
    const joined = last && joinPieces(last, event);
    if (joined) held[held.length - 1] = joined;
    else {
      held.push(event);
      size += eventSize;
    }
    if ("text" in event) size += event.text.length;
    if ("delta" in event) size += event.delta.length;
    if (event.type !== "call.done" && event.type !== "round.finished" && size <= mostHeld) return;
    const waiting = held;
    held = undefined;
    for (const event of waiting) emit(event);
  };
}
