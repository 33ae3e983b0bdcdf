import {
  addUsage,
  type Backend,
  type BackendEvent,
  type BackendRound,
  type CallItem,
  Cancellation,
  type Emit,
  type Holding,
  type Item,
  isTerminal,
  type RoundFailed,
  type RoundFinished,
  type Turn,
  TurnError,
  type TurnEvent,
  type TurnListener,
  toTurnError,
  type Usage,
  type WorkMarker,
} from "../turn/index.ts";
import type { Answer, AttemptWatch } from "./answer.ts";
import type { Candidate } from "./candidate.ts";
import { Inbox } from "./inbox.ts";
import { type CallSettings, Settle } from "./settle/index.ts";
import { line, type Stage } from "./stages/stage.ts";

/** What a round reports when it is over. A round never ends the turn: the driver decides what follows. */
export interface RoundResult {
  ending: RoundFinished | RoundFailed;
  /** The completed items. */
  items: readonly Item[];
  /** The complete calls among the items. */
  calls: readonly CallItem[];
  usage: Usage | undefined;
  /** Whether any of the round was sent to the client. */
  isSent: boolean;
}

export interface AttemptParts {
  candidate: Candidate;
  turn: Turn;
  stages: readonly Stage[];
  calls: CallSettings;
  answer: Answer;
  /** The turn's cancellation. */
  cancellation: Cancellation;
  /** Counts what the backend buffers. */
  holding?: Holding | undefined;
  onCommit: () => void;
  /** Called with each event that the client gets, now or later, except text. */
  onEvent?: ((event: TurnEvent) => void) | undefined;
  /** Whether the backend itself ends its turn at its calls. */
  endsAtCalls: boolean;
  work?: WorkMarker | undefined;
}

/**
 * One attempt at a round: one request to one backend. `accepted` resolves when any of it was sent or when it has ended well: then no
 * other attempt can take its place. `accepted` rejects if the attempt fails before that. `result` never rejects.
 */
export class Attempt implements AttemptWatch {
  readonly accepted: Promise<void>;
  readonly result: Promise<RoundResult>;
  readonly #answer: Answer;
  readonly #candidate: Candidate;
  readonly #turnCancellation: Cancellation;
  readonly #onCommit: () => void;
  /** Set if the backend itself ends its turn at its calls. */
  readonly #cutoffListener: TurnListener | undefined;
  readonly #listener: TurnListener;
  readonly #inbox: Inbox;
  readonly #emit: Emit;
  readonly #settle: Settle;
  /** Closes the backend's connection. */
  readonly #cancellation = new Cancellation();
  readonly #onCancel = () => this.#fail(this.#turnCancellation.reason);
  #accept: () => void = () => {};
  #refuse: (error: TurnError) => void = () => {};
  #report: (result: RoundResult) => void = () => {};
  #silenceTimer: NodeJS.Timeout | undefined;
  #isOver = false;
  #backendEnded = false;
  #usage: Usage | undefined;
  #callsDone = 0;
  /** The model's text and reasoning for corrections, up to about `mostNoted` characters each. */
  said = "";
  thought = "";

