import type { Ending, Reader, RejectReport, RepairReport, Sink, SpanKind } from "../../dialects/index.ts";
import type {
  BackendAnnotationAdded,
  BackendMessageDone,
  BackendMessageStarted,
  BackendRefusalDelta,
  BackendTextDelta,
} from "../../turn/index.ts";
import { type Finder, FoundCalls } from "./found-calls.ts";
import { Logprobs } from "./logprobs.ts";

/** Whether text is more than whitespace, as the readers define it. */
export function hasWords(text: string): boolean {
  return /[^ \t\r\n]/.test(text);
}

export interface MessageFinder extends Finder {
  createReader(sink: Sink): Reader;
  /** Called before a call, or this text, is emitted. */
  answering(text?: string): void;
  rejected(report: RejectReport): void;
}

/**
 * One message of the backend, read for calls. It starts for the client with its first text, so that a message with only a call
 * leaves no empty message. A call or reasoning in the middle ends it. Text after that is a new message without a number: nothing of
 * the backend can overlap it.
 */
export class Message implements Sink {
  readonly #finder: MessageFinder;
  readonly #calls: FoundCalls;
  #reader: Reader | undefined;
  #item: number | undefined;
  /** The event that starts the message, until it is emitted. */
  #started: BackendMessageStarted | undefined;
  #isOpen: boolean;
  /** Whether the message contained something other than text. */
  #isInterrupted = false;
  /** The event that is being read. */
  #event: BackendTextDelta | undefined;
  /** How many characters were read, and how many of them the reader has classified. */
  #read = 0;
  #classified = 0;
  /** Text or reasoning that was found and not emitted yet. */
  #kind: "text" | "reasoning" = "text";
  #run = "";
  #logprobs: Logprobs | undefined;
  /** The event that ends the message, once it has arrived. */
  done: BackendMessageDone | undefined;

  constructor(finder: MessageFinder, item: number | undefined, started?: BackendMessageStarted) {
    this.#finder = finder;
    this.#calls = new FoundCalls(finder);
    this.#item = item;
    this.#started = started;
    this.#isOpen = started === undefined;
  }

  /** Whether the message has more than whitespace in it. */
  hasWords = false;

  /** Whether nothing is held back, so that the end of the message cannot change what was found. */
  get isSettled(): boolean {
    return this.#read === this.#classified && !this.#calls.isOpen;
  }

  push(event: BackendTextDelta): void {
    this.#reader ??= this.#finder.createReader(this);
    this.#event = event;
    const from = this.#read;
    this.#read += event.text.length;
    this.hasWords ||= hasWords(event.text);
    if (event.logprobs) {
      this.#logprobs ??= new Logprobs();
      this.#logprobs.add(event.logprobs, from, this.#read);
    }
    this.#reader.push(event.text);
    this.#flush();
    this.#event = undefined;
  }

  /** Emits an event of the message that is not read for calls. */
  pass(event: BackendAnnotationAdded | BackendRefusalDelta): void {
    this.open();
    this.#finder.emit(event.item === this.#item ? event : { ...event, item: this.#item });
  }

  /** Starts the message for the client, if it has not started. */
  open(): void {
    if (!this.#started) return;
    this.#finder.emit(this.#started);
    this.#started = undefined;
    this.#isOpen = true;
  }

  /** No more text follows. */
  end(ending: Ending): void {
    this.#reader?.end(ending);
    this.#reader = undefined;
    this.#flush();
    if (!this.done) return;
    // An empty message is emitted as it came.
    if (!this.#isInterrupted) this.open();
    if (this.#isOpen) this.#finder.emit(this.done);
  }

  span(kind: SpanKind, text: string): void {
    const isContent = kind === "text" || kind === "reasoning";
    if (isContent && kind !== this.#kind) {
      this.#flush();
      this.#kind = kind;
    }
    this.#classified += text.length;
    this.#logprobs?.reach(this.#classified, kind === "text");
    if (isContent) this.#run = this.#run === "" ? text : this.#run + text;
  }

  #flush(): void {
    const run = this.#run;
    if (run === "") return;
    this.#run = "";
    if (this.#kind === "text") this.#emitText(run);
    else {
      this.#interrupt();
      this.#finder.emit({ type: "reasoning.delta", text: run, part: 0 });
    }
  }

  #emitText(text: string): void {
    const event = this.#event;
    const logprobs = this.#logprobs?.take();
    this.#finder.answering(text);
    this.open();
    const isSame = event?.text === text && event.item === this.#item && this.#read === this.#classified;
    this.#finder.emit(isSame ? event : { type: "text.delta", item: this.#item, text, logprobs });
  }

  /** A call or reasoning follows. */
  #interrupt(): void {
    this.#isInterrupted = true;
    if (!this.#isOpen) return;
    if (this.#item !== undefined) this.#finder.emit({ type: "message.done", item: this.#item });
    this.#isOpen = false;
    this.#item = undefined;
  }

  callStarted(_call: number, name: string, dialect: string, id: string | undefined): void {
    this.#flush();
    this.#finder.answering();
    this.#interrupt();
    this.#calls.start(name, dialect, id);
  }

  callArguments(_call: number, delta: string): void {
    this.#calls.arguments(delta);
  }

  callDone(): void {
    this.#calls.done();
  }

  repaired(report: RepairReport): void {
    this.#calls.repaired(report);
  }

  rejected(report: RejectReport): void {
    // The rejection may end the round, so the text before it is emitted first.
    this.#flush();
    this.#finder.rejected(report);
  }
}
