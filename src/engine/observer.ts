import type {
  BackendCallStarted,
  CallStarted,
  EventFields,
  EventSink,
  Item,
  Log,
  NextStep,
  Repair,
  Turn,
  TurnError,
  TurnListener,
  TurnSummary,
} from "../turn/index.ts";
import type { BroughtResult, CallsOfOwner } from "./outstanding.ts";

/** Those that changed how a call's arguments are written; the others were around them. */
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

/** How many blocks that stayed text are told of a turn: a model that writes nonsense writes much of it. */
const mostKeptTexts = 20;

/** Tells telemetry what happens in one turn. Costs nothing where nobody looks. */
export class Observer implements TurnListener {
  readonly #events: EventSink;
  readonly #log: Log;
  readonly #requestId: string;
  readonly #outstanding: CallsOfOwner | undefined;
  readonly #input: readonly Item[] | undefined;
  readonly #debugs: boolean;
  #keptTexts = 0;
  /** Of the calls that the client was given in this attempt. */
  #callIds: string[] = [];
  #cutOff: { readonly bytes: number } | undefined;
  /** Whole calls of which nothing was sent yet. */
  #ungiven: { callId: string; name: string }[] = [];
  /** Events of an attempt of which nothing was sent yet; nothing where they are told at once. */
  #untold: [event: string, fields: EventFields, values: EventFields | undefined][] | undefined = [];
  /** Who is asked now. */
  backend: string;
  attempts = 0;
  calls = 0;
  /** How often each was needed, where any was. */
  repairs: Map<Repair, number> | undefined;
  /** Every attempt that failed, and what was done about it. */
  readonly failures: { backend: string; error: TurnError; next: "retry" | "fallback" | "end" }[] = [];

  /** `input` is the turn's, under the ids by which the client knows its calls, where the backend is told others. */
  constructor(
    events: EventSink,
    log: Log,
    requestId: string,
    backend: string,
    outstanding?: CallsOfOwner,
    input?: readonly Item[],
  ) {
    this.#events = events;
    this.#log = log;
    this.#requestId = requestId;
    this.backend = backend;
    this.#outstanding = outstanding;
    this.#input = input;
    this.#debugs = log.isLevelEnabled("debug");
  }

  turnStarted(turn: Turn): void {
    if (this.#events.on) this.#tellRequest(turn);
    const results = this.#outstanding?.hear(this.#input ?? turn.input) ?? [];
    if (this.#events.on) for (const result of results) this.#tellResult(result);
  }

  #tellRequest(turn: Turn): void {
    this.#write("turn_started", { api: turn.api, backend: this.backend, model: turn.model, stream: turn.stream });
    const names = turn.tools.flatMap((tool) => (tool.type === "hosted" ? [tool.definition.type] : [tool.name]));
    if (names.length > 0) this.#write("tool_registry", { names });
    const echoed = turn.input.filter((item) => item.type === "call").length;
    if (echoed > 0) this.#write("echoed_calls", { count: echoed });
  }

  #tellResult({ output: { callId, output }, name, turn, waitedMs }: BroughtResult): void {
    const text = typeof output === "string" ? output : JSON.stringify(output);
    const fields = { call_id: callId, bytes: Buffer.byteLength(text), name, waited_ms: waitedMs, turn };
    this.#write("tool_result", fields, { output: text });
  }

  /** What the attempt before had said was not sent, so nothing is told of it. */
  attemptStarted(backend: string): void {
    this.backend = backend;
    this.attempts++;
    this.calls = 0;
    this.#callIds = [];
    this.#cutOff = undefined;
    this.#ungiven = [];
    this.repairs = undefined;
    this.#untold = [];
  }

  /** What this attempt says is sent. */
  roundCommitted(): void {
    const untold = this.#untold;
    this.#untold = undefined;
    for (const [event, fields, values] of untold ?? []) this.#write(event, fields, values);
    this.#giveCalls();
  }

  attemptFailed(backend: string, error: TurnError, next: NextStep): void {
    const kept = next.action === "fallback" || next.action === "end" ? next.action : "retry";
    this.failures.push({ backend, error, next: kept });
    const fields = { request_id: this.#requestId, backend, code: error.code };
    const status = `${error.status} from ${backend}`;
    switch (next.action) {
      case "retry":
        this.#log.warn(
          { ...fields, wait_ms: Math.round(next.waitMs) },
          `retrying in ${Math.round(next.waitMs)} ms (${status})`,
        );
        return;
      case "rewrite":
        this.#log.warn(fields, `retrying with the request written in another form (${status})`);
        return;
      case "reask":
        this.#log.warn(fields, "asking the model again: it made no valid call");
        return;
      case "fallback":
        this.#log.warn({ ...fields, fallback: next.backend }, `falling back to ${next.backend} (${status})`);
        this.backend = next.backend;
    }
  }

