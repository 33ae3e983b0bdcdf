import { argumentsState, ObjectEnd } from "../../tools/index.ts";
import type { CallKind, Extensions, FinishReason, JsonObject } from "../../turn/index.ts";
import type { RepairedCall } from "../repairs.ts";

/** A call whose deltas are still arriving. */
export interface GrowingCall extends RepairedCall {
  kind: CallKind;
  id: string | undefined;
  index: number | undefined;
  /** Empty until the first piece arrives. */
  name: string;
  arguments: string;
  /** Whether the arguments are only whitespace so far. */
  blank: boolean;
  end: ObjectEnd;
  /** Arguments that came as an object. Buffered until the call ends, because each delta may repeat the object with more keys. */
  object: JsonObject | undefined;
  /** Whether that object has keys. To count them again for each delta would take too long. */
  hasKeys: boolean;
  extensions: Extensions | undefined;
  /** Whether a delta arrived since the last search for complete calls. */
  touched: boolean;
}

/** Shared by all calls that are done: nothing more is fed to it. */
const reachedEnd = new ObjectEnd();
reachedEnd.feed("{}");

/** Many calls may be done while the answer continues. Drops what is not needed to identify the call. */
export function release(call: GrowingCall): void {
  call.done = true;
  call.arguments = "";
  call.end = reachedEnd;
  call.extensions = undefined;
}

export function newCall(number: number, index: number | undefined, id: string | undefined): GrowingCall {
  return {
    number,
    kind: "function",
    id,
    index,
    name: "",
    arguments: "",
    blank: true,
    end: new ObjectEnd(),
    object: undefined,
    hasKeys: false,
    extensions: undefined,
    started: false,
    done: false,
    touched: false,
    repairs: undefined,
  };
}

/** A complete object cannot continue. Free text always can, and so can arguments that have not begun. */
export function isSurelyWhole({ kind, object, end }: GrowingCall): boolean {
  return object !== undefined || (kind === "function" && end.reached);
}

/**
 * If the answer was cut off, a call counts only if it is certainly complete. If the model stopped by itself, a call is incomplete
 * only if its arguments are truncated JSON.
 */
export function isWhole(call: GrowingCall, reason: FinishReason): boolean {
  if (reason !== "stop") return isSurelyWhole(call) && !isPlaceholder(call);
  return call.object !== undefined || call.kind === "custom" || argumentsState(call.arguments) !== "cut";
}

/** Some providers begin every call with an empty object and send the arguments after it. */
export function isPlaceholder({ object, hasKeys }: GrowingCall): boolean {
  return object !== undefined && !hasKeys;
}
