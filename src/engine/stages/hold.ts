import type { TurnEvent } from "../../turn/index.ts";
import type { Stage } from "./stage.ts";

/** What a model may say before the call that it has to make; more than this is not worth another question. */
const mostHeld = 1024 * 1024;

/** Holds what the model says until it makes a call, so that it can still be asked again if it makes none. */
export class HeldWords {
  /** What it has said so far. */
  said = "";
  #held: TurnEvent[] | undefined = [];

  readonly stage: Stage = (event, emit) => {
    const held = this.#held;
    // A failure has nothing before it: either the model is asked again, or the client is told of the failure alone.
    if (!held || event.type === "turn.failed") {
      emit(event);
      return;
    }
    if (event.type === "text.delta") this.said += event.text;
    const isOver = event.type === "call.started" || event.type === "turn.finished" || this.said.length > mostHeld;
    if (event.type === "usage.reported" || event.type === "response.started") emit(event);
    else held.push(event);
    if (!isOver) return;
    this.#held = undefined;
    for (const waiting of held) emit(waiting);
  };
}
