import type { ArgumentChecks } from "../../tools/index.ts";
import {
  type BackendCallStarted,
  type BackendEvent,
  type Emit,
  parseJson,
  type Turn,
  type TurnListener,
} from "../../turn/index.ts";
import { argumentsInvalid } from "../invalid-call.ts";
import type { Stage } from "./stage.ts";
import { UnreadTools } from "./unread-tools.ts";

/**
 * Buffers the call of a strict tool until its arguments are known to match the schema. If they do not, the round fails. Returns no
 * stage if no tool is strict. Calls arrive here one after the other.
 */
export function keepStrict(turn: Turn, checks: ArgumentChecks, listener: TurnListener): Stage | undefined {
  const { tools } = turn;
  const strict = new Set(tools.flatMap((tool) => (tool.type === "function" && tool.strict ? [tool.name] : [])));
  if (strict.size === 0) return undefined;
  const unread = new UnreadTools(turn);
  let open: BackendCallStarted | undefined;
  let repairs: BackendEvent[] = [];
  let text = "";

  const finish = (call: BackendCallStarted, done: BackendEvent, emit: Emit) => {
    const value = text.trim() === "" ? {} : parseJson(text);
    const mismatch = value === undefined ? notJson : checks.check(call.name, value);
    if (mismatch) {
      listener.strictFailed?.(call.name, mismatch.path);
      emit({ type: "round.failed", error: argumentsInvalid(call.name, text, mismatch) });
      return;
    }
    listener.callReplayed?.(call, repairs.length + (text === "" ? 2 : 3));
    emit(call);
    for (const repair of repairs) emit(repair);
    if (text !== "") emit({ type: "call.arguments", call: call.call, delta: text });
    emit(done);
  };

  return (event, emit) => {
    switch (event.type) {
      case "call.started":
        if (event.kind !== "function" || !strict.has(event.name) || unread.has(event)) break;
        listener.callBuffered?.(event);
        open = event;
        repairs = [];
        text = "";
        return;
      case "call.arguments":
        if (event.call !== open?.call) break;
        text += event.delta;
        return;
      case "call.repaired":
        if (event.call === undefined || event.call !== open?.call) break;
        repairs.push(event);
        return;
      case "call.done": {
        const call = open;
        if (event.call !== call?.call) break;
        open = undefined;
        finish(call, event, emit);
        return;
      }
      case "round.finished":
        // A call that is cut off is not emitted, and the finish reason says so.
        if (!open || event.reason !== "stop") break;
        emit({ ...event, reason: "length" });
        return;
    }
    emit(event);
  };
}

const notJson = { path: "", message: "are not JSON" };
