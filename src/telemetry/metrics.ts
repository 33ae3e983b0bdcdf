import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { type ClientApi, type ErrorCode, errorCodes, type Repair, type Usage } from "../turn/index.ts";
import type { DelayQuantiles } from "./stall-watch.ts";
import { storeFailureLabel } from "./store-failure.ts";
import { addStore, commitHistogram, type StoreSource } from "./store-metrics.ts";

/** `other`: paths that belong to no API. */
export type RequestApi = ClientApi | "other";

export type TurnStatus = "completed" | "incomplete" | "failed" | "cancelled";

export interface FinishedTurn {
  api: ClientApi;
  /** The backend's name in the configuration. */
  backend: string;
  status: TurnStatus;
  /** How long the turn took. */
  ms: number;
  /** The time until the first text, reasoning or call; absent if there was none. */
  firstContentMs?: number | null | undefined;
  /** Complete calls that were sent to the client. */
  calls: number;
  /** One entry for each repair. */
  repairs?: readonly Repair[] | undefined;
  usage?: Usage | undefined;
}

export interface Metrics {
  requestFinished(request: { api: RequestApi; status: number }): void;
  /** Each is followed by one `turnFinished`. */
  turnStarted(): void;
  turnFinished(turn: FinishedTurn): void;
  /** `next`: how the driver reacted. */
  upstreamFailed(failure: { backend: string; code: ErrorCode; next: "retry" | "fallback" | "end" }): void;
  breakerChanged(breaker: { backend: string; open: boolean }): void;
  /** A turn was stored. It took this long. */
  storeCommitted(seconds: number): void;
  /** A turn could not be stored. The reason is one word. */
  storeFailed(reason: string): void;
  /** All metrics in Prometheus text format. */
  text(): Promise<string>;
  readonly contentType: string;
}

const firstContentBuckets = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];
const turnBuckets = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800];
/** More than any configuration has. Series are never removed, so a caller's mistake must not create one per request. */
const maxBackends = 256;
const knownCodes = new Set<string>(errorCodes);

/** Process metrics, shared by all gateways: each collector observes the garbage collector and cannot be removed. */
let processRegistry: Registry | undefined;

/** The bytes that turns keep in memory, and how often one was refused more. */
export interface MemoryUse {
  readonly held: number;
  readonly limit: number;
  readonly refusals: number;
}

/** Numbers that are asked for at each scrape. */
export interface MetricSources {
  outstandingCalls?: () => number;
  memory?: MemoryUse;
  store?: StoreSource;
  droppedLogLines?: () => number;
  droppedEvents?: () => number;
  /** `takeDelays`: seconds by quantile since the last scrape. */
  eventLoop?: { takeDelays(): DelayQuantiles; readonly stalls: number };
}

