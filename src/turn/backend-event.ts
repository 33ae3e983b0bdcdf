import type { TurnError } from "./errors.ts";
import type {
  AnnotationAdded,
  CallArguments,
  CallDone,
  CallStarted,
  FinishReason,
  ItemDone,
  MessageExtra,
  MessageStarted,
  ReasoningDelta,
  ReasoningDone,
  ReasoningStarted,
  RefusalDelta,
  TextDelta,
} from "./event.ts";
import type { Usage } from "./usage.ts";

/**
 * The events of one round as a backend emits them. Ids may be missing. Items may start and end implicitly: text after a call starts
 * a new message. Items may overlap: then their events carry a number that the backend chose and that is unique in the round (`call`
 * for calls, `item` for other items). A numbered item begins with its `…started` event and ends with its `…done` event: pieces
 * outside of them are dropped.
 *
 * Most of these types extend a `TurnEvent`, so an event that lacks nothing is passed on unchanged.
 */
export type BackendEvent =
  | BackendTextDelta
  | BackendRefusalDelta
  | BackendAnnotationAdded
  | BackendMessageStarted
  | BackendMessageDone
  | BackendReasoningStarted
  | BackendReasoningDelta
  | BackendReasoningDone
  | BackendCallStarted
  | BackendCallArguments
  | BackendCallDone
  | BackendItemDone
  | CallRepaired
  | MessageExtra
  | UsageReported
  | RoundFinished
  | RoundFailed;

/** The number of an item whose events may overlap with those of other items. `item.done` has none: its `item` is the JSON. */
interface WithItem {
  item?: number | undefined;
}

export interface BackendTextDelta extends TextDelta, WithItem {}
export interface BackendRefusalDelta extends RefusalDelta, WithItem {}
export interface BackendAnnotationAdded extends AnnotationAdded, WithItem {}

/** Required if the message has a number. Otherwise optional: starts a new message even if the previous item was one too. */
export interface BackendMessageStarted extends Omit<MessageStarted, "id" | "continues">, WithItem {
  id?: string | undefined;
}

/** Ends a message that has a number. */
export interface BackendMessageDone extends WithItem {
  type: "message.done";
}

/** Required if the item has a number. Otherwise optional: starts a new reasoning item even if the previous item was one too. */
export interface BackendReasoningStarted extends Omit<ReasoningStarted, "id" | "upstreamId">, WithItem {
  id?: string | undefined;
}

export interface BackendReasoningDelta extends ReasoningDelta, WithItem {}

/** Optional: carries what the backend knows only at the end of a reasoning item. */
export interface BackendReasoningDone extends ReasoningDone, WithItem {}

export interface BackendCallStarted extends Omit<CallStarted, "owner" | "callId" | "id" | "upstreamId"> {
  call: number;
  /** The backend's own ids, if it sent any. */
  callId?: string | undefined;
  id?: string | undefined;
}

export interface BackendCallArguments extends CallArguments {
  call: number;
}

export interface BackendCallDone extends Omit<CallDone, "arguments"> {
  call: number;
}

export interface BackendItemDone extends Omit<ItemDone, "id"> {}

/** What was repaired in a call so that every client can read it. `docs/repairs.md` describes each repair. */
export type Repair = FormRepair | TextRepair;

/** Repairs of the structure in which a backend sent the call. */
type FormRepair =
  | "missing_id"
  | "unusable_id"
  | "repeated_id"
  | "missing_index"
  | "shared_index"
  | "interleaved"
  | "late_name"
  | "repeated_name"
  | "split_name"
  | "arguments_object"
  | "arguments_empty"
  | "arguments_at_end"
  | "finish_reason"
  | "final_only"
  | "duplicate";

/** Repairs of the text that the model wrote. */
export type TextRepair =
  | "name_case"
  | "trailing_comma"
  | "single_quotes"
  | "python_literal"
  | "raw_newline"
  | "bad_escape"
  | "unescaped_quote"
  | "unquoted_key"
  | "double_encoded"
  | "missing_close"
  | "extra_close"
  | "missing_open"
  | "comment"
  | "repeated_parameter"
  | "undeclared_parameter"
  | "not_declared_type"
  | "stray_text"
  | "misspelled_marker";

/** For listeners only: it never reaches the client. A repair of a call comes between the start and the end of that call. */
export interface CallRepaired {
  type: "call.repaired";
  call?: number | undefined;
  repair: Repair;
}

export interface UsageReported {
  type: "usage.reported";
  usage: Usage;
}

export interface RoundFinished {
  type: "round.finished";
  reason: FinishReason;
  /** false: the model is not done and expects to be called again without new input. */
  endTurn?: boolean | undefined;
}

export interface RoundFailed {
  type: "round.failed";
  error: TurnError;
}

export type Emit = (event: BackendEvent) => void;

/** Whether the event ends its round. */
export function isTerminal(event: BackendEvent): event is RoundFinished | RoundFailed {
  return event.type === "round.finished" || event.type === "round.failed";
}
