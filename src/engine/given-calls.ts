import { type CallStarted, type Item, isAnswered, type TurnListener, type TurnSummary } from "../turn/index.ts";
import type { OutstandingCalls } from "./outstanding.ts";

export interface GivenCallsOptions {
  requestId: string;
  /** The owner of the request. */
  owner: string;
  /** The request's input, with the call ids that the client knows. The backend may know other ids. */
  input: readonly Item[];
  /** Whether the client gets call ids that its results can refer to. A legacy answer has none. */
  hasIds: boolean;
}

/** Reports one turn to the outstanding calls: the results in its request, and the calls that its client gets. */
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
