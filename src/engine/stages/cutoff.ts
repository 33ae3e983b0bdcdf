import { permits } from "../../tools/index.ts";
import {
  type BackendCallStarted,
  type BackendEvent,
  type Emit,
  isTerminal,
  type RoundFinished,
  type Turn,
  type TurnListener,
} from "../../turn/index.ts";
import { InvalidCall } from "../invalid-call.ts";
import type { Stage } from "./stage.ts";

/** This many visible characters may stand between two calls. With more, the model is inventing results. */
const mostVisible = 64;
/** A model that makes more calls than this in one turn repeats itself. */
const mostCalls = 128;

/**
 * A model without native tools does not know that its turn is over after its calls: it continues, and invents their results. So
 * nothing after a call is passed on unless it is another call, and the turn is soon ended.
 */
export class Cutoff {
  readonly #turn: Turn;
  readonly #listener: TurnListener;
  readonly #isWhole: boolean;
  readonly #most: number;
  readonly #open = new Map<number, BackendCallStarted>();
  /** How many calls are done, and how many of them the client may get. */
  #done = 0;
  #allowed = 0;
  /**
   * The text dropped since the last call, in which another call may have begun; its visible characters; and all that was dropped.
   */
  #tail = "";
  #visible = 0;
  readonly #dropped = { bytes: 0 };
  /** Whether the backend itself has ended its answer. */
  #hasEnded = false;
  #isOver = false;

  /** `isWhole`: the backend sends its answer in one piece. */
  constructor(turn: Turn, listener: TurnListener, isWhole: boolean) {
    const { choice, settings } = turn;
    this.#turn = turn;
    this.#listener = listener;
    this.#isWhole = isWhole;
    this.#most = choice.mode === "forced" || settings.parallelToolCalls === false ? 1 : mostCalls;
  }

  /**
   * Runs before calls are recovered from text. Recovery emits what it held once the backend has ended; that text must not end the
   * turn.
   */
  readonly noticeEnd: Stage = (event, emit) => {
    this.#hasEnded ||= isTerminal(event);
    emit(event);
  };

  readonly stage: Stage = (event, emit) => {
    if (event.type === "round.finished") this.#finish(event, emit);
    else if (event.type === "round.failed") {
      // An invalid call after the end of the turn is dropped anyway, so it is no failure.
      if (!this.#isOver || !(event.error instanceof InvalidCall)) emit(event);
    } else if (this.#done > 0 && isWords(event)) {
      if ("text" in event) this.#drop(event.text, emit);
    } else if (this.#isOver && isOfCall(event)) {
      if ("delta" in event) this.#count(event.delta);
    } else this.#pass(event, emit);
  };

  #pass(event: BackendEvent, emit: Emit): void {
    emit(event);
    if (event.type === "call.started") this.#open.set(event.call, event);
    if (event.type !== "call.done") return;
    const call = this.#open.get(event.call);
    this.#open.delete(event.call);
    this.#done++;
    this.#tail = "";
    this.#visible = 0;
    if (call && permits(this.#turn.choice, call)) this.#allowed++;
    if (this.#allowed === this.#most) this.#end(emit);
  }

  #drop(text: string, emit: Emit): void {
    this.#count(text);
    if (this.#isOver) return;
    this.#visible += text.replace(/\s+/g, "").length;
    if (this.#visible > mostVisible && !this.#hasEnded) this.#end(emit);
    else this.#tail += text;
  }

  #count(text: string): void {
    this.#listener.cutOff?.(this.#dropped);
    this.#dropped.bytes += Buffer.byteLength(text);
  }

  /** An answer in one piece is read to its end, because its usage is reported only there. */
  #end(emit: Emit): void {
    this.#isOver = true;
    if (this.#isWhole) return;
    this.#listener.cutOff?.(this.#dropped);
    emit({ type: "round.finished", reason: "stop" });
  }

  #finish(event: RoundFinished, emit: Emit): void {
    // The token limit cut off text that would be dropped anyway, unless that was another call.
    const isWhole = this.#isOver || (this.#done > 0 && this.#open.size === 0 && !/[<[{|]/.test(this.#tail));
    emit(isWhole && event.reason === "length" ? { ...event, reason: "stop" } : event);
  }
}

function isWords({ type }: BackendEvent): boolean {
  return type !== "message.extra" && /^(?:text|refusal|annotation|message|reasoning)\./.test(type);
}

function isOfCall({ type }: BackendEvent): boolean {
  return type.startsWith("call.");
}
