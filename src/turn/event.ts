import type { TurnError } from "./errors.ts";
import type { CallKind, CallOwner, Extensions, WireFormat } from "./item.ts";
import type { JsonObject } from "./json.ts";
import type { Usage } from "./usage.ts";

/**
 * The events of a turn in the form that clients need. The list is closed: every encoder handles all of it.
 *
 * Items never overlap: an item is started, grows and is done before the next one is started, and every id is present and final. The
 * events have no fields that could express anything else. Two things end without a done event: a call whose arguments stop in the
 * middle, and whatever is open when a turn fails. Backends emit `BackendEvent`s; the engine's settle stage converts them.
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

/** Every turn ends with exactly one of these. */
export type TurnEnding = TurnFinished | TurnFailed;

export interface MessageStarted {
  type: "message.started";
  id: string;
  /** The message continues the text from before an item in between. In Chat Completions both texts are one message. */
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

/** Fields of the assistant's message that pass through unread. They belong to no item and may come at any position. */
export interface MessageExtra {
  type: "message.extra";
  extensions: Extensions;
}

export interface MessageDone {
  type: "message.done";
  status: "completed" | "incomplete";
  /** A call follows, so the message is not the answer yet. */
  isCommentary: boolean;
}

export interface ReasoningStarted {
  type: "reasoning.started";
  id: string;
  /** The backend's own id, if it gave one. */
  upstreamId?: string | undefined;
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
  /** `callId` correlates the call with its output; `id` is the id of the call's item. */
  callId: string;
  id: string;
  name: string;
  /** The tool's namespace, if it has one. */
  namespace?: string | undefined;
  /** The name of the function that was offered to the model in place of the client's tool, if there was one. */
  offeredAs?: string | undefined;
  /** The backend's own `callId`, if the client has a different one. */
  upstreamId?: string | undefined;
  /** The dialect in which the model wrote the call, if it was parsed from text. */
  dialect?: string | undefined;
  /** Fields that pass through unread, for example `extra_content` of a Chat call. */
  extensions?: Extensions | undefined;
}

/** Belongs to the call that was started last. */
export interface CallArguments {
  type: "call.arguments";
  delta: string;
}

/** The call is complete, and its owner may run it. A call without this event is incomplete, however the turn ends. */
export interface CallDone {
  type: "call.done";
  arguments: string;
}

/** The output of a tool that the gateway runs. */
export interface OutputDone {
  type: "output.done";
  kind: CallKind;
  callId: string;
  output: string;
}

/** A complete item that passes through unread, in the shape of its wire format. */
export interface ItemDone {
  type: "item.done";
  id: string;
  format: WireFormat;
  item: JsonObject;
  /** Whether the item is a call of a tool that the provider runs. */
  isToolCall?: boolean | undefined;
  /** The same item in another wire format, if the provider wrote it in that format. */
  extensions?: Extensions | undefined;
}

/** stop: the model ended by itself, with or without calls. */
export type FinishReason = "stop" | "length" | "content_filter";

export interface TurnFinished {
  type: "turn.finished";
  reason: FinishReason;
  usage?: Usage | undefined;
  /** false: the model is not done and expects to be called again without new input. */
  endTurn?: boolean | undefined;
}

export interface TurnFailed {
  type: "turn.failed";
  error: TurnError;
  usage?: Usage | undefined;
}
