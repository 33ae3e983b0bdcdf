import { FreeText, type FunctionAdapter } from "../../tools/index.ts";
import type { BackendCallStarted, Emit } from "../../turn/index.ts";
import type { Stage } from "./stage.ts";

/** A function that the model calls by another name than it was offered under is called by that. */
export function offeredNames(form: FunctionAdapter): Stage {
  return (event, emit) => {
    const name = event.type === "call.started" ? form.offered(event.name) : undefined;
    emit(event.type === "call.started" && name !== undefined && name !== event.name ? { ...event, name } : event);
  };
}

/** A call of a function that stands for another tool becomes the call of that tool, as its client knows it. */
export function restoreTools(form: FunctionAdapter): Stage {
  let texts: Map<number, FreeText> | undefined;
  let isCut = false;

  const start = (event: BackendCallStarted, emit: Emit) => {
    const tool = form.original(event.name);
    if (!tool) {
      emit(event);
      return;
    }
    const { kind, name, namespace } = tool;
    // A provider may know what the function stands for.
    if (kind === "custom" && event.kind === "function") {
      texts ??= new Map();
      texts.set(event.call, new FreeText());
    }
    // The id of an item tells its type.
    const id = kind === event.kind ? event.id : undefined;
    emit({ ...event, kind, name, namespace, id, offeredAs: event.name });
  };

  return (event, emit) => {
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
        // A call that stops in the middle is never done.
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