export function createMetrics(sources: MetricSources = {}): Metrics {
  const { outstandingCalls, memory, store, droppedLogLines, droppedEvents, eventLoop } = sources;
  const registry = new Registry();
  const registers = [registry];
  const requests = new Counter({
    name: "toolwire_requests_total",
    help: "Answered HTTP requests, by API and status code",
    labelNames: ["api", "status"],
    registers,
  });
  const turns = new Counter({
    name: "toolwire_turns_total",
    help: "Finished turns, by API, backend and status",
    labelNames: ["api", "backend", "status"],
    registers,
  });
  const calls = new Counter({
    name: "toolwire_tool_calls_total",
    help: "Complete tool calls sent to clients",
    labelNames: ["backend"],
    registers,
  });
  const tokens = new Counter({
    name: "toolwire_tokens_total",
    help: "Tokens reported by the backend; direction is input or output",
    labelNames: ["backend", "direction"],
    registers,
  });
  const firstContent = new Histogram({
    name: "toolwire_first_content_seconds",
    help: "Seconds from the request to the first text, reasoning or tool call",
    labelNames: ["backend"],
    buckets: firstContentBuckets,
    registers,
  });
  const duration = new Histogram({
    name: "toolwire_turn_seconds",
    help: "Seconds from the request to the end of the turn",
    labelNames: ["backend"],
    buckets: turnBuckets,
    registers,
  });
  const open = new Gauge({ name: "toolwire_open_turns", help: "Turns in progress", registers });
  const upstreamErrors = new Counter({
    name: "toolwire_upstream_errors_total",
    help: "Failed attempts at a backend, by error code (docs/errors.md)",
    labelNames: ["backend", "code"],
    registers,
  });
  const repairs = new Counter({
    name: "toolwire_repairs_total",
    help: "Repaired mistakes in tool calls, by kind (docs/repairs.md)",
    labelNames: ["backend", "kind"],
    registers,
  });
  const retries = new Counter({
    name: "toolwire_retries_total",
    help: "Failed attempts that were retried at the same backend",
    labelNames: ["backend"],
    registers,
  });
  const fallbacks = new Counter({
    name: "toolwire_fallbacks_total",
    help: "Failed attempts that were followed by a fallback, by the backend that failed",
    labelNames: ["backend"],
    registers,
  });
  const breakers = new Gauge({
    name: "toolwire_breaker_open",
    help: "1 while the circuit breaker of a backend is open, else 0",
    labelNames: ["backend"],
    registers,
  });
  const commits = commitHistogram(registers);
  const storeFailures = new Counter({
    name: "toolwire_store_failures_total",
    help: "Turns that could not be stored, by reason",
    labelNames: ["reason"],
    registers,
  });
  if (outstandingCalls) {
    const outstanding: Gauge = new Gauge({
      name: "toolwire_outstanding_calls",
      help: "Tool calls sent to clients whose results are still expected",
      registers,
      collect: () => outstanding.set(outstandingCalls()),
    });
  }
  if (memory) addMemory(memory, registers);
  if (store) addStore(store, registers);
  if (droppedLogLines) {
    const help = "Log lines that were dropped because standard error did not take them in time";
    countFrom(droppedLogLines, { name: "toolwire_log_lines_dropped_total", help, registers });
  }
  if (droppedEvents) {
    const help = "Telemetry events that were dropped because their file or reader did not take them in time";
    countFrom(droppedEvents, { name: "toolwire_events_dropped_total", help, registers });
  }
  if (eventLoop) {
    const delay: Gauge = new Gauge({
      name: "toolwire_event_loop_delay_seconds",
      help: "How late the event loop was since the last scrape, by quantile; quantile 1 is the longest delay",
      labelNames: ["quantile"],
      registers,
      collect() {
        for (const [quantile, seconds] of eventLoop.takeDelays()) delay.set({ quantile }, seconds);
      },
    });
    const help = "How often the event loop was held for more than 200 ms, so that all requests had to wait";
    countFrom(() => eventLoop.stalls, { name: "toolwire_event_loop_stalls_total", help, registers });
  }
  processRegistry ??= collectProcess();
  const all = Registry.merge([registry, processRegistry]);
  /** The series that every turn updates, bound to their labels once. */
  const seriesFor = (backend: string) => ({
    calls: calls.labels(backend),
    duration: duration.labels(backend),
    firstContent: firstContent.labels(backend),
    input: tokens.labels(backend, "input"),
    output: tokens.labels(backend, "output"),
  });
  const series = new Map<string, ReturnType<typeof seriesFor>>();

  function known(backend: string): string {
    if (series.has(backend)) return backend;
    const name = series.size < maxBackends ? backend : "other";
    if (!series.has(name)) series.set(name, seriesFor(name));
    return name;
  }

  return {
    requestFinished: ({ api, status }) => requests.inc({ api, status: statusLabel(status) }),
    turnStarted: () => open.inc(),
    turnFinished({ api, status, ms, firstContentMs, usage, ...turn }) {
      const backend = known(turn.backend);
      const mine = series.get(backend);
      open.dec();
      turns.inc({ api, backend, status });
      mine?.calls.inc(count(turn.calls));
      mine?.duration.observe(ms / 1000);
      for (const [kind, times] of counted(turn.repairs ?? [])) repairs.inc({ backend, kind }, times);
      if (typeof firstContentMs === "number") mine?.firstContent.observe(firstContentMs / 1000);
      if (!usage) return;
      mine?.input.inc(count(usage.inputTokens));
      mine?.output.inc(count(usage.outputTokens));
    },
    upstreamFailed({ code, next, ...failure }) {
      const backend = known(failure.backend);
      upstreamErrors.inc({ backend, code: knownCodes.has(code) ? code : "other" });
      if (next !== "end") (next === "retry" ? retries : fallbacks).inc({ backend });
    },
    breakerChanged: ({ backend, open }) => breakers.set({ backend: known(backend) }, open ? 1 : 0),
    storeCommitted: (seconds) => commits.observe(seconds),
    storeFailed: (reason) => storeFailures.inc({ reason: storeFailureLabel(reason) }),
    text: () => all.metrics(),
    contentType: all.contentType,
  };
}

function addMemory(memory: MemoryUse, registers: Registry[]): void {
  const held: Gauge = new Gauge({
    name: "toolwire_memory_held_bytes",
    help: "Bytes of requests and answers that turns keep in memory (limits.memory)",
    registers,
    collect: () => held.set(memory.held),
  });
  new Gauge({
    name: "toolwire_memory_limit_bytes",
    help: "The bytes that turns may keep in memory (limits.memory)",
    registers,
  }).set(memory.limit);
  const help = "Requests and answers that were refused because limits.memory was used up";
  countFrom(() => memory.refusals, { name: "toolwire_memory_refusals_total", help, registers });
}

/** A counter that is kept elsewhere. */
function countFrom(read: () => number, options: { name: string; help: string; registers: Registry[] }): void {
  const counter: Counter = new Counter({
    ...options,
    collect() {
      counter.reset();
      counter.inc(read());
    },
  });
}

function collectProcess(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}

/** How often each kind occurs. A turn may have many repairs of few kinds. */
function counted(kinds: readonly Repair[]): Map<Repair, number> {
  const counts = new Map<Repair, number>();
  for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

function statusLabel(status: number): string {
  return Number.isInteger(status) && status >= 100 && status <= 599 ? String(status) : "other";
}

/** A provider's numbers may be invalid, and a counter throws if it is decreased. */
function count(amount: number): number {
  return Number.isFinite(amount) && amount > 0 ? amount : 0;
}
