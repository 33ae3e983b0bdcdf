import { type CallStarted, type Item, isAnswered, type TurnListener, type TurnSummary } from "../turn/index.ts";
import type { OutstandingCalls } from "./outstanding.ts";

export interface GivenCallsOptions {
  requestId: string;
  /** Whose request it is. */
  owner: string;
  /** The request's input, with the ids by which the client knows its calls: the backend may know others. */
  input: readonly Item[];
  /** Whether the client gets ids, which its results can name. A legacy answer has none. */
  hasIds: boolean;
}

/** Reports one turn to the outstanding calls: the results that its request brings, and the calls that its client is given. */
export class GivenCalls implements TurnListener {
  readonly #outstanding: OutstandingCalls;
  readonly #options: GivenCallsOptions;
  #isCommitted = false;
  #pending: CallStarted[] = [];

  constructor(outstanding: OutstandingCalls, options: GivenCallsOptions) {
    this.#outstanding = outstanding;
    this.#options = options;
  }

  turnStarted(): void {
    const { owner, input, requestId } = this.#options;
    this.#outstanding.hear(owner, input, requestId);
  }

  attemptStarted(): void {
    this.#isCommitted = false;
    this.#pending.length = 0;
  }

  roundCommitted(): void {
    this.#isCommitted = true;
    this.#givePending();
  }

  callDone(call: CallStarted): void {
    if (call.owner === "gateway") return;
    if (this.#isCommitted) this.#give(call);
    else this.#pending.push(call);
  }

  turnFinished(summary: TurnSummary): void {
    if (isAnswered(summary)) this.#givePending();
  }

  #givePending(): void {
    for (const call of this.#pending) this.#give(call);
    this.#pending.length = 0;
  }

  #give({ callId, name }: CallStarted): void {
    const { owner, requestId, hasIds } = this.#options;
    if (hasIds) this.#outstanding.give(owner, callId, name, requestId);
  }
}
