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
  /** `failures` failures within `window` open the circuit; it stays open for `cooldown`. Both in milliseconds. */
  failures: number;
  window: number;
  cooldown: number;
  onState: (state: BreakerState) => void;
}

/** closed: requests pass. open: requests are refused. half_open: one request tests the backend. */
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
    // The test request may take minutes. The library would make other requests wait for it; here they fail at once.
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

  /** Other clients get the message of the last failure, so it must not quote what a person wrote. */
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

/** Counts the failures within the window. Successes between them do not reset the count. */
class FailureWindow implements IBreaker {
  /** The times of the last failures, oldest first; at most as many as open the circuit. */
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

/** Failures of the backend itself. Refused requests and invalid answers of the model do not count. */
const counted = new Set<ErrorCode>(["upstream_unreachable", "upstream_error", "upstream_timeout", "upstream_cut"]);

function counts(error: Error): boolean {
  return error instanceof Undecided || (error instanceof TurnError && counted.has(error.code));
}

/** A test request that ended on our side says nothing about the backend. The circuit opens again; the library would close it. */
class Undecided extends Error {}

const ourSide = new Set<ErrorCode>([
  "client_closed",
  "shutting_down",
  "request_timeout",
  "overloaded",
  "internal_error",
]);

async function decide(ask: () => Promise<void>): Promise<void> {
  try {
    await ask();
  } catch (error) {
    throw error instanceof TurnError && ourSide.has(error.code) ? new Undecided("undecided", { cause: error }) : error;
  }
}
