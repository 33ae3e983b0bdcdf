import {
  createReader,
  cutOff,
  type Ending,
  type Reader,
  type ReadingOptions,
  type RejectReport,
  type Sink,
  tooManyDrafts,
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
 * Turns calls that the model wrote as text into calls. Everything else passes unchanged, in most cases as the same object. Returns
 * no stage if no call is possible. `isSeen`: the client sees the answer grow, so a long call is emitted before it is complete.
 */
export function recoverCalls(
  turn: Turn,
  recovery: Recovery | undefined,
  listener: TurnListener,
  isSeen = turn.stream,
): Stage | undefined {
  if (!recovery || turn.choice.mode === "none") return undefined;
  // A model that was taught to write calls may call any declared tool. A later stage enforces `tool_choice`.
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
  /** By item number. All text without a number is one message. */
  readonly #messages = new Map<number | undefined, Message>();
  /** The numbers of the messages that another item opens or ends when it starts. */
  readonly #unsettled = new Set<number | undefined>();
  /** The message that was used last, and its number. */
  #last: Message | undefined;
  #lastItem: number | undefined;
  /** Reasoning that no answer has followed so far. */
  #thoughts: Thoughts | undefined;
  #hasAnswered = false;
  #hasEmitted = false;
  #found = 0;
  /** What reports of rejected text need to know of the tools: computed once, because a model may write many such texts. */
  #byName: ReadonlyMap<string, FunctionTool> | undefined;
  #anyStrict: boolean | undefined;
  #next: Emit = () => {};

  constructor(tools: readonly FunctionTool[], turn: Turn, recovery: Recovery, listener: TurnListener, isSeen: boolean) {
    this.#tools = tools;
    this.#reading = {
      tools,
      dialects: recovery.dialects,
      repair: recovery.repair,
      // If the client asked for JSON, bare JSON is the answer and not a call. A model that was taught a marker uses it.
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
        // A numbered reasoning item has its own end, and perhaps encrypted content that matches only the unchanged item.
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
      case "message.extra":
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
    if (this.#messages.get(item) !== message) {
      this.#messages.set(item, message);
      this.#unsettled.add(item);
    }
    this.#last = message;
    this.#lastItem = item;
    return message;
  }

  #forget(item: number | undefined): void {
    this.#messages.delete(item);
    this.#unsettled.delete(item);
    if (this.#lastItem === item) this.#last = undefined;
  }

  #start(event: BackendMessageStarted): void {
    this.#settle();
    this.#messages.get(event.item)?.end("stop");
    this.#keep(event.item, new Message(this, event.item, event));
  }

  /** Only a following item or the end of the round shows whether the message is complete or was cut off. */
  #done(event: BackendMessageDone): void {
    const message = this.#messages.get(event.item);
    if (!message) {
      this.emit(event);
      return;
    }
    message.done = event;
    this.#unsettled.add(event.item);
    if (!message.isSettled) return;
    this.#forget(event.item);
    message.end("stop");
  }

  /** Another item starts. The messages before it are complete, except numbered ones, which may continue in parallel. */
  #settle(): void {
    for (const item of this.#unsettled) {
      const message = this.#messages.get(item);
      if (item === undefined || message?.done) {
        this.#forget(item);
        message?.end("stop");
      } else {
        // It stays open, whatever starts beside it, until it is done.
        this.#unsettled.delete(item);
        message?.open();
      }
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
    // If nothing was emitted, the round can still be retried. Emitting held text now would prevent that.
    if (event.type === "round.failed" && !this.#hasEmitted) return;
    const ending: Ending = event.type === "round.finished" && event.reason === "stop" ? "stop" : "cut";
    // If a message has more than whitespace, an answer followed the reasoning.
    for (const message of this.#messages.values()) if (message.hasWords) this.answering();
    this.#thoughts?.end(ending);
    for (const message of this.#messages.values()) message.end(ending);
  }

  // The methods that the readers call.

  emit(event: BackendEvent): void {
    this.#hasEmitted = true;
    this.#next(event);
  }

  /** Negative, because backends count upwards from 0. */
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
    const tool = name === undefined ? undefined : this.#toolsByName().get(name);
    this.#listener.textKept?.(dialect, reason, tool?.name ?? null);
    // The end of the round reports a call that was cut off. Drafts in reasoning are no calls.
    if (reason === cutOff || reason === tooManyDrafts || !this.#isStrict(tool)) return;
    // Only the name of a declared tool is reported: any other name is the model's own text.
    this.#listener.strictFailed?.(tool?.name ?? null, null);
    const names = this.#tools.map((tool) => tool.name);
    const isUnknown = reason === unknownTool && name !== undefined;
    const error = isUnknown ? unknownName(name, names, true) : callUnreadable(tool?.name, reason);
    this.#next({ type: "round.failed", error });
  }

  /** Of several tools with the same name, the first counts. */
  #toolsByName(): ReadonlyMap<string, FunctionTool> {
    this.#byName ??= new Map(this.#tools.toReversed().map((tool) => [tool.name, tool] as const));
    return this.#byName;
  }

  /** Whether text that should have been a call must not pass as text. The tool that the model meant is not always known. */
  #isStrict(tool: FunctionTool | undefined): boolean {
    if (tool) return tool.strict === true;
    this.#anyStrict ??= this.#tools.some(({ strict }) => strict === true);
    return this.#isPrompted && this.#anyStrict;
  }
}
