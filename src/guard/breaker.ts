import {
  BrokenCircuitError,
  type CircuitBreakerPolicy,
  CircuitState,
  circuitBreaker,
  handleWhen,
  type IBreaker,
} from "cockatiel";
import { type Breaker, type ErrorCode, quotesOthers, TurnError } from "../turn/index.ts";

export interface BreakerOptions {
  /** The backend's name in the configuration. */
  backend: string;
  /** So many failures within `window` open it; it stays open for `cooldown`. Milliseconds. */
  failures: number;
  window: number;
  cooldown: number;
  onState: (state: BreakerState) => void;
}

/** closed: requests go through. open: none does. half_open: one is tried, and decides. */
export type BreakerState = "closed" | "open" | "half_open";

export function createBreaker(options: BreakerOptions): Breaker {
  return new BackendBreaker(options);
}

class BackendBreaker implements Breaker {
  readonly #backend: string;
  readonly #cooldown: number;
  readonly #policy: CircuitBreakerPolicy;
  #openedAt = 0;
  #lastFailure: string | undefined;

  constructor({ backend, failures, window, cooldown, onState }: BreakerOptions) {
    this.#backend = backend;
    this.#cooldown = cooldown;
    this.#policy = circuitBreaker(handleWhen(counts), {
      halfOpenAfter: cooldown,
      breaker: new FailureWindow(failures, window),
    });
    this.#policy.onStateChange((state) => {
      if (state === CircuitState.Open) this.#openedAt = performance.now();
      onState(names[state]);
    });
  }

  async watch(ask: () => Promise<void>): Promise<void> {
    const { state } = this.#policy;
    // While one request is tried the others do not wait for it, as they would in the library: it may take minutes.
    if (state === CircuitState.HalfOpen) throw this.#unavailable(1);
    try {
      await this.#policy.execute(state === CircuitState.Closed ? ask : () => decide(ask));
    } catch (error) {
      this.#note(error);
      if (error instanceof Undecided) throw error.cause;
      if (!(error instanceof BrokenCircuitError)) throw error;
      const left = this.#cooldown - (performance.now() - this.#openedAt);
      throw this.#unavailable(Math.max(1, Math.ceil(left / 1000)));
    }
  }

  /** What is told to others than to whom it happened must not quote what a person wrote. */
  #note(error: unknown): void {
    if (!(error instanceof TurnError) || !counted.has(error.code)) return;
    this.#lastFailure = quotesOthers(error) ? undefined : error.message;
  }

  failed(error: TurnError): void {
    this.#note(error);
    if (this.#policy.state !== CircuitState.Closed) return;
    this.#policy.execute(() => Promise.reject(error)).catch(() => {});
  }

  #unavailable(seconds: number): TurnError {
    return new TurnError(
      "upstream_unavailable",
      `The backend "${this.#backend}" has failed too often just now and is left alone for a moment. Try again in ${seconds} s.${this.#lastFailure ? ` The last failure: ${this.#lastFailure}` : ""}`,
      { retryAfter: String(seconds) },
    );
  }
}

/** Counts failures, whatever succeeds between them, as far back as its window reaches. */
class FailureWindow implements IBreaker {
  /** When the failures were, oldest first; never more than are needed. */
  state: number[] = [];
  readonly #failures: number;
  readonly #window: number;

  constructor(failures: number, window: number) {
    this.#failures = failures;
    this.#window = window;
  }

  success(state: CircuitState): void {
    if (state === CircuitState.HalfOpen) this.state = [];
  }

  failure(state: CircuitState): boolean {
    const now = performance.now();
    this.state = [...this.state.filter((time) => now - time < this.#window), now].slice(-this.#failures);
    return state !== CircuitState.Closed || this.state.length >= this.#failures;
  }
}

const names: Record<CircuitState, BreakerState> = {
  [CircuitState.Closed]: "closed",
  [CircuitState.Open]: "open",
  [CircuitState.HalfOpen]: "half_open",
  [CircuitState.Isolated]: "open",
};

/** What speaks against the backend itself: not what it refused, nor what its model wrote. */
const counted = new Set<ErrorCode>(["upstream_unreachable", "upstream_error", "upstream_timeout", "upstream_cut"]);

function counts(error: Error): boolean {
  return error instanceof Undecided || (error instanceof TurnError && counted.has(error.code));
}

/** A try that was ended from our side tells nothing of the backend: it rests again, where the library would trust it. */
class Undecided extends Error {}

const ourSide = new Set<ErrorCode>(["client_closed", "shutting_down", "request_timeout", "internal_error"]);

async function decide(ask: () => Promise<void>): Promise<void> {
  try {
    await ask();
  } catch (error) {
    throw error instanceof TurnError && ourSide.has(error.code) ? new Undecided("undecided", { cause: error }) : error;
  }
}
