import { permits } from "../../tools/index.ts";
import type { CallStarted, Emit, Turn, TurnEvent, TurnFinished } from "../../turn/index.ts";
import { InvalidCall } from "../invalid-call.ts";
import type { Observer } from "../observer.ts";
import type { Stage } from "./stage.ts";

/** So much may stand between two calls; more is the model telling what it cannot know yet. */
const mostVisible = 64;
/** A model that makes more calls than these in one turn has lost its way. */
const mostCalls = 128;

/**
 * A model without tools of its own does not know that its turn is over when it has made its calls: it goes on, and makes up what
 * they return. So nothing that follows a call goes further, unless it is another call, and soon the turn is ended.
 */
export function cutOff({ choice, settings, stream }: Turn, observer: Observer): Stage {
  const most = choice.mode === "forced" || settings.parallelToolCalls === false ? 1 : mostCalls;
  /** Calls that the client may have, out of all that are done. */
  let allowed = 0;
  let done = 0;
  let open: CallStarted | undefined;
  /** What was dropped since the last call, as far as it can be a call that was begun; and in all. */
  let tail = "";
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
    if (isOver) return;
    visible += text.replace(/\s+/g, "").length;
    if (visible > mostVisible) end(emit);
    else tail += text;
  };
  const finish = (event: TurnFinished, emit: Emit) => {
    if (bytes > 0) observer.cutOff(bytes);
    // What the limit cut was not wanted, unless it was another call.
    const isWhole = isOver || (done > 0 && !open && !/[<[{|]/.test(tail));
    emit(isWhole && event.reason === "length" ? { ...event, reason: "stop" } : event);
  };
  const pass = (event: TurnEvent, emit: Emit) => {
    emit(event);
    if (event.type === "call.started") open = event;
    if (event.type !== "call.done" || !open) return;
    done++;
    if (permits(choice, open)) allowed++;
    open = undefined;
    tail = "";
    visible = 0;
    if (allowed === most) end(emit);
  };

  return (event, emit) => {
    if (event.type === "turn.finished") finish(event, emit);
    else if (event.type === "turn.failed") {
      // A call that nobody wanted cannot be wrong.
      if (!isOver || !(event.error instanceof InvalidCall)) emit(event);
    } else if (done > 0 && isWords(event)) {
      if ("text" in event) drop(event.text, emit);
    } else if (isOver && isOfCall(event)) {
      if ("delta" in event) bytes += Buffer.byteLength(event.delta);
    } else pass(event, emit);
  };
}

function isWords({ type }: TurnEvent): boolean {
  return /^(?:text|refusal|annotation|message|reasoning)\./.test(type);
}

function isOfCall({ type }: TurnEvent): boolean {
  return type.startsWith("call.");
}
