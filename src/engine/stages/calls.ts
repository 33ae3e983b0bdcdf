import { type ArgumentChecks, isDefaultNamespace, meaningOf } from "../../tools/index.ts";
import {
  type CallDone,
  type CallStarted,
  type Emit,
  type Ids,
  isPortableId,
  parseJson,
  type Repair,
  type TurnEvent,
  type TurnListener,
} from "../../turn/index.ts";
import type { Stage } from "./stage.ts";

/**
 * The last hand on a call before the client gets it: ids that are present and new, no call twice, arguments that are JSON where
 * the model wrote none, and an honest end where a call stops in the middle. Calls come here one after the other.
 */
export function settleCalls(ids: Ids, checks: ArgumentChecks, listener: TurnListener): Stage {
  let seen: SeenCalls | undefined;
  /** The call that is open, as the backend began it and as the client knows it. */
  let given: CallStarted | undefined;
  let open: CallStarted | undefined;
  let text = "";
  /** What has come of a call whose id was given before: it may be the same call again. */
  let held: TurnEvent[] | undefined;

  const start = (event: CallStarted, emit: Emit) => {
    const { callId, id } = ids.claimCall(event);
    const renamed = callId !== event.callId;
    open = { ...event, callId, id, upstreamId: renamed ? event.callId : undefined };
    // A dialect has ids of its own, or none: nothing is wrong with that. Nor is it where all are numbered here.
    const isFine = ids.areNumbered || (event.dialect !== undefined && idRepair(event.callId) !== "repeated_id");
    if (renamed && !isFine) listener.callRepaired?.(idRepair(event.callId), open);
    listener.callStarted?.(open);
    emit(open);
  };

  const finish = (event: CallDone, emit: Emit) => {
    if (!given) return;
    if (!seen?.add(given, text)) listener.callRepaired?.("duplicate", given);
    else {
      for (const waiting of held ?? []) pass(waiting, emit);
      if (given.kind !== "custom" && text.trim() === "") {
        emit({ type: "call.arguments", call: event.call, delta: "{}" });
        text += "{}";
        listener.callRepaired?.("arguments_empty", open);
      }
      emit({ type: "call.done", call: event.call, arguments: text });
      if (open) listener.callDone?.(open, text);
      // A tool in a namespace that was not offered by another name is one of which only the backend knows.
      const offered = given.offeredAs ?? (isDefaultNamespace(given.namespace) ? given.name : undefined);
      if (given.kind !== "custom" && offered !== undefined) look(offered);
    }
    given = open = held = undefined;
  };

  /** What is wrong with arguments that are passed on as they are: a client may do something with them. */
  const look = (name: string) => {
    const value = parseJson(text);
    const mismatch = value === undefined ? undefined : checks.check(name, value);
    if (value === undefined) listener.argumentsBroken?.(open);
    else if (mismatch) listener.schemaMismatch?.(open, mismatch.path);
  };

  const pass = (event: TurnEvent, emit: Emit) => {
    if (event.type === "call.started") start(event, emit);
    else if (event.type === "call.repaired")
      listener.callRepaired?.(event.repair, event.call === undefined ? undefined : open);
    else emit(event);
  };

  return (event, emit) => {
    switch (event.type) {
      case "call.started":
        given = event;
        text = "";
        seen ??= new SeenCalls();
        if (seen.mayHave(event)) held = [event];
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

interface SeenCall {
  name: string;
  text: string;
}

/** The whole calls of a round. */
class SeenCalls {
  /** By the ids that the backend gave them. */
  readonly #byId = new Map<string, SeenCall & { meanings?: Set<string> }>();
  /** Those that came as calls, and those that were written as text: a backend may read a call and pass its text on all the same. */
  readonly #native: SeenCall[] = [];
  readonly #written: SeenCall[] = [];

  /** Whether it may be one that came before, so that it must wait until it is whole. */
  mayHave({ callId, dialect }: CallStarted): boolean {
    const others = dialect === undefined ? this.#written : this.#native;
    return others.length > 0 || (callId !== undefined && this.#byId.has(callId));
  }

  /** False when it was there already, though it may have been written differently. */
  add({ callId, name: ownName, offeredAs, dialect }: CallStarted, text: string): boolean {
    const name = offeredAs ?? ownName;
    const [same, others] = dialect === undefined ? [this.#native, this.#written] : [this.#written, this.#native];
    const twin = others.findIndex((other) => meansTheSame(other, { name, text }));
    // One call has one twin: the next that is like it is another call.
    if (twin !== -1) others.splice(twin, 1);
    else same.push({ name, text });
    return twin === -1 && this.#isNewId(callId, { name, text });
  }

  #isNewId(callId: string | undefined, call: SeenCall): boolean {
    if (callId === undefined) return true;
    const first = this.#byId.get(callId);
    if (!first) {
      this.#byId.set(callId, call);
      return true;
    }
    first.meanings ??= new Set([`${first.name}\n${meaningOf(first.text)}`]);
    const meaning = `${call.name}\n${meaningOf(call.text)}`;
    const isNew = !first.meanings.has(meaning);
    first.meanings.add(meaning);
    return isNew;
  }
}

function meansTheSame(one: SeenCall, other: SeenCall): boolean {
  return one.name === other.name && (one.text === other.text || meaningOf(one.text) === meaningOf(other.text));
}
