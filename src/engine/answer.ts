import {
  type AnswerIdForm,
  type AnswerView,
  addUsage,
  answerId,
  type BackendEvent,
  type Clock,
  type Encoder,
  type Holding,
  type Ids,
  type ReplyStream,
  type TextSink,
  type TurnEnding,
  type TurnEvent,
  toTurnError,
  type Usage,
} from "../turn/index.ts";
import { AnswerSize } from "./answer-size.ts";
import { Transcript } from "./transcript.ts";

/** Called once, when the answer gets its id. */
export type CreateEncoder = (id: string, answer: AnswerView) => Encoder;

export interface AnswerParts {
  createEncoder: CreateEncoder;
  /** Whether the answer is sent as it arrives. Otherwise it is sent at its end. */
  streams: boolean;
  sink: TextSink;
  reply: ReplyStream;
  ids: Ids;
  idForm: AnswerIdForm;
  clock: Clock;
  /** Whether anything besides the encoder reads the transcript. */
  isRead: boolean;
  /** Counts what is kept of the answer. */
  holding?: Holding | undefined;
}

/** What the answer reports to the current round. */
export interface AttemptWatch {
  /** The round's first content has arrived. */
  onBegin(): void;
  /** Content of the round is about to be sent, so the round can no longer be rolled back. */
  onCommit(): void;
}

export interface AnswerDescription {
  id: string;
  /** The answer's object in its API, as JSON text, without its output. */
  body: string;
}

const unwatched: AttemptWatch = { onBegin() {}, onCommit() {} };
const nothing: TurnEvent[] = [];

/**
 * The answer to one turn, as far as the client has it. A round is committed once any of it is sent. Until then it can be rolled
 * back, whatever earlier rounds have sent. An answer that is not streamed is sent at its end, so each of its rounds can be rolled
 * back.
 */
export class Answer {
  readonly transcript = new Transcript();
  readonly streams: boolean;
  readonly #createEncoder: CreateEncoder;
  readonly #isRead: boolean;
  readonly #sink: TextSink;
  readonly #reply: ReplyStream;
  readonly #ids: Ids;
  readonly #idForm: AnswerIdForm;
  readonly #clock: Clock;
  readonly #size: AnswerSize;
  /** Events before the round's first content. They are sent together with it. */
  #waiting = nothing;
  /** Whether anything was written since the last keep-alive. */
  #wrote = false;
  /** Since when the client's buffer is full, and for how long it was full before that, in milliseconds. */
  #fullSince: number | undefined;
  #waited = 0;
  #id: string | undefined;
  /** Set once the answer has its id. */
  #encoder: Encoder | undefined;
  #isEncoderOpen = false;
  #watch = unwatched;
  /** The transcript index at which the current round begins, and whether the round has content. */
  #mark = 0;
  #hasBegun = false;
  #isInHiddenCall = false;
  /** Whether any of the current round was sent. */
  isCommitted = false;
  /** Whether the stream was opened. If so, a failure is reported in the stream. */
  isOpened = false;
  usage: Usage | undefined;
  firstContentAt: number | undefined;
  endedAt = 0;
  ending: TurnEnding | undefined;

  constructor({ createEncoder, streams, sink, reply, ids, idForm, clock, isRead, holding }: AnswerParts) {
    this.#createEncoder = createEncoder;
    this.streams = streams;
    this.#isRead = isRead;
    this.#sink = sink;
    this.#reply = reply;
    this.#ids = ids;
    this.#idForm = idForm;
    this.#clock = clock;
    this.#size = new AnswerSize(holding);
  }

  /** The answer's id, once it has one. */
  get id(): string | undefined {
    return this.#id;
  }

  get isEnded(): boolean {
    return this.ending !== undefined;
  }

  /** How long the backend had to wait for the client, in milliseconds. */
  get waited(): number {
    return this.#waited + (this.#fullSince === undefined ? 0 : this.#clock.now() - this.#fullSince);
  }

  /** The index of the current round's first item. */
  get roundStart(): number {
    return this.#mark;
  }

  beginRound(): void {
    this.#mark = this.transcript.beginRound();
    this.#ids.beginRound();
    this.#size.beginRound();
    this.#startOver();
  }

  /** Drops what the round has emitted. The round is not committed: nothing of it was sent. */
  rollBack(): void {
    this.transcript.rollBack(this.#mark);
    this.#ids.rollBack();
    this.#size.rollBack();
    this.#startOver();
  }

  #startOver(): void {
    this.#waiting = nothing;
    this.#hasBegun = false;
    this.#isInHiddenCall = false;
    this.isCommitted = false;
    this.#watch = unwatched;
  }

  watch(watch: AttemptWatch): void {
    this.#watch = watch;
  }

  addUsage(usage: Usage): void {
    this.usage = addUsage(this.usage, usage);
  }

  /** How many characters the answer has, with those that stages still hold. */
  get characters(): number {
    return this.#size.characters;
  }

  /** Counts an event of the backend. Returns false if the answer has become too large: then it ends before this event. */
  count(event: BackendEvent): boolean {
    return this.#size.add(event, this.transcript.isRead);
  }

