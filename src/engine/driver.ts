import {
  addUsage,
  type Backend,
  type Clock,
  type Emit,
  type Encoder,
  type Ids,
  isTerminal,
  type Outlet,
  type Round,
  type Turn,
  TurnError,
  type TurnEvent,
  type TurnFailed,
  type TurnFinished,
  toTurnError,
  type Usage,
} from "../turn/index.ts";
import type { Observer, TurnSummary } from "./observer.ts";
import { settleCalls } from "./stages/calls.ts";
import { keepChoice } from "./stages/choice.ts";
import { inOrder } from "./stages/in-order.ts";
import { line } from "./stages/stage.ts";

export interface TurnPlan {
  turn: Turn;
  backend: Backend;
  encoder: Encoder;
  ids: Ids;
  observer: Observer;
  clock: Clock;
  /** When the request came in, by the same clock. */
  receivedAt: number;
  /** Milliseconds. */
  keepAlive: number;
  firstContent: number;
  total: number;
  /** Ends the turn early: aborted with a `TurnError` when the client leaves or the gateway stops, and here when time is up. */
  stop: AbortController;
}

/** How a turn ended. Unless the stream was opened, the caller still has everything to send: the body, or the error. */
export interface Ending extends TurnSummary {
  opened: boolean;
  body: string;
  error: TurnError | undefined;
}

/** Runs one turn to its one end. Never rejects: whatever happens is an ending. */
export function runTurn(plan: TurnPlan, outlet: Outlet): Promise<Ending> {
  return new Driver(plan, outlet).run();
}

/**
 * held: nothing was sent, and a failure is a plain HTTP error. open: the stream was opened to keep the client waiting, but no
 * content was sent. committed: the client has content, which is never taken back. ended: the terminal form went out.
 */
type State = "held" | "open" | "committed" | "ended";

class Driver {
  readonly #plan: TurnPlan;
  readonly #outlet: Outlet;
  readonly #stop: AbortController;
  #state: State = "held";
  /** What came before the first content; it goes out with it. */
  #waiting: TurnEvent[] = [];
  #text = "";
  #wrote = false;
  /** The client does not take what was written yet. */
  #full = false;
  #opened = false;
  #upstreamId: string | undefined;
  #usage: Usage | undefined;
  #askedAt = 0;
  #firstContentAt: number | undefined;
  #endedAt = 0;
  #last: TurnFinished | TurnFailed | undefined;

  constructor(plan: TurnPlan, outlet: Outlet) {
    this.#plan = plan;
    this.#outlet = outlet;
    this.#stop = plan.stop;
  }

  async run(): Promise<Ending> {
    const { observer, turn } = this.#plan;
    observer.turnStarted(turn);
    const timers = this.#startTimers();
    await this.#round();
    for (const timer of timers) clearTimeout(timer);
    return this.#ending();
  }

