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

/** Logs each step of a turn's calls and the end of the turn, at level `debug`. Attached only if that level is on. */
export class CallLog implements TurnListener {
  readonly #log: Log;
  readonly #requestId: string;
  readonly #tally: TurnTally;

  /** `backend` is the backend of the first attempt. */
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
    this.#debug(`call of "${name}" started`, { call_id: callId, name, dialect: dialect ?? null });
  }

  callBuffered({ name }: BackendCallStarted): void {
    this.#debug(`call of "${name}" buffered`, { name });
  }

  callReplayed({ name }: BackendCallStarted, events: number): void {
    this.#debug(`call of "${name}" released from the buffer`, { name, events });
  }

  callDone(call: CallStarted, text: string): void {
    const { callId, name, dialect } = call;
    this.#tally.callDone(call);
    const bytes = Buffer.byteLength(text);
    this.#debug(`call of "${name}" completed`, { call_id: callId, name, bytes, dialect: dialect ?? null });
  }

  callRepaired(repair: Repair, call: CallStarted | BackendCallStarted | undefined): void {
    const message = call ? `call of "${call.name}" repaired (${repair})` : `call repaired (${repair})`;
    this.#debug(message, { repair, id: call?.callId ?? null, name: call?.name ?? null });
  }

  cutOff(dropped: { readonly bytes: number }): void {
    this.#tally.cutOff(dropped);
  }

  turnFinished(summary: TurnSummary): void {
    this.#tally.turnFinished(summary);
    const { backend, bytesDropped, calls } = this.#tally;
    if (bytesDropped !== undefined) {
      const message = `ended the turn of ${backend} after its calls; dropped ${bytesDropped} bytes that followed them`;
      this.#debug(message, { call_ids: calls, backend, bytes_dropped: bytesDropped });
    }
    const { status, totalMs } = summary;
    const ms = Math.round(totalMs);
    this.#debug(`turn of ${backend} finished (${status}) after ${ms} ms`, { backend, status, calls: calls.length, ms });
  }

  #debug(message: string, fields: LogFields): void {
    this.#log.debug({ request_id: this.#requestId, ...fields }, message);
  }
}