  receive(event: TurnEvent): void {
    if (!this.#hasBegun) {
      if (isBoundary(event) || this.#isHidden(event)) {
        if (this.#waiting === nothing) this.#waiting = [];
        this.#waiting.push(event);
        return;
      }
      this.#begin();
    }
    this.#push(event);
  }

  /** The round ended well. Its waiting events belong to the answer even though no content follows them. */
  finishRound(): void {
    if (this.#waiting === nothing) return;
    if (this.streams && this.#waiting.some(isBoundary)) this.#open();
    this.#pushWaiting();
  }

  /** Whether the event belongs to a call that the gateway runs itself. */
  #isHidden(event: TurnEvent): boolean {
    if (event.type === "call.started") this.#isInHiddenCall = event.owner === "gateway";
    const isHidden = this.#isInHiddenCall || event.type === "output.done";
    if (event.type === "call.done") this.#isInHiddenCall = false;
    return isHidden;
  }

  /** Ends the open item so that another can follow. Returns false for a call, which cannot be ended. */
  closeItem(): boolean {
    this.#dropUnfinished();
    switch (this.transcript.open?.type) {
      case "call":
        return false;
      case "message":
        this.#push({ type: "message.done", status: "completed", isCommentary: false });
        return true;
      case "reasoning":
        this.#push({ type: "reasoning.done" });
    }
    return true;
  }

  /** Removes an item from those that wait if it was begun and is not done. */
  #dropUnfinished(): void {
    const begun = this.#waiting.findLastIndex(({ type }) => type.endsWith(".started"));
    const isDone = this.#waiting.slice(begun + 1).some(({ type }) => type.endsWith(".done"));
    if (begun !== -1 && !isDone) this.#waiting = this.#waiting.slice(0, begun);
  }

  #begin(): void {
    this.#hasBegun = true;
    this.firstContentAt ??= this.#clock.now();
    this.#watch.onBegin();
    if (this.streams) {
      this.#open();
      this.isCommitted = true;
      this.#watch.onCommit();
    }
    this.#pushWaiting();
  }

  #push(event: TurnEvent): void {
    this.transcript.push(event);
    this.#encoder?.push(event);
  }

  #pushWaiting(): void {
    const waiting = this.#waiting;
    this.#waiting = nothing;
    for (const event of waiting) this.#push(event);
  }

  #open(): Encoder {
    if (this.#isEncoderOpen && this.#encoder) return this.#encoder;
    const encoder = this.#prepareEncoder();
    this.#isEncoderOpen = true;
    encoder.open();
    if (this.streams) {
      this.isOpened = true;
      this.#reply.open();
    }
    return encoder;
  }

  #prepareEncoder(): Encoder {
    if (this.#encoder) return this.#encoder;
    const id = answerId(this.#idForm);
    this.#id = id;
    const encoder = this.#createEncoder(id, this.transcript);
    this.transcript.isRead = this.#isRead || encoder.readsAnswer;
    this.#encoder = encoder;
    return encoder;
  }

  /**
   * The answer as it is to be stored, if its API has a form for that. An answer that its client left before it had an id gets one
   * now.
   */
  describe(ending: TurnEnding): AnswerDescription | undefined {
    const encoder = this.#prepareEncoder();
    const body = encoder.describe?.({ ...ending, usage: this.usage });
    return body === undefined || this.#id === undefined ? undefined : { id: this.#id, body };
  }

  /** Sends what was written since the last flush. A promise means that the client's buffer is full until it resolves. */
  flush(): Promise<void> | undefined {
    if (!this.isOpened || this.isEnded) return undefined;
    const text = this.#sink.take();
    if (text === "") return undefined;
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

  /**
   * Called every `keep_alive` interval: opens a stream that is not open by then, and sends a keep-alive on an open but idle one.
   */
  keepAlive(): void {
    // A client whose buffer is full still has data to read.
    if (this.isEnded || this.#fullSince !== undefined) return;
    const isNew = !this.isOpened;
    const encoder = this.#open();
    if (!isNew && !this.#wrote) encoder.keepAlive();
    this.flush();
    // Not every API has an event for the start of a stream.
    if (isNew && !this.#wrote) {
      encoder.keepAlive();
      this.flush();
    }
    this.#wrote = false;
  }

  /** Assigns the answer's id, if it has none yet and the client is going to see one. */
  name(ending: TurnEnding): void {
    if (!this.isEnded && ending.type === "turn.finished") this.#open();
  }

  /** Writes the ending. Only the driver calls this. `inStream`: opens a stream for the ending if none is open yet. */
  end(ending: TurnEnding, inStream = false): void {
    if (this.isEnded) return;
    this.endedAt = this.#clock.now();
    const final: TurnEnding = { ...ending, usage: this.usage };
    try {
      if (ending.type === "turn.finished" || (inStream && this.streams)) this.#open();
      if (ending.type === "turn.finished") this.#pushWaiting();
      if (this.isOpened || ending.type === "turn.finished") this.#encoder?.end(final);
      this.ending = final;
    } catch (thrown) {
      // An ending that cannot be encoded is a failure of the gateway. The client still gets an end.
      this.ending = { type: "turn.failed", error: toTurnError(thrown), usage: this.usage };
    }
    try {
      if (this.isOpened) this.#reply.end(this.#sink.take());
    } catch (thrown) {
      this.ending = { type: "turn.failed", error: toTurnError(thrown), usage: this.usage };
    }
  }

  /** The body to send if no stream was opened. */
  get body(): string {
    return this.isOpened ? "" : this.#sink.take();
  }
}

/** An empty item is not content yet. */
function isBoundary({ type }: TurnEvent): boolean {
  return (
    type === "message.started" || type === "message.done" || type === "reasoning.started" || type === "reasoning.done"
  );
}
