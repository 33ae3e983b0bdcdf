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
 * What happens in one round, as a provider speaks. Ids may be missing. Items may begin and end without a word: text after a call is a
 * new message. And they may overlap: then their events carry a number of the backend's own, unique in the round (`call`, or `item` for
 * what is no call), and an item that has a number is ended by its `…done`.
 *
 * Most of these are a `TurnEvent` and more, so that what lacks nothing is handed on as it is.
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
  | ResponseStarted
  | UsageReported
  | RoundFinished
  | RoundFailed;

/** The number of an item that may be mixed with others. */
interface OfItem {
  item?: number | undefined;
}

export interface BackendTextDelta extends TextDelta, OfItem {}
export interface BackendRefusalDelta extends RefusalDelta, OfItem {}
export interface BackendAnnotationAdded extends AnnotationAdded, OfItem {}

/** Optional: begins a new message even where the last item was one too. */
export interface BackendMessageStarted extends Omit<MessageStarted, "id" | "continues">, OfItem {
  id?: string | undefined;
}

/** The end of a message that has a number. */
export interface BackendMessageDone extends OfItem {
  type: "message.done";
}

/** Optional: begins a new reasoning item even where the last item was one too. */
export interface BackendReasoningStarted extends Omit<ReasoningStarted, "id">, OfItem {
  id?: string | undefined;
}

export interface BackendReasoningDelta extends ReasoningDelta, OfItem {}

/** Optional: carries what only the end of a reasoning item knows. */
export interface BackendReasoningDone extends ReasoningDone, OfItem {}

export interface BackendCallStarted extends Omit<CallStarted, "owner" | "callId" | "id" | "upstreamId"> {
  call: number;
  /** As the backend named them. */
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

/** What was put right in a call so that every client can read it; `docs/repairs.md` tells what each of them is. */
export type Repair = FormRepair | TextRepair;

/** In the form in which a backend gave it. */
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

/** In the text in which a model wrote it. */
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

/** Tells the listeners, and goes no further. Between a call's start and its end, where it is about a call. */
export interface CallRepaired {
  type: "call.repaired";
  call?: number | undefined;
  repair: Repair;
}

/** A provider that keeps its responses has named this one, which lets a later request continue it there. */
export interface ResponseStarted {
  type: "response.started";
  id: string;
}

export interface UsageReported {
  type: "usage.reported";
  usage: Usage;
}

export interface RoundFinished {
  type: "round.finished";
  reason: FinishReason;
  /** false: the model is not done, and wants to be asked again as things are. */
  endTurn?: boolean | undefined;
}

export interface RoundFailed {
  type: "round.failed";
  error: TurnError;
}

export type Emit = (event: BackendEvent) => void;

/** Whether the event is the one that ends a round. */
export function isTerminal(event: BackendEvent): event is RoundFinished | RoundFailed {
  return event.type === "round.finished" || event.type === "round.failed";
}
