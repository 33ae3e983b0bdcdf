import {
  type CallStarted,
  type EventFields,
  type EventSink,
  inLaterTurn,
  isAnswered,
  type NextStep,
  type Repair,
  type Turn,
  type TurnError,
  type TurnListener,
  type TurnSummary,
} from "../turn/index.ts";
import { TurnTally } from "./turn-tally.ts";

/** Repairs of the arguments themselves. All other repairs change the call around them. */
const argumentsRepairs = new Set<Repair>([
  "arguments_object",
  "arguments_empty",
  "arguments_at_end",
  "trailing_comma",
  "single_quotes",
  "python_literal",
  "raw_newline",
  "bad_escape",
  "unescaped_quote",
  "unquoted_key",
  "double_encoded",
  "comment",
  "repeated_parameter",
  "undeclared_parameter",
  "not_declared_type",
]);

/** The most rejected texts that one attempt reports: a confused model may write many of them. */
const mostKeptTexts = 20;
/** The most repairs that one attempt reports. All of them are counted. */
const mostRepairs = 1_000;
/** The most names of tools that are written into one event. */
const mostNames = 1_000;
/** Events that are written before the event loop is given back: a whole answer may have thousands of calls. */
const mostAtOnce = 500;

type PendingEvent = [event: string, fields: EventFields, values: EventFields | undefined];

/**
 * Writes the telemetry events of one turn. Events of an attempt are buffered until its round is committed, and dropped if the round
 * is tried again.
 */
export class TurnEvents implements TurnListener {
  readonly #events: EventSink;
  readonly #requestId: string;
  readonly #tally: TurnTally;
  #pending: PendingEvent[] = [];
  /** Events that are being written in slices. */
  #queue: PendingEvent[] | undefined;
  #keptTexts = 0;
  #leftOut = 0;
  #repairs = 0;

  /** `backend` is the backend of the first attempt. */
  constructor(events: EventSink, requestId: string, backend: string) {
    this.#events = events;
    this.#requestId = requestId;
    this.#tally = new TurnTally(backend);
  }

  turnStarted(turn: Turn): void {
    const { api, model, stream } = turn;
    this.#write("turn_started", { api, backend: this.#tally.backend, model, stream });
    const names = turn.tools
      .slice(0, mostNames)
      .map((tool) => (tool.type === "hosted" ? tool.definition.type : tool.name));
    const more = turn.tools.length - names.length;
    if (names.length > 0) this.#write("tool_registry", more > 0 ? { names, more } : { names });
    let echoed = 0;
    for (const item of turn.input) if (item.type === "call") echoed++;
    if (echoed > 0) this.#write("echoed_calls", { count: echoed });
  }

