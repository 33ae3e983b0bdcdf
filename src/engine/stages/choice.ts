import { demandsCall, permits } from "../../tools/index.ts";
import type { BackendCallStarted, Emit, Turn, TurnListener } from "../../turn/index.ts";
import { missingCall, unknownName } from "../invalid-call.ts";
import type { Stage } from "./stage.ts";
import { UnreadTools } from "./unread-tools.ts";

/**
 * Enforces the client's tool settings, whatever the backend did with them: no call that `tool_choice` forbids, one call if parallel
 * calls are off, and at least one call if one is demanded.
 */
export function keepChoice(turn: Turn, listener: TurnListener): Stage {
  const { choice } = turn;
  const onlyOne = turn.settings.parallelToolCalls === false;
  const unread = new UnreadTools(turn);
  let names: Set<string> | undefined;
  let hasStrict: boolean | undefined;
  let suppressed: Set<number> | undefined;
  let passed = 0;
  let calls = 0;
  let refused = false;

  const isUnknown = (name: string) => {
    names ??= new Set(namesOf(turn));
    return !names.has(name) && !unread.any;
  };

  const start = (event: BackendCallStarted, emit: Emit) => {
    if (!permits(choice, event) || (onlyOne && calls > 0)) {
      suppressed ??= new Set();
      suppressed.add(event.call);
      listener.callSuppressed?.(event.name);
      return;
    }
    if (isUnknown(event.name)) {
      listener.unknownTool?.(event.name);
      hasStrict ??= turn.tools.some((tool) => tool.type === "function" && tool.strict === true);
      if (hasStrict) {
        listener.strictFailed?.(event.name, null);
        emit({ type: "round.failed", error: unknownName(event.name, namesOf(turn), event.dialect !== undefined) });
        return;
      }
    }
    passed++;
    calls++;
    emit(event);
  };

  return (event, emit) => {
    switch (event.type) {
      case "call.started":
        start(event, emit);
        return;
      case "call.arguments":
      case "call.done":
      case "call.repaired":
        if (event.call === undefined || !suppressed?.has(event.call)) emit(event);
        return;
      case "refusal.delta":
        refused = true;
        emit(event);
        return;
      case "item.done":
        // The model called a tool that the provider runs. That meets a demand for a call, and violates `none`.
        if (event.isToolCall) {
          if (choice.mode === "none") return;
          passed++;
        }
        emit(event);
        return;
      case "round.finished":
        if (event.reason === "stop" && passed === 0 && !refused && demandsCall(choice)) {
          emit({ type: "round.failed", error: missingCall(choice.mode === "forced" ? choice.tool.name : undefined) });
        } else emit(event);
        return;
      default:
        emit(event);
    }
  };
}

function namesOf({ tools }: Turn): string[] {
  return tools.flatMap((tool) => (tool.type === "hosted" ? [] : [tool.name]));
}
