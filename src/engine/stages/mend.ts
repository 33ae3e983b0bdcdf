import { VerbatimJson } from "../../dialects/index.ts";
import type { BackendCallDone, Emit, Turn } from "../../turn/index.ts";
import type { Stage } from "./stage.ts";

/**
 * The one repair of arguments that a provider gives: what is JSON goes on as it comes, and slips in it are mended on the candidate. Not
 * those of strict tools, nor what was read out of text, where that is done in reading.
 */
export function mendArguments({ tools }: Turn): Stage {
  // What stands for free text may be that text, which is nobody's to mend.
  const untouched = new Set(
    tools.flatMap((tool) => (tool.type === "function" && (tool.strict || tool.freeText) ? [tool.name] : [])),
  );
  let open: Map<number, VerbatimJson> | undefined;

  const finish = (json: VerbatimJson, event: BackendCallDone, emit: Emit) => {
    const { rest, ending } = json.end();
    for (const repair of json.repairs) emit({ type: "call.repaired", call: event.call, repair });
    if (rest !== "") emit({ type: "call.arguments", call: event.call, delta: rest });
    // A call that stops in the middle is never done.
    if (ending === "whole") emit(event);
  };

  return (event, emit) => {
    switch (event.type) {
      case "call.started":
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
