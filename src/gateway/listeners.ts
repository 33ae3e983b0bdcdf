import { GivenCalls, type GivenCallsOptions, type OutstandingCalls } from "../engine/index.ts";
import { CallLog, type Metrics, TurnEvents, TurnLog, TurnMetrics } from "../telemetry/index.ts";
import { type EventSink, type Log, listenWith, type TurnListener } from "../turn/index.ts";
import type { UsageRecorder } from "./usage.ts";

/** Where a gateway reports its turns. */
export interface Telemetry {
  events: EventSink;
  log: Log;
  metrics: Metrics;
  outstanding: OutstandingCalls;
  usage: UsageRecorder;
  /** Whether logs must not contain text that a person or a model wrote. */
  redact: boolean;
}

export interface ListenedTurn extends GivenCallsOptions {
  /** The backend of the first attempt. */
  backend: string;
  /** The name of the client's key; empty without keys. */
  key: string;
  /** The public name of the model. */
  model: string;
}

/** Everything that listens to one turn. */
export function listenersFor(
  { events, log, metrics, outstanding, usage, redact }: Telemetry,
  turn: ListenedTurn,
): TurnListener {
  const { requestId, backend } = turn;
  const listeners: TurnListener[] = [new TurnMetrics(metrics, backend)];
  if (log.isLevelEnabled("error")) listeners.push(new TurnLog(log, { requestId, backend, redact }));
  if (log.isLevelEnabled("debug")) listeners.push(new CallLog(log, requestId, backend));
  if (events.on) listeners.push(new TurnEvents(events, requestId, backend));
  listeners.push(usage.listener(turn));
  // After `TurnEvents`, because `turn_started` must be written before each `tool_result`.
  listeners.push(new GivenCalls(outstanding, turn));
  return listenWith(listeners);
}
