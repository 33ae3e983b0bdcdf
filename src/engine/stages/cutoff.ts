import { type Emit, isTerminal, type Turn, type TurnEvent } from "../../turn/index.ts";
import type { Observer } from "../observer.ts";
import type { Stage } from "./stage.ts";

/** So much may stand between two calls; more is the model telling what it cannot know yet. */
const mostVisible = 64;
/** A model that makes more calls than these in one turn has lost its way. */
const mostCalls = 128;

/**
 * A model without tools of its own does not know that its turn is over when it has made its calls: it goes on, and makes up what
 * they return. So nothing that follows a call reaches the client, unless it is another call, and soon the turn is ended.
 */
export function cutOff({ choice, settings, stream }: Turn, observer: Observer): Stage {
  const most = choice.mode === "forced" || settings.parallelToolCalls === false ? 1 : mostCalls;
  let calls = 0;
  /** Of what was dropped: since the last call, and in all. */
  let visible = 0;
  let bytes = 0;
  let isOver = false;

  /** A whole answer is heard to its end, because only there it tells what it cost. */
  const end = (emit: Emit) => {
    isOver = true;
    if (!stream) return;
    observer.cutOff(bytes);
    emit({ type: "turn.finished", reason: "stop" });
  };
  const drop = (text: string, emit: Emit) => {
    bytes += Buffer.byteLength(text);
    visible += text.replace(/\s+/g, "").length;
    if (visible > mostVisible && !isOver) end(emit);
  };

  return (event, emit) => {
    if (isTerminal(event)) {
      if (isOver || bytes > 0) observer.cutOff(bytes);
      emit(isOver && event.type === "turn.finished" ? { ...event, reason: "stop" } : event);
    } else if (calls > 0 && isWords(event)) {
      if ("text" in event) drop(event.text, emit);
    } else if (!isOver || !isOfCall(event)) {
      emit(event);
      if (event.type !== "call.done") return;
      calls++;
      visible = 0;
      if (calls === most) end(emit);
    }
  };
}

function isWords({ type }: TurnEvent): boolean {
  return /^(?:text|refusal|annotation|message|reasoning)\./.test(type);
}

function isOfCall({ type }: TurnEvent): boolean {
  return type.startsWith("call.");
}
