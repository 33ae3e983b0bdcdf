import { argumentsState, ObjectEnd } from "../../tools/index.ts";
import type { CallKind, Extensions, FinishReason, JsonObject } from "../../turn/index.ts";
import type { RepairedCall } from "../repairs.ts";

/** A call as far as it has come. */
export interface GrowingCall extends RepairedCall {
  kind: CallKind;
  id: string | undefined;
  index: number | undefined;
  /** Empty until a piece of it has come. */
  name: string;
  arguments: string;
  /** Whether the arguments are nothing but white space yet. */
  blank: boolean;
  end: ObjectEnd;
  /** Arguments that came as an object: held back until the call ends, because each delta may bring it anew and fuller. */
  object: JsonObject | undefined;
  extensions: Extensions | undefined;
  /** Whether anything came since calls were last looked through for whole ones. */
  touched: boolean;
}

/** Of a call that is done: nothing more is read of it. */
const reachedEnd = new ObjectEnd();
reachedEnd.feed("{}");

/** Many calls may be done while the answer goes on: what is not needed to tell them from others goes. */
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
    extensions: undefined,
    started: false,
    done: false,
    touched: false,
    repairs: undefined,
  };
}

/** An object that is whole cannot go on. Free text always can, and so can arguments that have not begun. */
export function isSurelyWhole({ kind, object, end }: GrowingCall): boolean {
  return object !== undefined || (kind === "function" && end.reached);
}

/** Where the model was cut off, only what is surely whole can be trusted; where it stopped by itself, only JSON can be cut. */
export function isWhole(call: GrowingCall, reason: FinishReason): boolean {
  if (reason !== "stop") return isSurelyWhole(call) && !isPlaceholder(call);
  return call.object !== undefined || call.kind === "custom" || argumentsState(call.arguments) !== "cut";
}

/** Some providers begin every call with an empty object and send the arguments after it. */
export function isPlaceholder({ object }: GrowingCall): boolean {
  return object !== undefined && Object.keys(object).length === 0;
}
