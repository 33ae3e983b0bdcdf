import type { BackendCallStarted, Repair } from "./backend-event.ts";
import type { TurnError } from "./errors.ts";
import type { CallStarted } from "./event.ts";
import type { Turn } from "./turn.ts";
import type { Usage } from "./usage.ts";

/** How a turn ended, for listeners. */
export interface TurnSummary {
  status: "completed" | "incomplete" | "failed" | "cancelled";
  error: TurnError | undefined;
  usage: Usage | undefined;
  firstContentMs: number | null;
  overheadMs: number;
  totalMs: number;
}

/** Whether the client got an answer. If not, it got only the calls of committed rounds. */
export function isAnswered({ status }: TurnSummary): boolean {
  return status === "completed" || status === "incomplete";
}

/** What the driver does about an attempt that failed. */
export type NextStep =
  /** Send the same request to the same backend again, after a wait. */
  | { action: "retry"; waitMs: number }
  /** Send the request in another form to the same backend at once. */
  | { action: "rewrite" }
  /** Tell the model what was wrong with its call, and ask again. */
  | { action: "reask" }
  | { action: "fallback"; backend: string }
  | { action: "end" };

/**
 * Observes one turn. A listener implements only the methods that it needs. Listeners do not know each other. Without listeners
 * nothing is computed for them.
 *
 * A turn has one or more rounds, and a round has one or more attempts. What an attempt reports is pending until `roundCommitted`.
 * `attemptStarted` discards what is pending: nothing of the earlier attempt reached the client. After `roundCommitted` everything
 * is final until the next `attemptStarted`. In an answer that is not streamed, a round is committed when the
 * next round begins, and the last one by `turnFinished`, unless the turn failed or was cancelled. In that case the client did not get the pending calls.
 */
export interface TurnListener {
  turnStarted?(turn: Turn): void;
  attemptStarted?(backend: string): void;
  attemptFailed?(backend: string, error: TurnError, next: NextStep): void;
  /** From now on the client gets what the current round emits. */
  roundCommitted?(): void;
  callStarted?(call: CallStarted): void;
  /** The call is buffered: another item is open, or the call's strict schema must be checked first. */
  callBuffered?(call: BackendCallStarted): void;
  callReplayed?(call: BackendCallStarted, events: number): void;
  /** The client has the complete call once the round is committed. */
  callDone?(call: CallStarted, text: string): void;
  callRepaired?(repair: Repair, call: CallStarted | BackendCallStarted | undefined): void;
  /** The arguments are not JSON. The client got them as the model wrote them. */
  argumentsBroken?(call: CallStarted | undefined): void;
  /** The arguments of a tool that is not strict do not match its schema. The client got them anyway. */
  schemaMismatch?(call: CallStarted | undefined, path: string): void;
  /** `tool_choice` or `parallel_tool_calls` forbids the call, so the client does not get it. */
  callSuppressed?(name: string): void;
  /** The answer exceeds a bound: a call is left out, or the round ends early. The reason names the bound. */
  callLeftOut?(reason: string): void;
  /** The model called a tool that the request does not define. */
  unknownTool?(name: string): void;
  /**
   * A strict request does not allow the call. `path` is the position in the arguments; `null` if the name or the syntax is wrong.
   */
  strictFailed?(name: string | null, path: string | null): void;
  /** Text that looked like a call stays text. `name` is set only for a declared tool: any other name is the model's own text. */
  textKept?(dialect: string, reason: string, name: string | null): void;
  /**
   * The backend's turn was ended at its calls. `dropped` counts what the model emitted after them; it is final when the turn is
   * over.
   */
  cutOff?(dropped: { readonly bytes: number }): void;
  /** The answer became too large and was ended there, as at a token limit. `characters` is its size. */
  answerCut?(characters: number): void;
  /** The work that must finish before the client gets the end of the turn failed or timed out. The turn ends anyway. */
  beforeEndFailed?(error: unknown): void;
  /** The store failed, so the turn is not kept. The reason is one word. The turn ends anyway, unless the store is required. */
  storeFailed?(reason: string): void;
  /** The turn is stored. The client waited this long for the commit. */
  turnStored?(milliseconds: number): void;
  turnFinished?(summary: TurnSummary): void;
}

/** Combines several listeners into one. */
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

  callLeftOut(reason: string): void {
    for (const listener of this.#all) listener.callLeftOut?.(reason);
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

  answerCut(characters: number): void {
    for (const listener of this.#all) listener.answerCut?.(characters);
  }

  beforeEndFailed(error: unknown): void {
    for (const listener of this.#all) listener.beforeEndFailed?.(error);
  }

  storeFailed(reason: string): void {
    for (const listener of this.#all) listener.storeFailed?.(reason);
  }

  turnStored(milliseconds: number): void {
    for (const listener of this.#all) listener.turnStored?.(milliseconds);
  }

  turnFinished(summary: TurnSummary): void {
    for (const listener of this.#all) listener.turnFinished?.(summary);
  }
}
