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

/** Whether text is more than white space, as the readers know it. */
export function hasWords(text: string): boolean {
  return /[^ \t\r\n]/.test(text);
}

export interface MessageFinder extends Finder {
  createReader(sink: Sink): Reader;
  /** The client is about to be given a call, or this text. */
  answering(text?: string): void;
  rejected(report: RejectReport): void;
}

/**
 * One message of the backend, read for calls. It begins for the client with its first text, so that a message which is only a
 * call leaves no empty one behind. A call or reasoning in the middle ends it; text that follows is a new message, which has no
 * number: nothing of the backend can overlap it.
 */
export class Message implements Sink {
  readonly #finder: MessageFinder;
  readonly #calls: FoundCalls;
  #reader: Reader | undefined;
  #item: number | undefined;
  /** What begins it, as long as it has not begun. */
  #started: BackendMessageStarted | undefined;
  #isOpen: boolean;
  /** It had something else in it than text. */
  #isBroken = false;
  /** The event that is being read. */
  #event: BackendTextDelta | undefined;
  /** How many characters were read, and of how many it is known what they are. */
  #read = 0;
  #told = 0;
  /** What was found and not given yet. */
  #kind: "text" | "reasoning" = "text";
  #run = "";
  #logprobs: Logprobs | undefined;
  /** Its end, where that has come. */
  done: BackendMessageDone | undefined;

  constructor(finder: MessageFinder, item: number | undefined, started?: BackendMessageStarted) {
    this.#finder = finder;
    this.#calls = new FoundCalls(finder);
    this.#item = item;
    this.#started = started;
    this.#isOpen = started === undefined;
  }

  /** It has more than white space in it. */
  hasWords = false;

  /** Nothing is held back: its end cannot change what was found. */
  get isSettled(): boolean {
    return this.#read === this.#told && !this.#calls.isOpen;
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

  /** What belongs to the message and is not read. */
  pass(event: BackendAnnotationAdded | BackendRefusalDelta): void {
    this.open();
    this.#finder.emit(event.item === this.#item ? event : { ...event, item: this.#item });
  }

  /** Begins it for the client, if it has not begun. */
  open(): void {
    if (!this.#started) return;
    this.#finder.emit(this.#started);
    this.#started = undefined;
    this.#isOpen = true;
  }

  /** Its text goes no further. */
  end(ending: Ending): void {
    this.#reader?.end(ending);
    this.#reader = undefined;
    this.#flush();
    if (!this.done) return;
    // A message that had nothing in it is given as it came.
    if (!this.#isBroken) this.open();
    if (this.#isOpen) this.#finder.emit(this.done);
  }

  span(kind: SpanKind, text: string): void {
    const isGiven = kind === "text" || kind === "reasoning";
    if (isGiven && kind !== this.#kind) {
      this.#flush();
      this.#kind = kind;
    }
    this.#told += text.length;
    this.#logprobs?.reach(this.#told, kind === "text");
    if (isGiven) this.#run = this.#run === "" ? text : this.#run + text;
  }

  #flush(): void {
    const run = this.#run;
    if (run === "") return;
    this.#run = "";
    if (this.#kind === "text") this.#giveText(run);
    else {
      this.#leave();
      this.#finder.emit({ type: "reasoning.delta", text: run, part: 0 });
    }
  }

  #giveText(text: string): void {
    const event = this.#event;
    const logprobs = this.#logprobs?.take();
    this.#finder.answering(text);
    this.open();
    const isSame = event?.text === text && event.item === this.#item && this.#read === this.#told;
    this.#finder.emit(isSame ? event : { type: "text.delta", item: this.#item, text, logprobs });
  }

  /** Something else stands here. */
  #leave(): void {
    this.#isBroken = true;
    if (!this.#isOpen) return;
    if (this.#item !== undefined) this.#finder.emit({ type: "message.done", item: this.#item });
    this.#isOpen = false;
    this.#item = undefined;
  }

  callStarted(_call: number, name: string, dialect: string, id: string | undefined): void {
    this.#flush();
    this.#finder.answering();
    this.#leave();
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
    // It may be the end of the turn: what stood before it goes first.
    this.#flush();
    this.#finder.rejected(report);
  }
}
