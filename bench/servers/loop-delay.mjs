import { monitorEventLoopDelay } from "node:perf_hooks";

const resolution = 5;
const milliseconds = (nanoseconds) => Math.max(0, nanoseconds / 1e6 - resolution);

/** How late the event loop came to its timers. */
export class LoopDelay {
  #histogram = monitorEventLoopDelay({ resolution });

  begin() {
    this.#histogram.reset();
    this.#histogram.enable();
  }

  /** In milliseconds. */
  end() {
    this.#histogram.disable();
    const { max } = this.#histogram;
    return {
      p50: milliseconds(this.#histogram.percentile(50)),
      p99: milliseconds(this.#histogram.percentile(99)),
      max: milliseconds(max),
    };
  }
}
