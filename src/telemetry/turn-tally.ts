import { type CallStarted, isAnswered, type NextStep, type Repair, type TurnSummary } from "../turn/index.ts";

/**
 * Counts what one turn sends to its client, over all of its rounds. Reports of an attempt are counted at once, and subtracted if
 * the round is tried again. Reports of a committed round stay.
 */
export class TurnTally {
  /** The backend of the last attempt. */
  backend: string;
  attempts = 0;
  /** The ids of the client's calls. Calls that the gateway runs are not sent to the client. */
  readonly calls: string[] = [];
  /** One entry for each repair. */
  readonly repairs: Repair[] = [];
  #isCommitted = false;
  /** The numbers of calls and repairs of the committed rounds. */
  #keptCalls = 0;
  #keptRepairs = 0;
  /** The bytes that the current round has dropped so far, and those that earlier rounds dropped. */
  #cutOff: { readonly bytes: number } | undefined;
  #droppedBefore: number | undefined;

  constructor(backend: string) {
    this.backend = backend;
  }

  /** Whether reports are final now. */
  get isCommitted(): boolean {
    return this.#isCommitted;
  }

  /** How many bytes were dropped after calls; `undefined` if no round was cut off. */
  get bytesDropped(): number | undefined {
    return this.#cutOff ? (this.#droppedBefore ?? 0) + this.#cutOff.bytes : this.#droppedBefore;
  }

  attemptStarted(backend: string): void {
    this.backend = backend;
    this.attempts++;
    if (this.#isCommitted) this.#keep();
    else this.#takeBack();
    this.#cutOff = undefined;
    this.#isCommitted = false;
  }

  attemptFailed(next: NextStep): void {
    if (next.action === "fallback") this.backend = next.backend;
  }

  roundCommitted(): void {
    this.#isCommitted = true;
  }

  callDone({ callId, owner }: CallStarted): void {
    if (owner === "client") this.calls.push(callId);
  }

  cutOff(dropped: { readonly bytes: number }): void {
    this.#cutOff = dropped;
  }

  /** If the turn failed, calls of an uncommitted round did not reach the client. Their repairs still count. */
  turnFinished(summary: TurnSummary): void {
    if (this.#isCommitted || isAnswered(summary)) return;
    this.calls.length = this.#keptCalls;
    this.#cutOff = undefined;
  }

  #keep(): void {
    this.#keptCalls = this.calls.length;
    this.#keptRepairs = this.repairs.length;
    this.#droppedBefore = this.bytesDropped;
  }

  #takeBack(): void {
    this.calls.length = this.#keptCalls;
    this.repairs.length = this.#keptRepairs;
  }
}
