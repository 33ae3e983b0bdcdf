import { expect, it } from "vitest";
import { BreakerReport } from "../../src/gateway/breaker-report.ts";
import { createMetrics } from "../../src/telemetry/index.ts";
import type { EventFields, EventSink, Log } from "../../src/turn/index.ts";

it("a circuit breaker is reported with what it does to requests, and why", async () => {
  const lines: string[] = [];
  const events: EventFields[] = [];
  const at = (level: string) => (_fields: object, message: string) => void lines.push(`${level}: ${message}`);
  const log: Log = { isLevelEnabled: () => true, debug() {}, info: at("info"), warn: at("warn"), error() {} };
  const write: EventSink["write"] = (event, request_id, fields) => void events.push({ event, request_id, ...fields });
  const metrics = createMetrics();
  const report = new BreakerReport({ events: { on: true, keepsValues: false, write }, log, metrics });
  const settings = { failures: 5, window: 30_000, cooldown: 15_000 };
  for (const state of ["open", "half_open", "open"] as const) report.changed("chutes", state, settings);
  expect(await metrics.text()).toContain('toolwire_breaker_open{backend="chutes"} 1');
  for (const state of ["half_open", "closed", "open"] as const) report.changed("chutes", state, settings);
  expect(lines).toEqual([
    "warn: circuit opened for chutes after 5 failures in 30 s; requests are refused for 15 s",
    "info: circuit half-open for chutes; one request is let through to test it",
    "warn: circuit opened again for chutes: the test request did not succeed; requests are refused for 15 s",
    "info: circuit half-open for chutes; one request is let through to test it",
    "info: circuit closed for chutes; requests are let through again",
    "warn: circuit opened for chutes after 5 failures in 30 s; requests are refused for 15 s",
  ]);
  expect(events[0]).toEqual({ event: "breaker", request_id: null, backend: "chutes", state: "open" });
});
