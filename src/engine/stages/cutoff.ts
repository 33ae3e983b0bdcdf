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

/** So much may stand between two calls; more is the model telling what it cannot know yet. */
const mostVisible = 64;
/** A model that makes more calls than these in one turn repeats itself. */
const mostCalls = 128;

/**
 * A model without tools of its own does not know that its turn is over when it has made its calls: it goes on, and makes up what
 * they return. So nothing that follows a call goes further, unless it is another call, and soon the turn is ended.
 */
export class Cutoff {
  readonly #turn: Turn;
  readonly #listener: TurnListener;
  readonly #isWhole: boolean;
  readonly #most: number;
  readonly #open = new Map<number, BackendCallStarted>();
  /** How many calls are done, and how many of them the client may have. */
  #done = 0;
  #allowed = 0;
  /** What was dropped since the last call, as far as it can be a call that was begun; and in all. */
  #tail = "";
  #visible = 0;
  readonly #dropped = { bytes: 0 };
  /** The backend itself has ended. */
  #hasEnded = false;
  #isOver = false;

  /** `isWhole`: the answer comes in one piece, however the client wants it. */
  constructor(turn: Turn, listener: TurnListener, isWhole: boolean) {
    const { choice, settings } = turn;
    this.#turn = turn;
    this.#listener = listener;
    this.#isWhole = isWhole;
    this.#most = choice.mode === "forced" || settings.parallelToolCalls === false ? 1 : mostCalls;
  }

  /** Before calls are read out of the text: what was held there is told when the end has come, but does not bring it about. */
  readonly noticeEnd: Stage = (event, emit) => {
    this.#hasEnded ||= isTerminal(event);
    emit(event);
  };

  readonly stage: Stage = (event, emit) => {
    if (event.type === "round.finished") this.#finish(event, emit);
    else if (event.type === "round.failed") {
      // A call that nobody wanted cannot be wrong.
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

  /** A whole answer is heard to its end, because only there it tells what it cost. */
  #end(emit: Emit): void {
    this.#isOver = true;
    if (this.#isWhole) return;
    this.#listener.cutOff?.(this.#dropped);
    emit({ type: "round.finished", reason: "stop" });
  }

  #finish(event: RoundFinished, emit: Emit): void {
    // What the limit cut was not wanted, unless it was another call.
    const isWhole = this.#isOver || (this.#done > 0 && this.#open.size === 0 && !/[<[{|]/.test(this.#tail));
    emit(isWhole && event.reason === "length" ? { ...event, reason: "stop" } : event);
  }
}

function isWords({ type }: BackendEvent): boolean {
  return /^(?:text|refusal|annotation|message|reasoning)\./.test(type);
}

function isOfCall({ type }: BackendEvent): boolean {
  return type.startsWith("call.");
}
