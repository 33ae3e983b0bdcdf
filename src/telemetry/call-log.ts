import type {
  BackendCallStarted,
  CallStarted,
  Log,
  LogFields,
  NextStep,
  Repair,
  TurnError,
  TurnListener,
  TurnSummary,
} from "../turn/index.ts";
import { TurnTally } from "./turn-tally.ts";

/** Writes the life of each call of one turn, and how the turn ended, at level `debug`. Attached only where that level is on. */
export class CallLog implements TurnListener {
  readonly #log: Log;
  readonly #requestId: string;
  readonly #tally: TurnTally;

  /** `backend` is the one that is asked first. */
  constructor(log: Log, requestId: string, backend: string) {
    this.#log = log;
    this.#requestId = requestId;
    this.#tally = new TurnTally(backend);
  }

  attemptStarted(backend: string): void {
    this.#tally.attemptStarted(backend);
  }

  attemptFailed(_backend: string, _error: TurnError, next: NextStep): void {
    this.#tally.attemptFailed(next);
  }

  roundCommitted(): void {
    this.#tally.roundCommitted();
  }

  callStarted({ callId, name, dialect }: CallStarted): void {
    this.#debug("call started", { call_id: callId, name, dialect: dialect ?? null });
  }

  callBuffered({ name }: BackendCallStarted): void {
    this.#debug("call buffered", { name });
  }

  callReplayed({ name }: BackendCallStarted, events: number): void {
    this.#debug("call replayed", { name, events });
  }

  callDone({ callId, name, dialect }: CallStarted, text: string): void {
    this.#tally.calls.push(callId);
    const bytes = Buffer.byteLength(text);
    this.#debug("call completed", { call_id: callId, name, bytes, dialect: dialect ?? null });
  }

  callRepaired(repair: Repair, call: CallStarted | BackendCallStarted | undefined): void {
    this.#debug("call repaired", { repair, id: call?.callId ?? null, name: call?.name ?? null });
  }

  cutOff(dropped: { readonly bytes: number }): void {
    this.#tally.cutOff(dropped);
  }

  turnFinished(summary: TurnSummary): void {
    this.#tally.turnFinished(summary);
    const { backend, bytesDropped, calls } = this.#tally;
    if (bytesDropped !== undefined) {
      const ids = calls.filter((id) => id !== undefined);
      const message = `ended the turn of ${backend} at its calls; ${bytesDropped} bytes behind them were dropped`;
      this.#debug(message, { call_ids: ids, backend, bytes_dropped: bytesDropped });
    }
    const { status, totalMs } = summary;
    this.#debug("turn finished", { backend, status, calls: calls.length, ms: Math.round(totalMs) });
  }

  #debug(message: string, fields: LogFields): void {
    this.#log.debug({ request_id: this.#requestId, ...fields }, message);
  }
}
