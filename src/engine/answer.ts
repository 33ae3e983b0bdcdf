import {
  addUsage,
  type Clock,
  type Encoder,
  type ReplyStream,
  type TurnEvent,
  type TurnFailed,
  type TurnFinished,
  toTurnError,
  type Usage,
} from "../turn/index.ts";

/**
 * held: nothing was sent, and a failure is a plain HTTP error. open: the stream was opened to keep the client waiting, but no
 * content was sent. committed: the client has content, which is never taken back. ended: the terminal form went out.
 */
type State = "held" | "open" | "committed" | "ended";

/** The answer to one turn, as far as the client has it. */
export class Answer {
  readonly #createEncoder: () => Encoder;
  readonly #reply: ReplyStream;
  readonly #clock: Clock;
  #encoder: Encoder;
  #state: State = "held";
  /** What came before the first content; it goes out with it. */
  #waiting: TurnEvent[] = [];
  #text = "";
  #wrote = false;
  /** Since when the client does not take what was written; and how long it had not before, in milliseconds. */
  #fullSince: number | undefined;
  #waited = 0;
  #upstreamId: string | undefined;
  /** The provider's id that the answer was opened with. */
  #openedWith: string | undefined;
  /** Whether the round under candidate has given content. */
  #begun = false;
  /** A call was begun and is not done: no other item can follow it. */
  #isInCall = false;
  /** Whether the stream was opened, so that a failure is told in it. */
  opened = false;
  /** Called with the first content of the round under candidate. */
  onBegin: () => void = () => {};
  /** Called when something of the round under candidate is to be sent, which is the end of all second thoughts. */
  onCommit: () => void = () => {};
  usage: Usage | undefined;
  firstContentAt: number | undefined;
  endedAt = 0;
  last: TurnFinished | TurnFailed | undefined;

  constructor(createEncoder: () => Encoder, reply: ReplyStream, clock: Clock) {
    this.#createEncoder = createEncoder;
    this.#encoder = createEncoder();
    this.#reply = reply;
    this.#clock = clock;
  }

  get streams(): boolean {
    return this.#encoder.streams;
  }

  get committed(): boolean {
    return this.#state === "committed";
  }

  get ended(): boolean {
    return this.#state === "ended";
  }

  /** How long the backend had to wait for the client, in milliseconds. */
  get waited(): number {
    return this.#waited + (this.#fullSince === undefined ? 0 : this.#clock.now() - this.#fullSince);
  }

  /** The answer's id where its provider keeps it, so that a later request may name it. */
  get keptId(): string | undefined {
    return this.#upstreamId === undefined ? undefined : this.#encoder.id;
  }

  /** The provider's id of the answer, where the id that the client has does not carry it. */
  get uncarried(): { id: string; upstreamId: string } | undefined {
    const [id, upstreamId] = [this.#encoder.id, this.#upstreamId];
    if (id === undefined || upstreamId === undefined || upstreamId === this.#openedWith) return undefined;
    return { id, upstreamId };
  }

  /** What is left to send where no stream was opened. */
  get body(): string {
    return this.#text;
  }

  /** Forgets what a round that failed has said. Nothing of it was sent: the answer is not committed. */
  startOver(): void {
    this.#waiting = [];
    this.#upstreamId = undefined;
    if (!this.#begun) return;
    this.#begun = false;
    this.#isInCall = false;
    this.#encoder = this.#createEncoder();
    this.#text = "";
    this.#state = "held";
  }

  receive(event: Exclude<TurnEvent, TurnFinished | TurnFailed>): void {
    switch (event.type) {
      case "response.started":
        this.#upstreamId = event.id;
        return;
      case "usage.reported":
        this.usage = addUsage(this.usage, event.usage);
        return;
      case "message.started":
      case "message.done":
      case "reasoning.started":
      case "reasoning.done":
        // An item with nothing in it is no content yet.
        if (!this.#begun) {
          this.#waiting.push(event);
          return;
        }
    }
    if (!this.#begun) this.#begin();
    if (event.type === "call.started" || event.type === "call.done") this.#isInCall = event.type === "call.started";
    this.#text += this.#encoder.push(event);
  }

  /** Adds a message of our own; false where none can follow what was sent. */
  say(text: string): boolean {
    if (this.ended || this.#isInCall) return false;
    try {
      this.receive({ type: "message.started" });
      this.receive({ type: "text.delta", text });
    } catch {
      return false;
    }
    return true;
  }

  #begin(): void {
    this.#begun = true;
    this.firstContentAt ??= this.#clock.now();
    this.onBegin();
    this.#open();
    if (this.streams) {
      this.#state = "committed";
      this.onCommit();
    }
    this.#pushWaiting();
  }

  #pushWaiting(): void {
    for (const event of this.#waiting) this.#text += this.#encoder.push(event);
    this.#waiting = [];
  }

  #open(): void {
    if (this.#state !== "held") return;
    this.#openedWith = this.#upstreamId;
    this.#text += this.#encoder.open(this.#upstreamId);
    this.#state = "open";
    if (!this.streams) return;
    this.opened = true;
    this.#reply.open();
  }

  /** Sends what has come since the last time. A promise means that the client takes nothing more until it resolves. */
  flush(): Promise<void> | undefined {
    if (!this.opened || this.#text === "" || this.ended) return undefined;
    const text = this.#text;
    this.#text = "";
    this.#wrote = true;
    const full = this.#reply.write(text);
    if (full) {
      this.#fullSince ??= this.#clock.now();
      void full.then(() => {
        this.#waited = this.waited;
        this.#fullSince = undefined;
      });
    }
    return full;
  }

  /** Once a `keep_alive`: opens a stream that has waited so long, and tells an open one that the turn goes on. */
  keepAlive(): void {
    // A client that is full has something to read.
    if (this.ended || this.#fullSince !== undefined) return;
    try {
      if (this.#state === "held") {
        this.#open();
        this.#text ||= this.#encoder.keepAlive();
      } else if (!this.#wrote) this.#text += this.#encoder.keepAlive();
      this.flush();
      this.#wrote = false;
    } catch (thrown) {
      this.end({ type: "turn.failed", error: toTurnError(thrown) });
    }
  }

  /** The one place where a turn ends. `inStream`: a stream is opened for it where there is none yet. */
  end(event: TurnFinished | TurnFailed, inStream = false): void {
    if (this.ended) return;
    this.endedAt = this.#clock.now();
    try {
      if (inStream && this.streams) this.#open();
      this.#write(event);
      this.last = event;
    } catch (thrown) {
      // What cannot be written down is a failure of ours; the client still gets an end.
      this.last = { type: "turn.failed", error: toTurnError(thrown) };
    }
    this.#state = "ended";
    if (this.opened) this.#reply.end(this.#text);
  }

  #write(event: TurnFinished | TurnFailed): void {
    if (event.type === "turn.finished") {
      this.#open();
      this.#pushWaiting();
    }
    if (this.usage) this.#text += this.#encoder.push({ type: "usage.reported", usage: this.usage });
    if (this.opened || event.type === "turn.finished") this.#text += this.#encoder.push(event);
  }
}
