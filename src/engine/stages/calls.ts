import { meaningOf } from "../../tools/index.ts";
import {
  type CallDone,
  type CallStarted,
  type Emit,
  type Ids,
  isPortableId,
  parseJson,
  type Repair,
  type TurnEvent,
} from "../../turn/index.ts";
import type { Observer } from "../observer.ts";
import type { Stage } from "./stage.ts";

/**
 * The last hand on a call before the client gets it: ids that are present and new, no call twice, arguments that are JSON where
 * the model wrote none, and an honest end where a call stops in the middle. Calls come here one after the other.
 */
export function settleCalls(ids: Ids, observer: Observer): Stage {
  const seen = new SeenCalls();
  /** The call that is open, as the backend began it and as the client knows it. */
  let given: CallStarted | undefined;
  let open: CallStarted | undefined;
  let text = "";
  /** What has come of a call whose id was given before: it may be the same call again. */
  let held: TurnEvent[] | undefined;

  const start = (event: CallStarted, emit: Emit) => {
    const callId = ids.claim("call", event.callId);
    const id = ids.claim(event.kind === "function" ? "fc" : "ctc", event.id);
    const renamed = callId !== event.callId;
    open = { ...event, callId, id, upstreamId: renamed ? event.callId : undefined };
    // Most dialects have no ids: none is missing.
    const isWritten = event.dialect !== undefined && event.callId === undefined;
    if (renamed && !isWritten) observer.repaired(idRepair(event.callId), open);
    observer.callStarted(open);
    emit(open);
  };

  const finish = (event: CallDone, emit: Emit) => {
    if (!given) return;
    if (!seen.add(given, text)) observer.repaired("duplicate", given);
    else {
      for (const waiting of held ?? []) pass(waiting, emit);
      if (given.kind === "function" && text.trim() === "") {
        emit({ type: "call.arguments", call: event.call, delta: "{}" });
        text += "{}";
        observer.repaired("arguments_empty", open);
      }
      emit({ type: "call.done", call: event.call, arguments: text });
      if (open) observer.callDone(open, text);
      // Nothing can mend them, and a client may: they are passed on as they are.
      if (given.kind === "function" && parseJson(text) === undefined) observer.argumentsBroken(open);
    }
    given = open = held = undefined;
  };

  const pass = (event: TurnEvent, emit: Emit) => {
    if (event.type === "call.started") start(event, emit);
    else if (event.type === "call.repaired")
      observer.repaired(event.repair, event.call === undefined ? undefined : open);
    else emit(event);
  };

  return (event, emit) => {
    switch (event.type) {
      case "call.started":
        given = event;
        text = "";
        if (seen.knows(event.callId)) held = [event];
        else start(event, emit);
        return;
      case "call.arguments":
        text += event.delta;
        if (held) held.push(event);
        else emit(event);
        return;
      case "call.repaired":
        if (held && event.call !== undefined) held.push(event);
        else pass(event, emit);
        return;
      case "call.done":
        finish(event, emit);
        return;
      case "turn.finished":
        emit(given && event.reason === "stop" ? { ...event, reason: "length" } : event);
        return;
      default:
        emit(event);
    }
  };
}

function idRepair(id: string | undefined): Repair {
  if (id === undefined || id === "") return "missing_id";
  return isPortableId(id) ? "repeated_id" : "unusable_id";
}

/** The whole calls of a round, by the ids that the backend gave them. */
class SeenCalls {
  readonly #byId = new Map<string, { name: string; text: string; meanings?: Set<string> }>();

  knows(id: string | undefined): boolean {
    return id !== undefined && this.#byId.has(id);
  }

  /** False when it was there already, though it may have been written differently. */
  add({ callId, name }: CallStarted, text: string): boolean {
    if (callId === undefined) return true;
    const first = this.#byId.get(callId);
    if (!first) {
      this.#byId.set(callId, { name, text });
      return true;
    }
    first.meanings ??= new Set([`${first.name}\n${meaningOf(first.text)}`]);
    const meaning = `${name}\n${meaningOf(text)}`;
    const isNew = !first.meanings.has(meaning);
    first.meanings.add(meaning);
    return isNew;
  }
}