  /** One question to the model. What takes time between rounds belongs after this, while the turn has not ended. */
  async #round(): Promise<void> {
    const { turn, backend, ids, observer, clock } = this.#plan;
    const stages = [keepChoice(turn, observer), inOrder(observer), settleCalls(ids, observer)];
    const emit = line(stages, (event) => this.#receive(event));
    const round: Round = { emit, flush: () => this.#flush(), signal: this.#stop.signal };
    this.#askedAt = clock.now();
    try {
      this.#stop.signal.throwIfAborted();
      await Promise.race([backend.run(turn, round), rejection(this.#stop.signal)]);
      if (this.#state !== "ended") throw new TurnError("upstream_cut", `The backend "${backend.name}" gave no end.`);
    } catch (thrown) {
      this.#fail(emit, toTurnError(thrown));
    }
  }

  /** Through the stages, so that what they hold goes out first; past them, should one of them be what failed. */
  #fail(emit: Emit, error: TurnError): void {
    const failed: TurnFailed = { type: "turn.failed", error };
    try {
      emit(failed);
    } catch {
      this.#end(failed);
    }
  }

  #receive(event: TurnEvent): void {
    if (this.#state === "ended") return;
    if (isTerminal(event)) {
      this.#end(event);
      return;
    }
    switch (event.type) {
      case "response.started":
        this.#upstreamId = event.id;
        return;
      case "usage.reported":
        this.#usage = addUsage(this.#usage, event.usage);
        return;
      case "message.started":
      case "reasoning.started":
        if (this.#state !== "committed") {
          this.#waiting.push(event);
          return;
        }
    }
    if (this.#state !== "committed") this.#commit();
    this.#text += this.#plan.encoder.push(event);
  }

  #commit(): void {
    this.#open();
    this.#state = "committed";
    this.#firstContentAt = this.#plan.clock.now();
    for (const event of this.#waiting) this.#text += this.#plan.encoder.push(event);
    this.#waiting = [];
  }

  #open(): void {
    if (this.#state !== "held") return;
    this.#text += this.#plan.encoder.open(this.#upstreamId);
    this.#state = "open";
    if (!this.#plan.encoder.streams) return;
    this.#opened = true;
    this.#outlet.open();
  }

  #flush(): Promise<void> | undefined {
    if (!this.#opened || this.#text === "" || this.#state === "ended") return undefined;
    const text = this.#text;
    this.#text = "";
    this.#wrote = true;
    const full = this.#outlet.write(text);
    if (full) {
      this.#full = true;
      void full.then(() => {
        this.#full = false;
      });
    }
    return full;
  }

  /** The one place where a turn ends. */
  #end(event: TurnFinished | TurnFailed): void {
    this.#endedAt = this.#plan.clock.now();
    try {
      this.#write(event);
      this.#last = event;
    } catch (thrown) {
      // What cannot be written down is a failure of ours; the client still gets an end.
      this.#last = { type: "turn.failed", error: toTurnError(thrown) };
    }
    this.#state = "ended";
    if (this.#opened) this.#outlet.end(this.#text);
    // A backend that still runs has nothing more to say.
    if (this.#last.type === "turn.failed") this.#stop.abort(this.#last.error);
  }

  #write(event: TurnFinished | TurnFailed): void {
    const { encoder } = this.#plan;
    if (event.type === "turn.finished") {
      this.#open();
      for (const waiting of this.#waiting) this.#text += encoder.push(waiting);
    }
    if (this.#usage) this.#text += encoder.push({ type: "usage.reported", usage: this.#usage });
    if (this.#opened || event.type === "turn.finished") this.#text += encoder.push(event);
  }

  #startTimers(): NodeJS.Timeout[] {
    const { turn, encoder, keepAlive, firstContent, total, backend } = this.#plan;
    const timers = [setTimeout(() => this.#stop.abort(tooLong(backend.name, total)), total)];
    if (encoder.streams) timers.push(setInterval(() => this.#keepAlive(), keepAlive));
    // Without a stream the backend shows nothing until it is done.
    if (turn.stream) {
      const giveUp = () => {
        if (this.#firstContentAt === undefined) this.#stop.abort(silent(backend.name, firstContent));
      };
      timers.push(setTimeout(giveUp, firstContent));
    }
    return timers;
  }

  #keepAlive(): void {
    // A client that is full has something to read.
    if (this.#state === "ended" || this.#full) return;
    try {
      if (this.#state === "held") {
        this.#open();
        this.#text ||= this.#plan.encoder.keepAlive();
      } else if (!this.#wrote) this.#text += this.#plan.encoder.keepAlive();
      this.#flush();
      this.#wrote = false;
    } catch (thrown) {
      this.#end({ type: "turn.failed", error: toTurnError(thrown) });
    }
  }

  #ending(): Ending {
    const { receivedAt, observer, clock } = this.#plan;
    const last = this.#last;
    const error = last?.type === "turn.failed" ? last.error : undefined;
    const summary: TurnSummary = {
      status: statusOf(last),
      code: error?.code ?? null,
      usage: this.#usage,
      firstContentMs: this.#firstContentAt === undefined ? null : this.#firstContentAt - receivedAt,
      overheadMs: this.#askedAt - receivedAt + (clock.now() - this.#endedAt),
      totalMs: clock.now() - receivedAt,
    };
    observer.turnFinished(summary);
    return { ...summary, opened: this.#opened, body: this.#text, error };
  }
}

function statusOf(last: TurnFinished | TurnFailed | undefined): TurnSummary["status"] {
  if (last?.type === "turn.finished") return last.reason === "stop" ? "completed" : "incomplete";
  return last?.error.code === "client_closed" ? "cancelled" : "failed";
}

/** Rejects when the signal aborts, so that a backend that does not listen cannot hold a turn. */
function rejection(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

function silent(backend: string, milliseconds: number): TurnError {
  return new TurnError(
    "upstream_timeout",
    `The backend "${backend}" gave no content in ${milliseconds / 1000} seconds.`,
  );
}

function tooLong(backend: string, milliseconds: number): TurnError {
  return new TurnError(
    "upstream_timeout",
    `The backend "${backend}" was not done after ${milliseconds / 1000} seconds.`,
  );
}