  attemptStarted(backend: string): void {
    this.#tally.attemptStarted(backend);
    this.#keptTexts = 0;
    this.#leftOut = 0;
    this.#repairs = 0;
    if (this.#pending.length > 0) this.#pending = [];
  }

  attemptFailed(_backend: string, _error: TurnError, next: NextStep): void {
    this.#tally.attemptFailed(next);
  }

  roundCommitted(): void {
    this.#tally.roundCommitted();
    this.#writePending();
  }

  callDone(call: CallStarted, text: string): void {
    const { callId, name, dialect = null } = call;
    this.#tally.callDone(call);
    const fields = { id: callId, name, argument_bytes: Buffer.byteLength(text), dialect, owner: call.owner };
    this.#report("tool_call", fields, this.#events.keepsValues ? { arguments: text } : undefined);
  }

  callRepaired(repair: Repair, call: CallStarted | undefined): void {
    this.#tally.repairs.push(repair);
    if (++this.#repairs > mostRepairs) return;
    const isOfArguments = argumentsRepairs.has(repair);
    if (isOfArguments) this.#report("arguments_repaired", { what: repair, kind: repair, ...idAndName(call) });
    else this.#report("call_repaired", { kind: repair, ...idAndName(call) });
  }

  argumentsBroken(call: CallStarted | undefined): void {
    const dialect = call?.dialect ?? null;
    this.#report("parse_failure", { dialect, reason: "arguments are not JSON", ...idAndName(call) });
  }

  schemaMismatch(call: CallStarted | undefined, path: string): void {
    this.#report("schema_mismatch", { ...idAndName(call), path });
  }

  unknownTool(name: string): void {
    this.#report("unknown_tool", { name });
  }

  /** Written at once: it explains why the round is tried again, so it must not be dropped with the attempt. */
  strictFailed(name: string | null, path: string | null): void {
    this.#write("strict_failure", { name, path });
  }

  textKept(dialect: string, reason: string, name: string | null): void {
    if (++this.#keptTexts > mostKeptTexts) return;
    this.#report("parse_failure", { dialect, reason, id: null, name });
  }

  answerCut(characters: number): void {
    this.#report("answer_cut", { backend: this.#tally.backend, characters });
  }

  callLeftOut(reason: string): void {
    if (++this.#leftOut > mostKeptTexts) return;
    this.#report("parse_failure", { dialect: null, reason, id: null, name: null });
  }

  /** Written at once: it concerns the turn and not an attempt. */
  storeFailed(reason: string): void {
    this.#write("store_failed", { reason });
  }

  cutOff(dropped: { readonly bytes: number }): void {
    this.#tally.cutOff(dropped);
  }

  turnFinished(summary: TurnSummary): void {
    this.#tally.turnFinished(summary);
    // Pending calls did not reach the client.
    if (!isAnswered(summary)) this.#pending = this.#pending.filter(([event]) => event !== "tool_call");
    this.#writePending();
    this.#writeCutOff();
    this.#writeFinished(summary);
  }

  #writeCutOff(): void {
    const { backend, bytesDropped, calls } = this.#tally;
    if (bytesDropped === undefined) return;
    this.#write("tool_cutoff", { call_ids: calls, backend, bytes_dropped: bytesDropped });
  }

  #writeFinished({ status, error, usage, firstContentMs, overheadMs, totalMs }: TurnSummary): void {
    const { backend, attempts, calls, repairs } = this.#tally;
    this.#write("turn_finished", {
      status,
      code: error?.code ?? null,
      backend,
      attempts,
      calls: calls.length,
      repairs: repairs.length,
      usage: usage
        ? { input_tokens: usage.inputTokens, output_tokens: usage.outputTokens, total_tokens: usage.totalTokens }
        : null,
      first_content_ms: firstContentMs,
      overhead_ms: overheadMs,
      total_ms: totalMs,
    });
  }

  #report(event: string, fields: EventFields, values?: EventFields): void {
    if (this.#tally.isCommitted) this.#write(event, fields, values);
    else this.#pending.push([event, fields, values]);
  }

  #writePending(): void {
    const pending = this.#pending;
    if (pending.length === 0) return;
    this.#pending = [];
    if (this.#queue) for (const event of pending) this.#queue.push(event);
    else if (pending.length > mostAtOnce) this.#writeQueue(pending, 0);
    else for (const [event, fields, values] of pending) this.#write(event, fields, values);
  }

  #write(event: string, fields: EventFields, values?: EventFields): void {
    if (this.#queue) this.#queue.push([event, fields, values]);
    else this.#events.write(event, this.#requestId, fields, values);
  }

  /** Writes many events in slices. Later events are appended to the queue, so that all stay in order. */
  #writeQueue(queue: PendingEvent[], from: number): void {
    this.#queue = queue;
    const to = from + mostAtOnce;
    for (const [event, fields, values] of queue.slice(from, to)) {
      this.#events.write(event, this.#requestId, fields, values);
    }
    if (to < queue.length) inLaterTurn(() => this.#writeQueue(queue, to));
    else this.#queue = undefined;
  }
}

function idAndName(call: CallStarted | undefined): { id: string | null; name: string | null } {
  return { id: call?.callId ?? null, name: call?.name ?? null };
}