  constructor(parts: AttemptParts) {
    const { candidate, turn, stages, calls, answer, cancellation, onCommit, onEvent, endsAtCalls, work } = parts;
    this.#candidate = candidate;
    this.#answer = answer;
    this.#turnCancellation = cancellation;
    this.#onCommit = onCommit;
    this.#listener = calls.listener;
    this.#cutoffListener = endsAtCalls ? calls.listener : undefined;
    this.#inbox = new Inbox({
      begin: work && (() => work.begin()),
      deliver: (event) => this.#receive(event),
      flush: () => {
        const full = this.#isOver ? undefined : answer.flush();
        work?.end();
        return full;
      },
      onError: (thrown) => this.#fail(thrown),
    });
    this.#settle = new Settle(calls, (event) => {
      answer.receive(event);
      if (event.type === "text.delta") return;
      onEvent?.(event);
      if (event.type === "call.done") this.#callsDone++;
    });
    this.#emit = line(stages, (event) => this.#handle(event));
    this.accepted = new Promise((resolve, reject) => {
      this.#accept = resolve;
      this.#refuse = reject;
    });
    this.result = new Promise((resolve) => {
      this.#report = resolve;
    });
    if (cancellation.reason) this.#onCancel();
    else this.#ask(turn, parts);
  }

  #ask(turn: Turn, { holding, work }: Pick<AttemptParts, "holding" | "work">): void {
    const { backend, firstContent } = this.#candidate;
    this.#turnCancellation.onCancel(this.#onCancel);
    this.#answer.watch(this);
    this.#silenceTimer = setTimeout(() => this.#fail(silent(backend.name, firstContent)), firstContent);
    const inbox = this.#inbox;
    const round: BackendRound = {
      begin: work && (() => work.begin()),
      emit: (event) => inbox.push(event),
      flush: () => inbox.flush(),
      cancellation: this.#cancellation,
      holding,
    };
    runOf(backend, turn, round).then(
      () =>
        inbox.whenEmpty(() => {
          if (!this.#isOver) this.#fail(noEnd(backend.name));
        }),
      (thrown: unknown) => inbox.whenEmpty(() => this.#fail(thrown)),
    );
  }

  onBegin(): void {
    this.#stopSilence();
  }

  onCommit(): void {
    this.#onCommit();
    this.#accept();
  }

  /** The input of the stages. They may hold the event, but it shows that the backend is not silent. */
  #receive(event: BackendEvent): void {
    if (this.#isOver) {
      // The end of the answer reports its usage.
      if (event.type === "usage.reported" && !this.#answer.isEnded) this.#addUsage(event.usage);
      return;
    }
    this.#backendEnded ||= isTerminal(event);
    if (this.#candidate.reask > 0) this.#note(event);
    if (this.#silenceTimer && isContent(event)) this.#stopSilence();
    if (this.#answer.count(event)) this.#emit(event);
    else this.#cutShort();
  }

  /** The answer is too large. It ends as it does at a token limit. */
  #cutShort(): void {
    this.#listener.answerCut?.(this.#answer.characters);
    this.#emit({ type: "round.finished", reason: "length" });
  }

  #note(event: BackendEvent): void {
    if (event.type === "text.delta" && this.said.length < mostNoted) this.said += event.text;
    if (event.type === "reasoning.delta" && this.thought.length < mostNoted) this.thought += event.text;
  }

  /** The output of the stages. */
  #handle(event: BackendEvent): void {
    if (this.#isOver) return;
    switch (event.type) {
      case "usage.reported":
        this.#addUsage(event.usage);
        return;
      case "round.finished":
        this.#finish(event);
        return;
      case "round.failed":
        this.#failWith(event);
        return;
      default:
        this.#settle.push(event);
    }
  }

  #addUsage(usage: Usage): void {
    this.#usage = addUsage(this.#usage, usage);
    this.#answer.addUsage(usage);
  }

  #finish(event: RoundFinished): void {
    const ending = this.#settle.finish(event);
    this.#answer.finishRound();
    // Nothing was dropped, but the cutoff is still reported.
    if (this.#callsDone > 0) this.#cutoffListener?.cutOff?.({ bytes: 0 });
    this.#end(this.#result(ending));
    // A stage ended the round before the backend did, so the rest is not needed.
    if (!this.#backendEnded) this.#cancellation.cancel(unwanted);
  }

  /** Passes through the stages, so that they first emit what they hold. If a stage throws, the failure bypasses them. */
  #fail(thrown: unknown): void {
    if (this.#isOver) return;
    const failed: RoundFailed = { type: "round.failed", error: toTurnError(thrown) };
    try {
      this.#emit(failed);
    } catch {
      this.#failWith(failed);
    }
    // A stage may have dropped the failure.
    if (!this.#isOver) this.#failWith(failed);
  }

  #failWith(failed: RoundFailed): void {
    this.#end(this.#result(failed));
    this.#cancellation.cancel(failed.error);
  }

  #end(result: RoundResult): void {
    const { ending } = result;
    this.#isOver = true;
    this.#inbox.close();
    this.#stopSilence();
    this.#turnCancellation.offCancel(this.#onCancel);
    if (ending.type === "round.failed") this.#refuse(ending.error);
    else this.#accept();
    this.#report(result);
  }

  #result(ending: RoundFinished | RoundFailed): RoundResult {
    const { transcript, roundStart, isCommitted } = this.#answer;
    const items = transcript.items.slice(roundStart);
    const calls = items.filter((item) => item.type === "call");
    return { ending, items, calls, usage: this.#usage, isSent: isCommitted };
  }

  #stopSilence(): void {
    clearTimeout(this.#silenceTimer);
    this.#silenceTimer = undefined;
  }
}

/** Turns an exception that a backend throws synchronously into a rejection. */
function runOf(backend: Backend, turn: Turn, round: BackendRound): Promise<void> {
  try {
    return backend.run(turn, round);
  } catch (thrown) {
    return Promise.reject(thrown);
  }
}

const mostNoted = 10_000;
const unwanted = new TurnError("upstream_cut", "The rest of the answer is not wanted.");

function isContent({ type }: BackendEvent): boolean {
  return type === "text.delta" || type === "reasoning.delta" || type === "refusal.delta" || type === "call.started";
}

function noEnd(backend: string): TurnError {
  return new TurnError("upstream_cut", `The backend "${backend}" gave no end.`, {
    failure: { by: "backend", phase: "answer", remedy: "retry" },
  });
}

function silent(backend: string, milliseconds: number): TurnError {
  return new TurnError(
    "upstream_timeout",
    `The backend "${backend}" gave no content in ${milliseconds / 1000} seconds.`,
  );
}
