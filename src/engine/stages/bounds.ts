import {
  answerBounds,
  type BackendCallStarted,
  type BackendEvent,
  type Emit,
  type TurnListener,
} from "../../turn/index.ts";
import type { Stage } from "./stage.ts";

/**
 * Bounds what one round may contain, so that its cost and what is stored of it are bounded too. An answer with too many calls or
 * items ends as if the provider had cut it off. A call whose name is too long is left out. An id that is too long counts as missing.
 */
export function boundAnswer(listener: TurnListener): Stage {
  const bounds = new Bounds(listener);
  return (event, emit) => bounds.take(event, emit);
}

class Bounds {
  readonly #listener: TurnListener;
  #items = 0;
  #calls = 0;
  /** The type of the pieces that arrive now, if they belong to an item that began without an event of its own. */
  #pieces: BackendEvent["type"] | undefined;
  #leftOut: Set<number> | undefined;

  constructor(listener: TurnListener) {
    this.#listener = listener;
  }

  take(event: BackendEvent, emit: Emit): void {
    switch (event.type) {
      case "text.delta":
      case "reasoning.delta":
        if (event.type === this.#pieces || event.item !== undefined) emit(event);
        else if (this.#countItem(emit)) {
          this.#pieces = event.type;
          emit(event);
        }
        return;
      case "call.arguments":
      case "call.done":
      case "call.repaired":
        if (event.call === undefined || !this.#leftOut?.has(event.call)) emit(event);
        return;
      case "call.started":
        if (this.#countItem(emit)) this.#start(event, emit);
        return;
      case "message.started":
      case "item.done":
        if (this.#countItem(emit)) emit(event);
        return;
      case "reasoning.started":
        if (this.#countItem(emit)) emit(isTooLong(event.id) ? { ...event, id: undefined } : event);
        return;
      default:
        emit(event);
    }
  }

  /** Returns whether the round may have another item. Otherwise the round is over. */
  #countItem(emit: Emit): boolean {
    this.#pieces = undefined;
    if (++this.#items <= answerBounds.items) return true;
    this.#end(`the answer has more than ${answerBounds.items} items`, emit);
    return false;
  }

  #start(event: BackendCallStarted, emit: Emit): void {
    const { name, namespace = "" } = event;
    if (++this.#calls > answerBounds.calls) {
      this.#end(`the answer has more than ${answerBounds.calls} calls`, emit);
    } else if (name.length > answerBounds.name || namespace.length > answerBounds.name) {
      this.#leftOut ??= new Set();
      this.#leftOut.add(event.call);
      this.#listener.callLeftOut?.(`the name of the call is longer than ${answerBounds.name} characters`);
    } else emit(withShortId(event));
  }

  #end(reason: string, emit: Emit): void {
    this.#listener.callLeftOut?.(reason);
    emit({ type: "round.finished", reason: "length" });
  }
}

function isTooLong(id: string | undefined): boolean {
  return id !== undefined && id.length > answerBounds.id;
}

function withShortId(event: BackendCallStarted): BackendCallStarted {
  const { callId, dialect } = event;
  if (isTooLong(callId)) return { ...event, callId: undefined };
  // The id is a part of the model's text. V8 would keep that text in memory as long as the id.
  return dialect === undefined || callId === undefined ? event : { ...event, callId: Buffer.from(callId).toString() };
}
