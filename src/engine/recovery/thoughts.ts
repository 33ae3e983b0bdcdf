import type { Ending, Reader, RejectReport, RepairReport, Sink, SpanKind } from "../../dialects/index.ts";
import type { BackendReasoningDelta } from "../../turn/index.ts";
import { type Finder, FoundCalls } from "./found-calls.ts";

export interface ThoughtsFinder extends Finder {
  /** Creates a reader that starts in the middle of reasoning. */
  createReader(sink: Sink): Reader;
  rejected(report: RejectReport): void;
}

interface Held {
  text: string;
  /** Reasoning, and what to do about the calls in it. */
  actions: (string | (() => void))[];
  calls: number;
}

/** In characters, and in calls. Beyond this, what is held counts as reasoning: a model that means its calls makes fewer. */
const mostHeld = 1024 * 1024;
const mostCalls = 256;

/**
 * What a backend sends as reasoning. A model may never leave its reasoning: then a call in it is what the model meant to do. If an
 * answer follows, the call was a draft and stays reasoning, so everything from the first call on is held.
 */
export class Thoughts implements Sink {
  readonly #finder: ThoughtsFinder;
  readonly #calls: FoundCalls;
  readonly #reader: Reader;
  #event: BackendReasoningDelta | undefined;
  #run = "";
  /**
   * A tag may end the reasoning for the reader although the backend continues it. What the reader finds after the tag is held here.
   */
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
    if (this.#held && (this.#held.text.length > mostHeld || this.#held.calls > mostCalls)) this.#drop();
    this.#flush();
  }

  /** stop: nothing followed the reasoning. cut: something did, or the turn broke off. */
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
      if (kind !== "call") this.#holdText(this.#held.actions, text);
    } else if (kind !== "call") this.#add(text);
  }

  #hold(): void {
    if (!this.#isOver) this.#held ??= { text: "", actions: [], calls: 0 };
  }

  #holdText(actions: Held["actions"], text: string): void {
    const last = actions[actions.length - 1];
    if (typeof last === "string") actions[actions.length - 1] = last + text;
    else actions.push(text);
  }

  #release(): void {
    const held = this.#held;
    this.#held = undefined;
    for (const action of held?.actions ?? []) {
      if (typeof action === "string") this.#add(action);
      else action();
    }
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

  #holdOrRun(action: () => void): void {
    this.#hold();
    if (this.#held) this.#held.actions.push(action);
    else action();
  }

  callStarted(_call: number, name: string, dialect: string, id: string | undefined): void {
    this.#holdOrRun(() => {
      this.#flush();
      this.#calls.start(name, dialect, id);
    });
    if (this.#held) this.#held.calls++;
  }

  callArguments(_call: number, delta: string): void {
    this.#holdOrRun(() => this.#calls.arguments(delta));
  }

  callDone(): void {
    this.#holdOrRun(() => this.#calls.done());
  }

  repaired(report: RepairReport): void {
    this.#holdOrRun(() => this.#calls.repaired(report));
  }

  rejected(report: RejectReport): void {
    this.#finder.rejected(report);
  }
}
