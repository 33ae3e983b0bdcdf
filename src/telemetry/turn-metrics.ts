import type {
  CallStarted,
  ClientApi,
  NextStep,
  Repair,
  Turn,
  TurnError,
  TurnListener,
  TurnSummary,
} from "../turn/index.ts";
import type { Metrics } from "./metrics.ts";
import { TurnTally } from "./turn-tally.ts";

/** Counts one turn in the metrics. */
export class TurnMetrics implements TurnListener {
  readonly #metrics: Metrics;
  readonly #tally: TurnTally;
  #api: ClientApi = "chat";

  /** `backend` is the backend of the first attempt. */
  constructor(metrics: Metrics, backend: string) {
    this.#metrics = metrics;
    this.#tally = new TurnTally(backend);
  }

  turnStarted({ api }: Turn): void {
    this.#api = api;
    this.#metrics.turnStarted();
  }

  attemptStarted(backend: string): void {
    this.#tally.attemptStarted(backend);
  }

  attemptFailed(backend: string, { code }: TurnError, next: NextStep): void {
    this.#tally.attemptFailed(next);
    if (code.startsWith("upstream_")) this.#metrics.upstreamFailed({ backend, code, next: countedAs(next) });
  }

  roundCommitted(): void {
    this.#tally.roundCommitted();
  }

  callDone(call: CallStarted): void {
    this.#tally.callDone(call);
  }

  callRepaired(repair: Repair): void {
    this.#tally.repairs.push(repair);
  }

  storeFailed(reason: string): void {
    this.#metrics.storeFailed(reason);
  }

  turnStored(milliseconds: number): void {
    this.#metrics.storeCommitted(milliseconds / 1_000);
  }

  turnFinished(summary: TurnSummary): void {
    this.#tally.turnFinished(summary);
    const { backend, calls, repairs } = this.#tally;
    const { status, totalMs, firstContentMs, usage } = summary;
    this.#metrics.turnFinished({
      api: this.#api,
      backend,
      status,
      ms: totalMs,
      firstContentMs,
      calls: calls.length,
      repairs,
      usage,
    });
  }
}

function countedAs({ action }: NextStep): "retry" | "fallback" | "end" {
  return action === "fallback" || action === "end" ? action : "retry";
}
