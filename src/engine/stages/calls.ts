import type { CallStarted, Ids } from "../../turn/index.ts";
import type { Observer } from "../observer.ts";
import type { Stage } from "./stage.ts";

/**
 * The last hand on a call before the client gets it: ids that are present and new, arguments that are JSON where the model
 * wrote none, and an honest end where a call stops in the middle.
 */
export function settleCalls(ids: Ids, observer: Observer): Stage {
  let open: CallStarted | undefined;
  let bytes = 0;
  let blank = true;
  let text = "";

  return (event, emit) => {
    switch (event.type) {
      case "call.started":
        open = {
          ...event,
          callId: ids.claim("call", event.callId),
          id: ids.claim(event.kind === "function" ? "fc" : "ctc", event.id),
        };
        bytes = 0;
        blank = true;
        text = "";
        observer.callStarted(open);
        emit(open);
        return;
      case "call.arguments":
        bytes += Buffer.byteLength(event.delta);
        if (blank && event.delta.trim() !== "") blank = false;
        if (observer.keepsArguments) text += event.delta;
        emit(event);
        return;
      case "call.done":
        if (blank && open?.kind === "function") {
          bytes += 2;
          emit({ type: "call.arguments", call: event.call, delta: "{}" });
        }
        emit(event);
        if (open) observer.callDone(open, bytes, text);
        open = undefined;
        return;
      case "turn.finished":
        emit(open && event.reason === "stop" ? { ...event, reason: "length" } : event);
        return;
      default:
        emit(event);
    }
  };
}
