import type { CallStarted, JsonObject, JsonValue } from "../../turn/index.ts";
import type { Memory } from "../continuity.ts";
import type { Stage } from "./stage.ts";

/** Beyond this it is not kept, so there is no use in gathering it. */
const mostReasoning = 512 * 1024;

/**
 * Keeps of each whole call what the client may not bring back: the backend's own id, and what the model thought before it.
 * `wantsReasoning` is said of backends that refuse calls without it.
 */
export function rememberCalls(memory: Memory, backend: string, wantsReasoning: boolean): Stage {
  let reasoning = "";
  let part = 0;
  let reasoningId: string | undefined;
  let besides: JsonObject | undefined;
  let open: CallStarted | undefined;
  let text = "";

  const keep = (call: CallStarted & { callId: string }) => {
    const { upstreamId, more, name, callId } = call;
    const thought = wantsReasoning && reasoning !== "" && reasoning.length <= mostReasoning ? reasoning : undefined;
    const renamed = upstreamId !== undefined && upstreamId !== callId ? upstreamId : undefined;
    const extra = more?.api === "chat" ? more : undefined;
    if (thought === undefined && renamed === undefined && besides === undefined && extra === undefined) return;
    memory.keepCall(
      { callId, name, arguments: text },
      { backend, callId: renamed, reasoning: thought, besides, more: extra },
    );
  };

  return (event, emit) => {
    emit(event);
    switch (event.type) {
      case "reasoning.started":
        reasoningId = event.id;
        return;
      case "reasoning.delta":
        if (!wantsReasoning || reasoning.length > mostReasoning) return;
        reasoning += reasoning !== "" && event.part !== part ? `\n\n${event.text}` : event.text;
        part = event.part;
        return;
      case "reasoning.done":
        if (event.encrypted !== undefined && reasoningId !== undefined) memory.keepReasoning(reasoningId, backend);
        return;
      case "item.done":
        if (event.api === "chat" && event.item.reasoning_details)
          besides = joined(besides, event.item.reasoning_details);
        return;
      case "call.started":
        open = event;
        text = "";
        return;
      case "call.arguments":
        text += event.delta;
        return;
      case "call.done":
        if (open?.callId !== undefined) keep({ ...open, callId: open.callId });
        open = undefined;
    }
  };
}

/** They come in pieces, each a list. */
function joined(before: JsonObject | undefined, details: JsonValue): JsonObject {
  const list = Array.isArray(before?.reasoning_details) ? before.reasoning_details : [];
  return { reasoning_details: list.concat(details) };
}
