import {
  type CallStarted,
  type Log,
  type LogFields,
  type NextStep,
  quotesOthers,
  type TurnError,
  type TurnListener,
  type TurnSummary,
} from "../turn/index.ts";
import { failureReason } from "./failure-reason.ts";

/** How many texts that were no calls one attempt reports: a model that writes nonsense writes much of it. */
const mostKeptTexts = 20;

export interface TurnLogOptions {
  requestId: string;
  /** The one that is asked first. */
  backend: string;
  /** Whether the log must not hold a provider's own words: they may quote the prompt. */
  redact: boolean;
}

/** Writes what a person should know about one turn: what failed and what was done about it, and what was wrong with calls. */
export class TurnLog implements TurnListener {
  readonly #log: Log;
  readonly #requestId: string;
  readonly #redact: boolean;
  #backend: string;
  #keptTexts = 0;
  /** Every attempt that failed. */
  #failures: { backend: string; error: TurnError }[] | undefined;

  constructor(log: Log, { requestId, backend, redact }: TurnLogOptions) {
    this.#log = log;
    this.#requestId = requestId;
    this.#backend = backend;
    this.#redact = redact;
  }

  attemptStarted(backend: string): void {
    this.#backend = backend;
    this.#keptTexts = 0;
  }

  attemptFailed(backend: string, error: TurnError, next: NextStep): void {
    this.#failures ??= [];
    this.#failures.push({ backend, error });
    const fields: LogFields = { request_id: this.#requestId, backend, code: error.code };
    const reason = failureReason(error, backend);
    switch (next.action) {
      case "retry": {
        const wait = Math.round(next.waitMs);
        this.#log.warn({ ...fields, wait_ms: wait }, `retrying in ${wait} ms (${reason})`);
        return;
      }
      case "rewrite":
        this.#log.warn(fields, `retrying at once with the request in another form (${reason})`);
        return;
      case "reask":
        this.#log.warn(fields, `telling the model what was wrong and asking for another answer (${reason})`);
        return;
      case "fallback":
        this.#backend = next.backend;
        this.#log.warn({ ...fields, fallback: next.backend }, `falling back to ${next.backend} (${reason})`);
    }
  }

  argumentsBroken(call: CallStarted | undefined): void {
    const fields = { request_id: this.#requestId, id: call?.callId ?? null, name: call?.name ?? null };
    this.#log.warn(fields, `the arguments of a call of ${quoted(call)} are not JSON; they are passed on unchanged`);
  }

  schemaMismatch(call: CallStarted | undefined, path: string): void {
    const fields = { request_id: this.#requestId, id: call?.callId ?? null, name: call?.name ?? null, path };
    this.#log.warn(
      fields,
      `the arguments of a call of ${quoted(call)} do not fit its schema; they are passed on unchanged`,
    );
  }

  callSuppressed(name: string): void {
    this.#log.info(
      { request_id: this.#requestId, name },
      `dropped a call of "${name}": tool_choice or parallel_tool_calls does not allow it`,
    );
  }

  unknownTool(name: string): void {
    this.#log.warn(
      { request_id: this.#requestId, name },
      `the model called "${name}", which the request does not define`,
    );
  }

  textKept(dialect: string, reason: string, name: string | null): void {
    if (++this.#keptTexts > mostKeptTexts) return;
    this.#log.info(
      { request_id: this.#requestId, dialect, reason, name },
      `text that looks like a call (${dialect}) is passed on as text: ${reason}`,
    );
  }

  beforeEndFailed(error: unknown): void {
    this.#log.warn(
      { request_id: this.#requestId, err: error },
      "the answer ends although what had to happen before its end failed or took too long",
    );
  }

  turnFinished({ error }: TurnSummary): void {
    // Nobody is left to whom it matters.
    if (!error || error.code === "client_closed") return;
    const failures = this.#failures ?? [];
    const failed = failures.find((failure) => failure.error === error);
    const last = failures.at(-1);
    if (failed && last && last.error !== error) this.#tellFallbackFailed(last.backend, last.error);
    this.#tellTurnFailed(failed?.backend ?? this.#backend, error);
  }

  /** The client is told why the model that it asked for failed. Why its last fallback failed stands only here. */
  #tellFallbackFailed(backend: string, error: TurnError): void {
    const fields = { request_id: this.#requestId, backend, code: error.code };
    this.#log.warn(fields, `the fallback failed as well (${failureReason(error, backend)})`);
  }

  #tellTurnFailed(backend: string, error: TurnError): void {
    const { code, status, body } = error;
    const why =
      quotesOthers(error) && this.#redact
        ? { status, provider_type: body.type, provider_code: body.code }
        : { err: error };
    const level = code === "internal_error" ? "error" : "warn";
    this.#log[level](
      { request_id: this.#requestId, backend, code, ...why },
      `turn failed (${failureReason(error, backend)})`,
    );
  }
}

function quoted(call: CallStarted | undefined): string {
  return call ? `"${call.name}"` : "a tool";
}
