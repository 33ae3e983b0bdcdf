import type { TurnError } from "./errors.ts";
import type { CallKind, Extensions, WireFormat } from "./item.ts";
import type { JsonObject } from "./json.ts";
import type { Usage } from "./usage.ts";

/**
 * What happens in a turn, in order. The list is closed: every stage and every encoder knows all of it.
 *
 * Items follow one another without explicit ends: text after a call begins a new message. As they come from a backend they may
 * overlap: then their events carry a number of the backend's own, unique in the round (`call`, or `item` for what is no call),
 * and an item that has a number is ended by its `…done`. Past the engine nothing overlaps.
 */
export type TurnEvent =
  | TextDelta
  | RefusalDelta
  | AnnotationAdded
  | MessageStarted
  | MessageDone
  | ReasoningStarted
  | ReasoningDelta
  | ReasoningDone
  | CallStarted
  | CallArguments
  | CallDone
  | CallRepaired
  | ItemDone
  | ResponseStarted
  | UsageReported
  | TurnFinished
  | TurnFailed;

export interface TextDelta {
  type: "text.delta";
  item?: number | undefined;
  text: string;
  logprobs?: JsonObject[] | undefined;
}

export interface RefusalDelta {
  type: "refusal.delta";
  item?: number | undefined;
  text: string;
}

export interface AnnotationAdded {
  type: "annotation.added";
  item?: number | undefined;
  annotation: JsonObject;
}

/** Optional: begins a new message even where the last item was one too. */
export interface MessageStarted {
  type: "message.started";
  item?: number | undefined;
  id?: string | undefined;
  extensions?: Extensions | undefined;
}

/** The end of a message that has a number. */
export interface MessageDone {
  type: "message.done";
  item?: number | undefined;
}

/** Optional: begins a new reasoning item even where the last item was one too. */
export interface ReasoningStarted {
  type: "reasoning.started";
  item?: number | undefined;
  id?: string | undefined;
}

export interface ReasoningDelta {
  type: "reasoning.delta";
  item?: number | undefined;
  text: string;
  /** Which part of the summary this belongs to. */
  part: number;
}

/** Optional: carries what only the end of a reasoning item knows. */
export interface ReasoningDone {
  type: "reasoning.done";
  item?: number | undefined;
  encrypted?: string | undefined;
}

export interface CallStarted {
  type: "call.started";
  call: number;
  kind: CallKind;
  name: string;
  /** Of the tool, where it stands in one. */
  namespace?: string | undefined;
  /** The function that the model called, where the client's tool was offered to it as another. */
  offeredAs?: string | undefined;
  /** As the backend named them; the engine makes both present and unique. */
  callId?: string | undefined;
  id?: string | undefined;
  /** The backend's own `callId`, where the engine had to give another. */
  upstreamId?: string | undefined;
  /** In which the model wrote it, where it was read out of text. */
  dialect?: string | undefined;
  /** What passes through unread, such as `extra_content` of a Chat call. */
  extensions?: Extensions | undefined;
}

export interface CallArguments {
  type: "call.arguments";
  call: number;
  delta: string;
}

/** The call is whole: a client may run it. A call without this event is unfinished, whatever ends the turn. */
export interface CallDone {
  type: "call.done";
  call: number;
  /** All of them, where the engine has put them together. */
  arguments?: string | undefined;
}

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

/** Tells telemetry, and goes no further. Between a call's start and its end, where it is about a call. */
export interface CallRepaired {
  type: "call.repaired";
  call?: number | undefined;
  repair: Repair;
}

/** A whole item that passes through unread, in the shape of the API that it came from. */
export interface ItemDone {
  type: "item.done";
  format: WireFormat;
  item: JsonObject;
  /** Whether it is the call of a tool that the provider runs. */
  isToolCall?: boolean | undefined;
  /** Whether it is a field of the message that is under way, and no item of its own. */
  isOfMessage?: boolean | undefined;
}

/** A Responses provider named its response, which lets a later request continue it there. */
export interface ResponseStarted {
  type: "response.started";
  id: string;
}

export interface UsageReported {
  type: "usage.reported";
  usage: Usage;
}

/** stop: the model ended by itself, with or without calls. */
export type FinishReason = "stop" | "length" | "content_filter";

export interface TurnFinished {
  type: "turn.finished";
  reason: FinishReason;
  /** false: the model is not done, and wants to be asked again as things are. */
  endTurn?: boolean | undefined;
}

export interface TurnFailed {
  type: "turn.failed";
  error: TurnError;
}

export type Emit = (event: TurnEvent) => void;

/** Whether the event is the one that ends a turn. */
export function isTerminal(event: TurnEvent): event is TurnFinished | TurnFailed {
  return event.type === "turn.finished" || event.type === "turn.failed";
}
