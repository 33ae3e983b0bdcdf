import {
  createReader,
  cutOff,
  type Ending,
  type Reader,
  type ReadingOptions,
  type RejectReport,
  type Sink,
  unknownTool,
} from "../../dialects/index.ts";
import { permits, sentinel } from "../../tools/index.ts";
import type {
  BackendEvent,
  BackendMessageDone,
  BackendMessageStarted,
  Emit,
  FunctionTool,
  RoundFailed,
  RoundFinished,
  Tool,
  Turn,
  TurnListener,
} from "../../turn/index.ts";
import type { Recovery } from "../candidate.ts";
import { callUnreadable, unknownName } from "../invalid-call.ts";
import { hasWords, Message, type MessageFinder } from "../recovery/message.ts";
import { Thoughts } from "../recovery/thoughts.ts";
import type { Stage } from "./stage.ts";

/**
 * Calls that the model wrote as text become calls. Everything else passes as it is, in most cases as the very same event.
 * There is no such stage where no call can be meant. `isSeen`: the client sees the answer grow, so that a long call need not wait.
 */
export function recoverCalls(
  turn: Turn,
  recovery: Recovery | undefined,
  listener: TurnListener,
  isSeen = turn.stream,
): Stage | undefined {
  if (!recovery || turn.choice.mode === "none") return undefined;
  // A call that the model was taught to write is one, whatever it calls; that it is not allowed is seen later.
  const mayBeCalled = (tool: Tool): tool is FunctionTool =>
    tool.type === "function" && (recovery.prompted || permits(turn.choice, { kind: "function", name: tool.name }));
  const tools = turn.tools.every(mayBeCalled) ? turn.tools : turn.tools.filter(mayBeCalled);
  if (tools.length === 0) return undefined;
  const recovering = new Recovering(tools, turn, recovery, listener, isSeen);
  return (event, emit) => recovering.take(event, emit);
}

class Recovering implements MessageFinder {
  readonly #tools: readonly FunctionTool[];
  readonly #reading: ReadingOptions;
  readonly #listener: TurnListener;
  readonly #isPrompted: boolean;
  /** By their numbers; what has none is one message. */
  readonly #messages = new Map<number | undefined, Message>();
  /** The one that had text last, and its number. */
  #last: Message | undefined;
  #lastItem: number | undefined;
  /** Reasoning without an answer so far. */
  #thoughts: Thoughts | undefined;
  #hasAnswered = false;
  #hasGiven = false;
  #found = 0;
  #next: Emit = () => {};

