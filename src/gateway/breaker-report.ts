import type { BreakerConfig } from "../config/index.ts";
import type { BreakerState } from "../guard/index.ts";
import type { Telemetry } from "./listeners.ts";

type BreakerTelemetry = Pick<Telemetry, "events" | "log" | "metrics">;

/** Reports each state change of a circuit breaker to the log, the metrics and the events. */
export class BreakerReport {
  readonly #telemetry: BreakerTelemetry;
  /** Backends whose circuit breaker is half-open. */
  readonly #tested = new Set<string>();

  constructor(telemetry: BreakerTelemetry) {
    this.#telemetry = telemetry;
  }

  changed(backend: string, state: BreakerState, settings: BreakerConfig): void {
    const { metrics, events, log } = this.#telemetry;
    metrics.breakerChanged({ backend, open: state === "open" });
    if (events.on) events.write("breaker", null, { backend, state });
    log[state === "open" ? "warn" : "info"]({ backend, state }, this.#message(backend, state, settings));
    if (state === "half_open") this.#tested.add(backend);
    else this.#tested.delete(backend);
  }

  #message(backend: string, state: BreakerState, { failures, window, cooldown }: BreakerConfig): string {
    switch (state) {
      case "open": {
        const refused = `requests are refused for ${cooldown / 1000} s`;
        return this.#tested.has(backend)
          ? `circuit opened again for ${backend}: the test request did not succeed; ${refused}`
          : `circuit opened for ${backend} after ${failures} failures in ${window / 1000} s; ${refused}`;
      }
      case "half_open":
        return `circuit half-open for ${backend}; one request is let through to test it`;
      case "closed":
        return `circuit closed for ${backend}; requests are let through again`;
    }
  }
}
