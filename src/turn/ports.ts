import type { Cancellation } from "./cancellation.ts";
import type { TurnError } from "./errors.ts";
import type { Emit, TurnEvent } from "./event.ts";
import type { JsonValue } from "./json.ts";
import type { Tool } from "./tool.ts";
import type { Turn } from "./turn.ts";

/** A model round as a backend sees it: where its events go, and what it must listen to. */
export interface Round {
  emit: Emit;
  /**
   * Called once after each read: hands on what was emitted since the last one. A promise means that the reader is full: the
   * backend stops reading until it resolves.
   */
  flush(): Promise<void> | undefined;
  /** Over when the client has left or time is up: the backend closes its connection at once. */
  cancellation: Cancellation;
}

/**
 * A way to a model. `run` resolves when the round is over; the last event that it emits is `turn.finished` or `turn.failed`.
 * What it throws, or a missing last event, the engine turns into a failure.
 */
export interface Backend {
  readonly name: string;
  /** Whether a tool of this type can be offered to the model as it is. */
  carries(tool: Tool): boolean;
  run(turn: Turn, round: Round): Promise<void>;
  /** Gets ready before anybody asks. */
  warm?(): void;
  /** Resolves when the backend can be asked and knows what it can do; rejects with what to do about it. */
  prepare?(cancellation: Cancellation): Promise<void>;
  /** Whether the tools of this turn have to be written into the prompt, because the service cannot be asked for them otherwise. */
  prompts?(turn: Turn): boolean;
  /** Whether an answer comes in pieces even where the turn wants it whole. */
  readonly alwaysStreams?: boolean;
  /** Whether it ends the model's turn at its calls by itself. */
  readonly endsAtCalls?: boolean;
  /** Parameters of either API that the service cannot take, by their names in a request, with the value that means nothing. */
  readonly ignored?: ReadonlyMap<string, JsonValue>;
  /** Whether the service may refuse calls of its own that come back without the reasoning before them. */
  readonly wantsReasoning?: boolean;
  /** Whether the service takes this id of a call that it did not name itself. Unless said, every portable id. */
  takesCallId?(id: string, model: string): boolean;
  /** Whether the model behind it is known to think aloud, so that it takes reasoning that others have written. */
  takesReasoning?(model: string): boolean;
  /** The names of the models that the service behind it offers, where it says. */
  models?(): Promise<string[]>;
  /** Whether the backend can be used now; otherwise a sentence that says what to do. */
  ready?(): Promise<string | null>;
  /** What a person should know of it though it can be used. */
  notes?(): readonly string[];
  close(): Promise<void>;
}

/** Keeps requests away from a backend that fails, so that neither side waits in vain. */
export interface Breaker {
  /**
   * Lets the backend be asked, or throws a `TurnError` while it is left alone. `ask` resolves once the backend shows that it
   * works, and rejects with what went wrong before that.
   */
  watch(ask: () => Promise<void>): Promise<void>;
  /** An answer that had begun well broke off later. */
  failed(error: TurnError): void;
}

/** Milliseconds that only move forward. */
export interface Clock {
  now(): number;
}

/** What a telemetry event may hold. */
export interface EventFields {
  [field: string]: JsonValue | undefined;
}

/** Where telemetry events go. `on` is false when nobody looks, so that nothing is made in vain. */
export interface EventSink {
  readonly on: boolean;
  /** Whether redaction is off, so that values are worth gathering. */
  readonly keepsValues: boolean;
  /** `values` (arguments, results) are written only where redaction is off. Without a request: `null`. */
  write(event: string, requestId: string | null, fields: EventFields, values?: EventFields): void;
}

/**
 * Turns a turn's events into the bytes of one API, as text. The last event of a turn is always `turn.finished` or
 * `turn.failed`; what an encoder returns for it completes the answer. Calls come one after the other: `call.arguments` and
 * `call.done` are about the call that was started last.
 */
export interface Encoder {
  /** Whether the answer goes out as it comes. Otherwise everything comes with the last event. */
  readonly streams: boolean;
  /** The answer's id, once it is opened, where a later request can name it. */
  readonly id?: string | undefined;
  /** Called once, before anything else: what a stream begins with. A Responses provider's own id of the answer, where known. */
  open(upstreamId?: string): string;
  push(event: TurnEvent): string;
  /** What tells a waiting client that the turn goes on. */
  keepAlive(): string;
}

/** Where the answer to one request goes, once it is opened. */
export interface ReplyStream {
  /** Sends status and headers: from now on a failure is told in the stream. */
  open(): void;
  /** A promise means that the client is full: it resolves when it can take more. */
  write(text: string): Promise<void> | undefined;
  end(text: string): void;
}

/** The log, as far as the engine speaks to it. */
export interface Log {
  isLevelEnabled(level: string): boolean;
  debug(fields: EventFields, message: string): void;
  info(fields: EventFields, message: string): void;
  warn(fields: EventFields, message: string): void;
  error(fields: { err?: unknown; [field: string]: unknown }, message: string): void;
}
