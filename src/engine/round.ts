import {
  type BackendRound,
  Cancellation,
  type Emit,
  isTerminal,
  type Turn,
  TurnError,
  type TurnEvent,
  type TurnFailed,
  type TurnFinished,
  toTurnError,
} from "../turn/index.ts";
import type { Answer } from "./answer.ts";
import type { Candidate } from "./candidate.ts";
import { line, type Stage } from "./stages/stage.ts";

/**
 * One question to one backend. `begun` resolves when its content is sent, of which nothing is taken back, or when it has ended
 * well; it rejects with what went wrong before that. `ended` never rejects: it resolves with what went wrong, or with nothing.
 */
export class Round {
  readonly begun: Promise<void>;
  readonly ended: Promise<TurnError | undefined>;
  readonly #answer: Answer;
  readonly #candidate: Candidate;
  readonly #cancellation: Cancellation;
  readonly #onCommit: () => void;
  readonly #emit: Emit;
  /** Closes the backend's connection. */
  readonly #cancel = new Cancellation();
  readonly #onCancel = () => this.#fail(this.#cancellation.reason);
  #begin: () => void = () => {};
  #refuse: (error: TurnError) => void = () => {};
  #end: (error: TurnError | undefined) => void = () => {};
  #silence: NodeJS.Timeout | undefined;
  #over = false;
  #heardEnd = false;
  /** What the model has said and thought, up to more than anybody wants to quote. */
  heard = "";
  thought = "";

  constructor(
    candidate: Candidate,
    turn: Turn,
    stages: readonly Stage[],
    answer: Answer,
    cancellation: Cancellation,
    onCommit: () => void,
  ) {
    this.#candidate = candidate;
    this.#answer = answer;
    this.#cancellation = cancellation;
    this.#onCommit = onCommit;
    this.#emit = line(stages, (event) => this.#take(event));
    this.begun = new Promise((resolve, reject) => {
      this.#begin = resolve;
      this.#refuse = reject;
    });
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    if (cancellation.reason) this.#onCancel();
    else this.#ask(turn);
  }

  #ask(turn: Turn): void {
    const { backend, firstContent } = this.#candidate;
    this.#cancellation.onCancel(this.#onCancel);
    this.#answer.onBegin = () => {
      clearTimeout(this.#silence);
      this.#silence = undefined;
    };
    this.#answer.onCommit = () => {
      this.#onCommit();
      this.#begin();
    };
    this.#silence = setTimeout(() => this.#fail(silent(backend.name, firstContent)), firstContent);
    const flush = () => (this.#over ? undefined : this.#answer.flush());
    const round: BackendRound = { emit: (event) => this.#hear(event), flush, cancellation: this.#cancel };
    backend.run(turn, round).then(
      () => {
        if (!this.#over) this.#fail(noEnd(backend.name));
      },
      (thrown: unknown) => this.#fail(thrown),
    );
  }

  /** What goes into the stages. They may hold it, but the backend is not silent. */
  #hear(event: TurnEvent): void {
    if (this.#over) {
      // What the answer has cost is told in its end.
      if (event.type === "usage.reported" && !this.#answer.ended) this.#answer.receive(event);
      return;
    }
    this.#heardEnd ||= isTerminal(event);
    if (this.#candidate.reask > 0) this.#note(event);
    if (this.#silence && isContent(event)) {
      clearTimeout(this.#silence);
      this.#silence = undefined;
    }
    this.#emit(event);
  }

  #note(event: TurnEvent): void {
    if (event.type === "text.delta" && this.heard.length < mostHeard) this.heard += event.text;
    if (event.type === "reasoning.delta" && this.thought.length < mostHeard) this.thought += event.text;
  }

  /** What comes out of the stages. */
  #take(event: TurnEvent): void {
    if (this.#over) return;
    if (!isTerminal(event)) this.#answer.receive(event);
    else if (event.type === "turn.finished") this.#finish(event);
    else this.#failWith(event);
  }

  #finish(event: TurnFinished): void {
    this.#answer.end(event);
    // An answer that cannot be written down has failed.
    const error = this.#answer.last?.type === "turn.failed" ? this.#answer.last.error : undefined;
    this.#settle(error);
    // A stage has ended the turn, and the rest is not wanted.
    if (!this.#heardEnd) this.#cancel.cancel(unwanted);
  }

  /** Through the stages, so that what they hold goes out first; past them, should one of them be what failed. */
  #fail(thrown: unknown): void {
    if (this.#over) return;
    const failed: TurnFailed = { type: "turn.failed", error: toTurnError(thrown) };
    try {
      this.#emit(failed);
    } catch {
      this.#failWith(failed);
    }
    // A stage may have kept it to itself.
    if (!this.#over) this.#failWith(failed);
  }

  /** What is done about it is the driver's to decide. */
  #failWith({ error }: TurnFailed): void {
    this.#settle(error);
    this.#cancel.cancel(error);
  }

  #settle(error: TurnError | undefined): void {
    this.#over = true;
    clearTimeout(this.#silence);
    this.#cancellation.offCancel(this.#onCancel);
    if (error) this.#refuse(error);
    else this.#begin();
    this.#end(error);
  }
}

const mostHeard = 10_000;
const unwanted = new TurnError("upstream_cut", "The rest of the answer is not wanted.");

function isContent({ type }: TurnEvent): boolean {
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
