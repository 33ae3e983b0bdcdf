import type { Ending, Reader, RejectReport, RepairReport, Sink, SpanKind } from "../../dialects/index.ts";
import type { BackendReasoningDelta } from "../../turn/index.ts";
import { type Finder, FoundCalls } from "./found-calls.ts";

export interface ThoughtsFinder extends Finder {
  /** One that begins in the middle of reasoning. */
  createReader(sink: Sink): Reader;
  rejected(report: RejectReport): void;
}

interface Held {
  text: string;
  acts: (() => void)[];
}

/** More than this is not held: it is reasoning. */
const mostHeld = 4 * 1024 * 1024;

/**
 * What a backend gives as reasoning. A model may never come out of it: then a call in it is what the model meant to do. Where
 * an answer follows, the call was a draft and stays reasoning, so from the first call on everything is held.
 */
export class Thoughts implements Sink {
  readonly #finder: ThoughtsFinder;
  readonly #calls: FoundCalls;
  readonly #reader: Reader;
  #event: BackendReasoningDelta | undefined;
  #run = "";
  /** A tag may end the reasoning for the reader, though it goes on for the backend: what the reader then finds is held here. */
  #held: Held | undefined;
  #isOver = false;

  constructor(finder: ThoughtsFinder) {
    this.#finder = finder;
    this.#calls = new FoundCalls(finder);
    this.#reader = finder.createReader(this);
  }

  push(event: BackendReasoningDelta): void {
    this.#event = event;
    this.#reader.push(event.text);
    if (this.#held && this.#held.text.length > mostHeld) this.#drop();
    this.#flush();
  }

  /** stop: nothing followed it. cut: something did, or the turn broke off. */
  end(ending: Ending): void {
    this.#isOver = ending === "stop";
    if (this.#isOver) this.#release();
    this.#reader.end(ending);
    this.#drop();
    this.#flush();
  }

  span(kind: SpanKind, text: string): void {
    if (kind === "call") this.#hold();
    if (this.#held) {
      this.#held.text += text;
      if (kind !== "call") this.#held.acts.push(() => this.#add(text));
    } else if (kind !== "call") this.#add(text);
  }

  #hold(): void {
    if (!this.#isOver) this.#held ??= { text: "", acts: [] };
  }

  #release(): void {
    const held = this.#held;
    this.#held = undefined;
    for (const act of held?.acts ?? []) act();
  }

  #drop(): void {
    const text = this.#held?.text ?? "";
    this.#held = undefined;
    this.#add(text);
  }

  #add(text: string): void {
    this.#run = this.#run === "" ? text : this.#run + text;
  }

  #flush(): void {
    const run = this.#run;
    if (run === "") return;
    this.#run = "";
    const event = this.#event;
    const isSame = event?.text === run;
    this.#finder.emit(isSame ? event : { type: "reasoning.delta", text: run, part: event?.part ?? 0 });
  }

  #tell(act: () => void): void {
    this.#hold();
    if (this.#held) this.#held.acts.push(act);
    else act();
  }

  callStarted(_call: number, name: string, dialect: string, id: string | undefined): void {
    this.#tell(() => {
      this.#flush();
      this.#calls.start(name, dialect, id);
    });
  }

  callArguments(_call: number, delta: string): void {
    this.#tell(() => this.#calls.arguments(delta));
  }

  callDone(): void {
    this.#tell(() => this.#calls.done());
  }

  repaired(report: RepairReport): void {
    this.#tell(() => this.#calls.repaired(report));
  }

  rejected(report: RejectReport): void {
    this.#finder.rejected(report);
  }
}
