import { isAnswered, type NextStep, type Repair, type TurnSummary } from "../turn/index.ts";

/**
 * Counts what one turn gives its client, over all of its rounds. What an attempt tells is counted at once, and taken back when the
 * round is tried again. What a committed round told stays.
 */
export class TurnTally {
  /** The backend that was asked last. */
  backend: string;
  attempts = 0;
  /** The ids of the calls, where they have one. */
  readonly calls: (string | undefined)[] = [];
  /** Each as often as it was needed. */
  readonly repairs: Repair[] = [];
  #isCommitted = false;
  /** How many calls and repairs the committed rounds told. */
  #keptCalls = 0;
  #keptRepairs = 0;
  /** Where the round under way was cut off, and how many bytes earlier rounds dropped. */
  #cutOff: { readonly bytes: number } | undefined;
  #droppedBefore: number | undefined;

  constructor(backend: string) {
    this.backend = backend;
  }

  /** Whether what is told now is final. */
  get isCommitted(): boolean {
    return this.#isCommitted;
  }

  /** How many bytes were dropped behind calls; `undefined` where no round was cut off. */
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

  cutOff(dropped: { readonly bytes: number }): void {
    this.#cutOff = dropped;
  }

  /** A client that got no answer got none of the calls that were not sent before. What was repaired in them is counted all the same. */
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
