import type { BackendCallStarted, Repair } from "./backend-event.ts";
import type { TurnError } from "./errors.ts";
import type { CallStarted } from "./event.ts";
import type { Turn } from "./turn.ts";
import type { Usage } from "./usage.ts";

/** How a turn ended, for those that keep count. */
export interface TurnSummary {
  status: "completed" | "incomplete" | "failed" | "cancelled";
  error: TurnError | undefined;
  usage: Usage | undefined;
  firstContentMs: number | null;
  overheadMs: number;
  totalMs: number;
}

/** Whether the client got an answer. Where it did not, it got no calls but those of committed rounds. */
export function isAnswered({ status }: TurnSummary): boolean {
  return status === "completed" || status === "incomplete";
}

/** What the driver does about an attempt that failed. */
export type NextStep =
  /** The same request goes to the same backend once more, after a wait. */
  | { action: "retry"; waitMs: number }
  /** The request is written in another form and goes to the same backend at once. */
  | { action: "rewrite" }
  /** The model is told what was wrong with its call. */
  | { action: "reask" }
  | { action: "fallback"; backend: string }
  | { action: "end" };

/**
 * Hears what happens in one turn. Whoever listens implements what it needs; listeners do not know each other, and where there is
 * none nothing is computed.
 *
 * A turn has one or more rounds, and a round one or more attempts. What an attempt tells is pending until `roundCommitted`, and
 * `attemptStarted` drops what is pending: nothing of that attempt reached the client. After `roundCommitted` everything is final,
 * until the next `attemptStarted`. An answer that is not streamed commits nothing before its end; there `turnFinished` makes final
 * what is pending, unless the turn failed or was cancelled: then the pending calls were not given.
 */
export interface TurnListener {
  turnStarted?(turn: Turn): void;
  attemptStarted?(backend: string): void;
  attemptFailed?(backend: string, error: TurnError, next: NextStep): void;
  /** From now on what the round under way says is sent to the client. */
  roundCommitted?(): void;
  callStarted?(call: CallStarted): void;
  /** It began while another item was open, and waits. */
  callBuffered?(call: BackendCallStarted): void;
  callReplayed?(call: BackendCallStarted, events: number): void;
  /** The client has the whole call, once the round is committed. */
  callDone?(call: CallStarted, text: string): void;
  callRepaired?(repair: Repair, call: CallStarted | BackendCallStarted | undefined): void;
  /** Arguments that are not JSON went to the client as the model wrote them. */
  argumentsBroken?(call: CallStarted | undefined): void;
  /** Arguments of a tool that is not strict do not fit its schema. They went to the client all the same. */
  schemaMismatch?(call: CallStarted | undefined, path: string): void;
  /** `tool_choice` or `parallel_tool_calls` forbids the call, so the client does not get it. */
  callSuppressed?(name: string): void;
  /** The model called a tool that the request does not define. */
  unknownTool?(name: string): void;
  /** What a strict request does not allow; `path` is where in the arguments, and `null` for the name itself. */
  strictFailed?(name: string | null, path: string | null): void;
  /** Text that looked like a call stays text. `name` is that of a declared tool: any other is the model's own words. */
  textKept?(dialect: string, reason: string, name: string | null): void;
  /** The backend's turn was ended at its calls. How much of what it went on to say was dropped is known when the turn is over. */
  cutOff?(dropped: { readonly bytes: number }): void;
  /** What was to happen before the client is told the end has failed, or was not over in time. The turn ends all the same. */
  beforeEndFailed?(error: unknown): void;
  turnFinished?(summary: TurnSummary): void;
}

/** Tells several listeners as one. */
export function listenWith(listeners: readonly TurnListener[]): TurnListener {
  const [only] = listeners;
  if (only && listeners.length === 1) return only;
  return listeners.length === 0 ? {} : new Listeners(listeners);
}

class Listeners implements Required<TurnListener> {
  readonly #all: readonly TurnListener[];

  constructor(all: readonly TurnListener[]) {
    this.#all = all.slice();
  }

  turnStarted(turn: Turn): void {
    for (const listener of this.#all) listener.turnStarted?.(turn);
  }

  attemptStarted(backend: string): void {
    for (const listener of this.#all) listener.attemptStarted?.(backend);
  }

  attemptFailed(backend: string, error: TurnError, next: NextStep): void {
    for (const listener of this.#all) listener.attemptFailed?.(backend, error, next);
  }

  roundCommitted(): void {
    for (const listener of this.#all) listener.roundCommitted?.();
  }

  callStarted(call: CallStarted): void {
    for (const listener of this.#all) listener.callStarted?.(call);
  }

  callBuffered(call: BackendCallStarted): void {
    for (const listener of this.#all) listener.callBuffered?.(call);
  }

  callReplayed(call: BackendCallStarted, events: number): void {
    for (const listener of this.#all) listener.callReplayed?.(call, events);
  }

  callDone(call: CallStarted, text: string): void {
    for (const listener of this.#all) listener.callDone?.(call, text);
  }

  callRepaired(repair: Repair, call: CallStarted | BackendCallStarted | undefined): void {
    for (const listener of this.#all) listener.callRepaired?.(repair, call);
  }

  argumentsBroken(call: CallStarted | undefined): void {
    for (const listener of this.#all) listener.argumentsBroken?.(call);
  }

  schemaMismatch(call: CallStarted | undefined, path: string): void {
    for (const listener of this.#all) listener.schemaMismatch?.(call, path);
  }

  callSuppressed(name: string): void {
    for (const listener of this.#all) listener.callSuppressed?.(name);
  }

  unknownTool(name: string): void {
    for (const listener of this.#all) listener.unknownTool?.(name);
  }

  strictFailed(name: string | null, path: string | null): void {
    for (const listener of this.#all) listener.strictFailed?.(name, path);
  }

  textKept(dialect: string, reason: string, name: string | null): void {
    for (const listener of this.#all) listener.textKept?.(dialect, reason, name);
  }

  cutOff(dropped: { readonly bytes: number }): void {
    for (const listener of this.#all) listener.cutOff?.(dropped);
  }

  beforeEndFailed(error: unknown): void {
    for (const listener of this.#all) listener.beforeEndFailed?.(error);
  }

  turnFinished(summary: TurnSummary): void {
    for (const listener of this.#all) listener.turnFinished?.(summary);
  }
}
