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
import { storeFailure } from "./store-failure.ts";

/** The most rejected texts that one attempt logs: a confused model may write many of them. */
const mostKeptTexts = 20;
/** The most lines about calls that one attempt logs. */
const mostCallLines = 100;

export interface TurnLogOptions {
  requestId: string;
  /** The backend of the first attempt. */
  backend: string;
  /** Whether to leave out messages of providers, which may quote the prompt. */
  redact: boolean;
}

/** Logs what an operator should know about one turn: failed attempts and how they were handled, and invalid calls. */
export class TurnLog implements TurnListener {
  readonly #log: Log;
  readonly #requestId: string;
  readonly #redact: boolean;
  #backend: string;
  #keptTexts = 0;
  #callLines = 0;
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
    this.#callLines = 0;
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
        this.#log.warn(fields, `retrying at once with a rewritten request (${reason})`);
        return;
      case "reask":
        this.#log.warn(fields, `asking the model again with a correction (${reason})`);
        return;
      case "fallback":
        this.#backend = next.backend;
        this.#log.warn({ ...fields, fallback: next.backend }, `falling back to ${next.backend} (${reason})`);
    }
  }

  argumentsBroken(call: CallStarted | undefined): void {
    if (!this.#mayLog()) return;
    const fields = { ...this.#fields(), id: call?.callId ?? null, name: call?.name ?? null };
    this.#log.warn(
      fields,
      `arguments of ${callNamed(call)} from ${this.#backend} are not JSON; passing them on unchanged`,
    );
  }

  schemaMismatch(call: CallStarted | undefined, path: string): void {
    if (!this.#mayLog()) return;
    const fields = { ...this.#fields(), id: call?.callId ?? null, name: call?.name ?? null, path };
    this.#log.warn(
      fields,
      `arguments of ${callNamed(call)} from ${this.#backend} do not match the schema; passing them on unchanged`,
    );
  }

  callSuppressed(name: string): void {
    if (!this.#mayLog()) return;
    this.#log.info(
      { ...this.#fields(), name },
      `dropped a call of "${name}" from ${this.#backend}: tool_choice or parallel_tool_calls forbids it`,
    );
  }

  unknownTool(name: string): void {
    if (!this.#mayLog()) return;
    this.#log.warn(
      { ...this.#fields(), name },
      `the model of ${this.#backend} called "${name}", which the request does not define`,
    );
  }

  textKept(dialect: string, reason: string, name: string | null): void {
    if (++this.#keptTexts > mostKeptTexts) return;
    this.#log.info(
      { ...this.#fields(), dialect, reason, name },
      `text from ${this.#backend} looks like a call (${dialect}), but is passed on as text: ${reason}`,
    );
  }

  answerCut(characters: number): void {
    this.#log.warn(
      { ...this.#fields(), characters },
      `the answer of ${this.#backend} is too large (${characters} characters); it ends as at a token limit`,
    );
  }

  callLeftOut(reason: string): void {
    if (!this.#mayLog()) return;
    this.#log.warn(
      { ...this.#fields(), reason },
      `the answer of ${this.#backend} is not passed on as a whole: ${reason}`,
    );
  }

  beforeEndFailed(error: unknown): void {
    this.#log.warn(
      { ...this.#fields(), err: error },
      "memory writes or the beforeEnd hook failed or timed out; ending the answer anyway",
    );
  }

  storeFailed(reason: string): void {
    this.#log.warn({ ...this.#fields(), reason }, `${storeFailure(reason)}; the turn is not stored`);
  }

  turnFinished({ error }: TurnSummary): void {
    // The client has left, so the failure matters to nobody.
    if (!error || error.code === "client_closed") return;
    const failures = this.#failures ?? [];
    const failed = failures.find((failure) => failure.error === error);
    const last = failures.at(-1);
    if (failed && last && last.error !== error) this.#logFallbackFailed(last.backend, last.error);
    this.#logTurnFailed(failed?.backend ?? this.#backend, error);
  }

  /** Whether another line about a call may be logged. The last one says that there are more. */
  #mayLog(): boolean {
    if (++this.#callLines === mostCallLines) {
      const message = `logged ${mostCallLines} lines about calls from ${this.#backend}; leaving out the rest of this attempt`;
      this.#log.warn(this.#fields(), message);
    }
    return this.#callLines < mostCallLines;
  }

  #fields(): LogFields {
    return { request_id: this.#requestId, backend: this.#backend };
  }

  /** The client gets the error of the model that it requested. Only the log has the error of the last fallback. */
  #logFallbackFailed(backend: string, error: TurnError): void {
    const fields = { request_id: this.#requestId, backend, code: error.code };
    this.#log.warn(fields, `the last fallback failed as well (${failureReason(error, backend)})`);
  }

  #logTurnFailed(backend: string, error: TurnError): void {
    const { code, status, body } = error;
    const ofProvider = { status, provider_type: body.type, provider_code: body.code };
    const isOutage = code === "store_unavailable";
    const why = quotesOthers(error) && this.#redact ? ofProvider : isOutage ? {} : { err: error };
    const level = code === "internal_error" ? "error" : "warn";
    this.#log[level](
      { request_id: this.#requestId, backend, code, ...why },
      `turn failed (${failureReason(error, backend)})`,
    );
  }
}

function callNamed(call: CallStarted | undefined): string {
  return call ? `a call of "${call.name}"` : "a call";
}