  constructor(tools: readonly FunctionTool[], turn: Turn, recovery: Recovery, listener: TurnListener, isSeen: boolean) {
    this.#tools = tools;
    this.#reading = {
      tools,
      dialects: recovery.dialects,
      repair: recovery.repair,
      // An answer that was asked for as JSON is no call for being JSON, and a model that was taught a marker uses it.
      markersOnly: recovery.prompted || (turn.format !== undefined && turn.format.type !== "text"),
      sentinel: recovery.prompted ? sentinel : undefined,
      patience: isSeen ? undefined : Number.POSITIVE_INFINITY,
    };
    this.#listener = listener;
    this.#isPrompted = recovery.prompted;
  }

  take(event: BackendEvent, next: Emit): void {
    this.#next = next;
    switch (event.type) {
      case "text.delta":
        this.#messageOf(event.item).push(event);
        return;
      case "message.started":
        this.#start(event);
        return;
      case "message.done":
        this.#done(event);
        return;
      case "annotation.added":
        this.#messageOf(event.item).pass(event);
        return;
      case "refusal.delta":
        this.answering();
        this.#messageOf(event.item).end("stop");
        this.#messageOf(event.item).pass(event);
        return;
      case "reasoning.delta":
        // An item of its own has an end of its own, and perhaps a seal that fits nothing else than what it was.
        if (event.item !== undefined || this.#hasAnswered) this.emit(event);
        else this.#think().push(event);
        return;
      case "call.started":
        this.answering();
        this.#settle();
        this.emit(event);
        return;
      case "reasoning.started":
        this.#settle();
        this.emit(event);
        return;
      case "item.done":
        this.#settle();
        this.emit(event);
        return;
      case "round.finished":
      case "round.failed":
        this.#finish(event);
        next(event);
        return;
      default:
        next(event);
    }
  }

  #messageOf(item: number | undefined): Message {
    if (this.#last && this.#lastItem === item) return this.#last;
    return this.#keep(item, this.#messages.get(item) ?? new Message(this, item));
  }

  #keep(item: number | undefined, message: Message): Message {
    this.#messages.set(item, message);
    this.#last = message;
    this.#lastItem = item;
    return message;
  }

  #forget(item: number | undefined): void {
    this.#messages.delete(item);
    if (this.#lastItem === item) this.#last = undefined;
  }

  #start(event: BackendMessageStarted): void {
    this.#settle();
    this.#messages.get(event.item)?.end("stop");
    this.#keep(event.item, new Message(this, event.item, event));
  }

  /** Whether its text was all of it, or was cut off, shows when something follows, or at the end of the turn. */
  #done(event: BackendMessageDone): void {
    const message = this.#messages.get(event.item);
    if (!message) {
      this.emit(event);
      return;
    }
    message.done = event;
    if (!message.isSettled) return;
    this.#forget(event.item);
    message.end("stop");
  }

  /** Something else begins. What stands before it is whole, unless it has a number and may go on beside it. */
  #settle(): void {
    for (const [item, message] of this.#messages) {
      if (item === undefined || message.done) {
        this.#forget(item);
        message.end("stop");
      } else message.open();
    }
  }

  #think(): Thoughts {
    this.#thoughts ??= new Thoughts({
      emit: (event) => this.emit(event),
      number: () => this.number(),
      createReader: (sink) => this.createReader(sink, true),
      rejected: (report) => this.rejected(report),
    });
    return this.#thoughts;
  }

  #finish(event: RoundFinished | RoundFailed): void {
    // What the client has seen nothing of can still be asked for again: what was held back must not be its beginning.
    if (event.type === "round.failed" && !this.#hasGiven) return;
    const ending: Ending = event.type === "round.finished" && event.reason === "stop" ? "stop" : "cut";
    // Reasoning came before its answer; white space is none.
    if ([...this.#messages.values()].some((message) => message.hasWords)) this.answering();
    this.#thoughts?.end(ending);
    for (const message of this.#messages.values()) message.end(ending);
  }

  // What the readers need.

  emit(event: BackendEvent): void {
    this.#hasGiven = true;
    this.#next(event);
  }

  /** Backends count upwards from 0. */
  number(): number {
    return -++this.#found;
  }

  createReader(sink: Sink, beginsInReasoning = false): Reader {
    return createReader({ ...this.#reading, beginsInReasoning }, sink);
  }

  answering(text?: string): void {
    if (this.#hasAnswered || (text !== undefined && !hasWords(text))) return;
    this.#hasAnswered = true;
    this.#thoughts?.end("cut");
    this.#thoughts = undefined;
  }

  rejected({ dialect, reason, name }: RejectReport): void {
    const tool = this.#tools.find((tool) => tool.name === name);
    this.#listener.textKept?.(dialect, reason, tool?.name ?? null);
    // What was cut off is told by the end of the turn.
    if (reason === cutOff || !this.#isStrict(tool)) return;
    // Any other name is the model's own words.
    this.#listener.strictFailed?.(tool?.name ?? null, null);
    const names = this.#tools.map((tool) => tool.name);
    const isUnknown = reason === unknownTool && name !== undefined;
    const error = isUnknown ? unknownName(name, names, true) : callUnreadable(tool?.name, reason);
    this.#next({ type: "round.failed", error });
  }

  /** Whether text that should have been a call must not pass as text. Who it was meant for is not always known. */
  #isStrict(tool: FunctionTool | undefined): boolean {
    if (tool) return tool.strict === true;
    return this.#isPrompted && this.#tools.some(({ strict }) => strict);
  }
}