  callStarted(call: CallStarted): void {
    if (!this.#debugs) return;
    this.#debug("call started", { call_id: call.callId, name: call.name, dialect: call.dialect ?? null });
  }

  callDone(call: CallStarted, text: string): void {
    this.calls++;
    const { callId, name, dialect = null } = call;
    if (callId !== undefined) {
      this.#callIds.push(callId);
      this.#ungiven.push({ callId, name });
      if (!this.#untold) this.#giveCalls();
    }
    if (!this.#debugs && !this.#events.on) return;
    const bytes = Buffer.byteLength(text);
    if (this.#debugs) this.#debug("call completed", { call_id: callId, name, bytes, dialect });
    if (!this.#events.on) return;
    const fields = { id: callId, name, argument_bytes: bytes, dialect, owner: "client" };
    this.#tell("tool_call", fields, { arguments: text });
  }

  /** It began while another item was open, and waits. */
  callBuffered({ name }: BackendCallStarted): void {
    if (this.#debugs) this.#debug("call buffered", { name });
  }

  callReplayed({ name }: BackendCallStarted, events: number): void {
    if (this.#debugs) this.#debug("call replayed", { name, events });
  }

  callRepaired(repair: Repair, call: CallStarted | BackendCallStarted | undefined): void {
    this.repairs ??= new Map();
    this.repairs.set(repair, (this.repairs.get(repair) ?? 0) + 1);
    const fields = { id: call?.callId ?? null, name: call?.name ?? null };
    if (this.#debugs) this.#debug("call repaired", { repair, ...fields });
    if (!this.#events.on) return;
    if (argumentsRepairs.has(repair)) this.#tell("arguments_repaired", { what: repair, kind: repair, ...fields });
    else this.#tell("call_repaired", { kind: repair, ...fields });
  }

  /** Arguments that are not JSON went to the client as the model wrote them. */
  argumentsBroken(call: CallStarted | undefined): void {
    const fields = { id: call?.callId ?? null, name: call?.name ?? null };
    const dialect = call?.dialect ?? null;
    if (this.#events.on) this.#tell("parse_failure", { dialect, reason: "arguments are not JSON", ...fields });
    this.#log.warn({ request_id: this.#requestId, ...fields }, "the arguments of a call are not JSON");
  }

  /** Arguments of a tool that is not strict do not fit its schema. They went to the client all the same. */
  schemaMismatch(call: CallStarted | undefined, path: string): void {
    const fields = { id: call?.callId ?? null, name: call?.name ?? null, path };
    if (this.#events.on) this.#tell("schema_mismatch", fields);
    this.#log.warn({ request_id: this.#requestId, ...fields }, "the arguments of a call do not fit its schema");
  }

  /** The turn of a backend without tools ended with its calls; how much of what it went on to say was dropped shows at the end. */
  cutOff(dropped: { readonly bytes: number }): void {
    this.#cutOff = dropped;
  }

  #tellCutOff({ bytes }: { readonly bytes: number }): void {
    const fields = { call_ids: [...this.#callIds], backend: this.backend, bytes_dropped: bytes };
    if (this.#events.on) this.#write("tool_cutoff", fields);
    if (this.#debugs) this.#debug("the backend's turn was ended at its calls", fields);
  }

  /** Text that looked like a call stays text. `name` is that of a declared tool: any other is the model's own words. */
  textKept(dialect: string, reason: string, name: string | null): void {
    if (++this.#keptTexts > mostKeptTexts) return;
    if (this.#events.on) this.#tell("parse_failure", { dialect, reason, id: null, name });
    this.#log.info({ request_id: this.#requestId, dialect, reason, name }, "a call in the text could not be read");
  }

  callSuppressed(name: string): void {
    this.#log.info(
      { request_id: this.#requestId, name },
      "a call that tool_choice or parallel_tool_calls does not let through was left out",
    );
  }

  unknownTool(name: string): void {
    if (this.#events.on) this.#tell("unknown_tool", { name });
    this.#log.warn({ request_id: this.#requestId, name }, "the model called a tool that the request does not define");
  }

  /** What a strict request does not allow; `path` is where in the arguments, and nothing for the name itself. */
  strictFailed(name: string | null, path: string | null): void {
    // Told at once: it is the reason why the model is asked again.
    if (this.#events.on) this.#write("strict_failure", { name, path });
  }

  turnFinished(summary: TurnSummary): void {
    if (this.#untold && summary.status !== "completed" && summary.status !== "incomplete") this.#forgetCalls();
    this.roundCommitted();
    if (this.#cutOff) this.#tellCutOff(this.#cutOff);
    if (!this.#events.on) return;
    const { status, error, usage, firstContentMs, overheadMs, totalMs } = summary;
    this.#write("turn_finished", {
      status,
      code: error?.code ?? null,
      backend: this.backend,
      attempts: this.attempts,
      calls: this.calls,
      repairs: sum(this.repairs?.values() ?? []),
      usage: usage
        ? { input_tokens: usage.inputTokens, output_tokens: usage.outputTokens, total_tokens: usage.totalTokens }
        : null,
      first_content_ms: firstContentMs,
      overhead_ms: overheadMs,
      total_ms: totalMs,
    });
  }

  #giveCalls(): void {
    for (const call of this.#ungiven) this.#outstanding?.give(call, this.#requestId);
    this.#ungiven = [];
  }

  /** The client was given none of them. */
  #forgetCalls(): void {
    this.calls = 0;
    this.#cutOff = undefined;
    this.#ungiven = [];
    this.#untold = this.#untold?.filter(([event]) => event !== "tool_call");
  }

  #tell(event: string, fields: EventFields, values?: EventFields): void {
    if (this.#untold) this.#untold.push([event, fields, values]);
    else this.#write(event, fields, values);
  }

  #write(event: string, fields: EventFields, values?: EventFields): void {
    this.#events.write(event, this.#requestId, fields, values);
  }

  #debug(message: string, fields: EventFields): void {
    this.#log.debug({ request_id: this.#requestId, ...fields }, message);
  }
}

function sum(counts: Iterable<number>): number {
  let total = 0;
  for (const count of counts) total += count;
  return total;
}
