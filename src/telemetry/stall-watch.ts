import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Log, WorkMarker } from "../turn/index.ts";
import { EventLoop, type Hold } from "./event-loop.ts";

/** Seconds by quantile; the last is the maximum. */
export type DelayQuantiles = readonly (readonly [quantile: number, seconds: number])[];

const loop = new EventLoop<RequestWork>();
const quantiles = [0.5, 0.9, 0.99, 1];
/** Milliseconds between two measurements of the delay. */
const resolution = 20;
/** The most warnings in a minute. */
const mostWarnings = 5;
const minute = 60_000;
const longestModel = 100;

/** Warns when the event loop was held, and names the request that held it. Holds before the first request do not matter. */
export class StallWatch {
  readonly #log: Log;
  readonly #delay = monitorEventLoopDelay({ resolution });
  #stop: (() => void) | undefined;
  #isClosed = false;
  readonly #stallsBefore = loop.stalls;
  #warnedSince = Number.NEGATIVE_INFINITY;
  #warnings = 0;
  #suppressed = 0;

  constructor(log: Log) {
    this.#log = log;
    this.#delay.enable();
  }

  /** `route`: for example `POST /v1/responses`. */
  request(requestId: string, route: string): RequestWork {
    if (!this.#isClosed) this.#stop ??= loop.listen((hold) => this.#onHold(hold));
    return new RequestWork(this, requestId, route);
  }

  get stalls(): number {
    return loop.stalls - this.#stallsBefore;
  }

  /** How long the event loop was late since the last call. */
  takeDelays(): DelayQuantiles {
    // The histogram has the whole time between two measurements, in nanoseconds.
    const taken = quantiles.map((quantile) => {
      const between = this.#delay.count === 0 ? 0 : this.#delay.percentile(quantile * 100) / 1e6;
      return [quantile, Math.max(0, between - resolution) / 1000] as const;
    });
    this.#delay.reset();
    return taken;
  }

  close(): void {
    this.#isClosed = true;
    this.#stop?.();
    this.#delay.disable();
  }

  #onHold({ heldMs, cpuMs, work }: Hold<RequestWork>): void {
    // Another gateway of this process names its own request.
    if (work !== undefined && work.watch !== this) return;
    const now = performance.now();
    if (now - this.#warnedSince >= minute) {
      this.#warnedSince = now;
      this.#warnings = 0;
    }
    if (++this.#warnings > mostWarnings) {
      this.#suppressed++;
      return;
    }
    const fields = {
      ...(work && { request_id: work.requestId }),
      held_ms: heldMs,
      cpu_ms: cpuMs,
      ...(this.#suppressed > 0 && { not_logged: this.#suppressed }),
    };
    this.#suppressed = 0;
    const who = work ? ` by request ${work.requestId} (${work.what})` : "; no request is known to have held it";
    this.#log.warn(fields, `the event loop was held for ${heldMs} ms${who}`);
  }
}

/** The work for one request. */
export class RequestWork implements WorkMarker {
  readonly watch: StallWatch;
  readonly requestId: string;
  readonly #route: string;
  model: unknown;

  constructor(watch: StallWatch, requestId: string, route: string) {
    this.watch = watch;
    this.requestId = requestId;
    this.#route = route;
  }

  begin(): void {
    loop.mark(this);
  }

  end(): void {
    loop.mark(undefined);
  }

  get what(): string {
    const { model } = this;
    return typeof model === "string" ? `${this.#route}, model ${model.slice(0, longestModel)}` : this.#route;
  }
}
