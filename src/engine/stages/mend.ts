import { VerbatimJson } from "../../dialects/index.ts";
import type { BackendCallDone, Emit, Tool, Turn } from "../../turn/index.ts";
import type { Stage } from "./stage.ts";

/**
 * The one repair of arguments that a provider sends: valid JSON passes unchanged, and syntax errors are repaired as the text
 * arrives. Arguments of strict tools are not repaired. Neither are those of calls recovered from text: the reader has repaired
 * them.
 */
export function mendArguments({ tools }: Turn): Stage {
  let untouched: Set<string> | undefined;
  let open: Map<number, VerbatimJson> | undefined;

  const finish = (json: VerbatimJson, event: BackendCallDone, emit: Emit) => {
    const { rest, ending } = json.end();
    for (const repair of json.repairs) emit({ type: "call.repaired", call: event.call, repair });
    if (rest !== "") emit({ type: "call.arguments", call: event.call, delta: rest });
    // A call that is cut off gets no `call.done`.
    if (ending === "whole") emit(event);
  };

  return (event, emit) => {
    switch (event.type) {
      case "call.started":
        untouched ??= namesOfUntouched(tools);
        if (event.kind === "function" && event.dialect === undefined && !untouched.has(event.name)) {
          open ??= new Map();
          open.set(event.call, new VerbatimJson());
        }
        emit(event);
        return;
      case "call.arguments": {
        const delta = open?.get(event.call)?.push(event.delta) ?? event.delta;
        if (delta !== "") emit(delta === event.delta ? event : { ...event, delta });
        return;
      }
      case "call.done": {
        const json = open?.get(event.call);
        open?.delete(event.call);
        if (json) finish(json, event, emit);
        else emit(event);
        return;
      }
      default:
        emit(event);
    }
  };
}

/** A function that stands in for a free-text tool may have received that text instead of JSON. */
function namesOfUntouched(tools: readonly Tool[]): Set<string> {
  return new Set(
    tools.flatMap((tool) => (tool.type === "function" && (tool.strict || tool.freeText) ? [tool.name] : [])),
  );
}
