import type { TurnError } from "./errors.ts";
import type { CallKind, CallOwner, Extensions, WireFormat } from "./item.ts";
import type { JsonObject } from "./json.ts";
import type { Usage } from "./usage.ts";

/**
 * What happens in a turn, as clients need it. The list is closed: every encoder knows all of it.
 *
 * One item follows the other: an item is started, grows and is done before the next one is started, and every id is present and final.
 * An event has no field that could say otherwise. Two things end without a done: a call whose arguments stop in the middle, and
 * whatever is open when a turn fails. Backends speak another language, `BackendEvent`; the engine's settle stage turns it into this one.
 */
export type TurnEvent =
  | MessageStarted
  | TextDelta
  | RefusalDelta
  | AnnotationAdded
  | MessageExtra
  | MessageDone
  | ReasoningStarted
  | ReasoningDelta
  | ReasoningDone
  | CallStarted
  | CallArguments
  | CallDone
  | OutputDone
  | ItemDone;

/** What a turn ends with, exactly once. */
export type TurnEnding = TurnFinished | TurnFailed;

export interface MessageStarted {
  type: "message.started";
  id: string;
  /** The model goes on with the text that stood before an item in between: to Chat Completions it is one message. */
  continues?: boolean | undefined;
  extensions?: Extensions | undefined;
}

export interface TextDelta {
  type: "text.delta";
  text: string;
  logprobs?: JsonObject[] | undefined;
}

export interface RefusalDelta {
  type: "refusal.delta";
  text: string;
}

export interface AnnotationAdded {
  type: "annotation.added";
  annotation: JsonObject;
}

/** Fields of the assistant's message that pass through unread. They belong to no item, and stand wherever they come. */
export interface MessageExtra {
  type: "message.extra";
  extensions: Extensions;
}

export interface MessageDone {
  type: "message.done";
  status: "completed" | "incomplete";
  /** A call follows: the message is not the answer yet. */
  isCommentary: boolean;
}

export interface ReasoningStarted {
  type: "reasoning.started";
  id: string;
}

export interface ReasoningDelta {
  type: "reasoning.delta";
  text: string;
  /** Which part of the summary this belongs to. */
  part: number;
}

export interface ReasoningDone {
  type: "reasoning.done";
  encrypted?: string | undefined;
}

export interface CallStarted {
  type: "call.started";
  kind: CallKind;
  owner: CallOwner;
  /** What the call's output names, and its item's own id. */
  callId: string;
  id: string;
  name: string;
  /** Of the tool, where it stands in one. */
  namespace?: string | undefined;
  /** The function that the model called, where the client's tool was offered to it as another. */
  offeredAs?: string | undefined;
  /** The backend's own `callId`, where the client has another. */
  upstreamId?: string | undefined;
  /** In which the model wrote it, where it was read out of text. */
  dialect?: string | undefined;
  /** What passes through unread, such as `extra_content` of a Chat call. */
  extensions?: Extensions | undefined;
}

/** About the call that was started last. */
export interface CallArguments {
  type: "call.arguments";
  delta: string;
}

/** The call is whole: whoever owns it may run it. A call without this event is unfinished, whatever ends the turn. */
export interface CallDone {
  type: "call.done";
  arguments: string;
}

/** What a tool that the gateway runs has returned. */
export interface OutputDone {
  type: "output.done";
  kind: CallKind;
  callId: string;
  output: string;
}

/** A whole item that passes through unread, in the shape of its wire format. */
export interface ItemDone {
  type: "item.done";
  id: string;
  format: WireFormat;
  item: JsonObject;
  /** Whether it is the call of a tool that the provider runs. */
  isToolCall?: boolean | undefined;
  /** The same in the shape of another format, where its provider wrote it so. */
  extensions?: Extensions | undefined;
}

/** stop: the model ended by itself, with or without calls. */
export type FinishReason = "stop" | "length" | "content_filter";

export interface TurnFinished {
  type: "turn.finished";
  reason: FinishReason;
  usage?: Usage | undefined;
  /** false: the model is not done, and wants to be asked again as things are. */
  endTurn?: boolean | undefined;
}

export interface TurnFailed {
  type: "turn.failed";
  error: TurnError;
  usage?: Usage | undefined;
}
