import type {
  AnswerIdForm,
  AnswerView,
  BackendCallStarted,
  CallOwner,
  Cancellation,
  Clock,
  Holding,
  Ids,
  OutputDone,
  TextSink,
  ToolChoice,
  Turn,
  TurnEnding,
  TurnError,
  TurnListener,
  TurnSummary,
  WorkMarker,
} from "../turn/index.ts";
import type { AnswerDescription, CreateEncoder } from "./answer.ts";
import type { RoundResult } from "./attempt.ts";
import type { Candidate } from "./candidate.ts";
import type { Continuity } from "./continuity.ts";

/** Everything that the driver needs to run one turn. */
export interface TurnPlan {
  /** The request, with the model and the tools as the first candidate's backend takes them. */
  turn: Turn;
  /** In the order in which they are tried. The first is the one that the client asked for. */
  candidates: readonly Candidate[];
  createEncoder: CreateEncoder;
  /** Where the encoder writes. */
  sink: TextSink;
  idForm: AnswerIdForm;
  ids: Ids;
  continuity: Continuity;
  listener: TurnListener;
  clock: Clock;
  /** When the request came in, by the same clock. */
  receivedAt: number;
  /** The keep-alive interval and the time limit of the turn, in milliseconds. */
  keepAlive: number;
  total: number;
  /** Cancelled when the client leaves or the gateway stops. */
  cancellation: Cancellation;
  /** Counts what the turn keeps in memory. */
  holding?: Holding | undefined;
  /** Whether the client understands this failure only inside a stream, even if nothing was sent yet. */
  isToldInStream?: ((error: TurnError) => boolean) | undefined;
  seams?: TurnSeams | undefined;
  work?: WorkMarker | undefined;
}

/** Hooks for other parts of the gateway. */
export interface TurnSeams {
  /** Who runs a call. Without it, the client does. */
  ownerOf?(call: BackendCallStarted): CallOwner;
  /** Called after a round that ended well. Resolves to what the next round begins with, or to nothing if the turn is over. */
  nextRound?(result: RoundResult, cancellation: Cancellation): Promise<NextRound | undefined>;
  /**
   * Must finish before the client sees the end of the turn. If it rejects with a `TurnError`, the turn fails with that error. Any
   * other failure is reported to the listener, and the turn ends as it would have.
   */
  beforeEnd?(end: TurnEnd): Promise<void>;
  /** How long the end of a turn waits for `beforeEnd`, in milliseconds; 2,000 by default. */
  readonly beforeEndLimit?: number;
}

/** A turn that is about to end. */
export interface TurnEnd {
  ending: TurnEnding;
  answer: AnswerView;
  /** The id that the client has of the answer, or will have; `undefined` if the client gets an HTTP error instead. */
  id: string | undefined;
  /** The answer as it is to be stored; `undefined` if its API does not store answers. An answer without an id gets one. */
  describe(): AnswerDescription | undefined;
}

export interface NextRound {
  /** The outputs of tools that the gateway ran. They become part of the answer and of the next request. */
  outputs: readonly OutputDone[];
  /** Replaces the request's `tool_choice`. */
  choice?: ToolChoice | undefined;
}

/** How a turn ended. If no stream was opened, the caller still has to send the body or the error. */
export interface Ending extends TurnSummary {
  opened: boolean;
  body: string;
}
