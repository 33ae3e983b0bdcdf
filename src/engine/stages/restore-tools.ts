import { FreeText, type FunctionAdapter } from "../../tools/index.ts";
import { type BackendCallStarted, type Emit, isTerminal } from "../../turn/index.ts";
import type { Stage } from "./stage.ts";

/** If the model calls a function by another name than the offered one, restores the offered name. */
export function offeredNames(adapter: FunctionAdapter): Stage {
  return (event, emit) => {
    const name = event.type === "call.started" ? adapter.offered(event.name) : undefined;
    emit(event.type === "call.started" && name !== undefined && name !== event.name ? { ...event, name } : event);
  };
}

/** Turns the call of a function that stands in for another tool into a call of that tool, as the client knows it. */
export function restoreTools(adapter: FunctionAdapter, isStreamed: boolean): Stage {
  let texts: Map<number, FreeText> | undefined;
  let isCut = false;

  const start = (event: BackendCallStarted, emit: Emit) => {
    const tool = adapter.original(event.name);
    if (!tool) {
      emit(event);
      return;
    }
    const { kind, name, namespace } = tool;
    // A provider may already report a custom call, whose arguments are free text.
    if (kind === "custom" && event.kind === "function") {
      texts ??= new Map();
      texts.set(event.call, new FreeText());
    }
    // The prefix of an item's id states its type, so the id of another kind is dropped.
    const id = kind === event.kind ? event.id : undefined;
    emit({ ...event, kind, name, namespace, id, offeredAs: event.name });
  };

  return (event, emit) => {
    // In a stream nothing can follow a call that stops in the middle: an item is done before the next one begins.
    if (isStreamed && isCut && !isTerminal(event) && event.type !== "usage.reported") return;
    switch (event.type) {
      case "call.started":
        start(event, emit);
        return;
      case "call.arguments": {
        const text = texts?.get(event.call);
        const delta = text ? text.push(event.delta) : event.delta;
        if (delta !== "") emit(delta === event.delta ? event : { ...event, delta });
        return;
      }
      case "call.done": {
        const text = texts?.get(event.call);
        texts?.delete(event.call);
        const rest = text?.end() ?? "";
        if (rest !== "") emit({ type: "call.arguments", call: event.call, delta: rest });
        // A call that is cut off gets no `call.done`.
        if (text?.isCut) isCut = true;
        else emit(event);
        return;
      }
      case "round.finished":
        emit(isCut && event.reason === "stop" ? { ...event, reason: "length" } : event);
        return;
      default:
        emit(event);
    }
  };
}
