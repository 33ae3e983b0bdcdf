import {
  type AnswerIdForm,
  type AnswerView,
  addUsage,
  answerId,
  type Clock,
  type Encoder,
  type Ids,
  type ReplyStream,
  type TextSink,
  type TurnEnding,
  type TurnEvent,
  toTurnError,
  type Usage,
} from "../turn/index.ts";
import { Transcript } from "./transcript.ts";

/** Called once, when the answer gets its id. */
export type CreateEncoder = (id: string, answer: AnswerView) => Encoder;

export interface AnswerParts {
  createEncoder: CreateEncoder;
  /** Whether the answer goes out as it comes. Otherwise it is sent at its end. */
  streams: boolean;
  sink: TextSink;
  reply: ReplyStream;
  ids: Ids;
  idForm: AnswerIdForm;
  clock: Clock;
  /** Whether anybody but the encoder reads the transcript. */
  isRead: boolean;
}

/** What the round under way hears of its answer. */
export interface RoundWatch {
  /** Its first content has come. */
  onBegin(): void;
  /** Something of it is to be sent, which is the end of all second thoughts. */
  onCommit(): void;
}

const unwatched: RoundWatch = { onBegin() {}, onCommit() {} };
const nothing: TurnEvent[] = [];

/**
 * The answer to one turn, as far as the client has it. A round is committed once something of it is sent, and can be rolled back until
 * then, whatever earlier rounds have sent. An answer that is not streamed is sent at its end, so that each of its rounds can be.
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
  /** What came before the round's first content; it goes out with it. */
  #waiting = nothing;
  /** Whether anything was written since the last keep-alive. */
  #wrote = false;
  /** Since when the client does not take what was written; and how long it had not before, in milliseconds. */
  #fullSince: number | undefined;
  #waited = 0;
  #id: string | undefined;
  /** Present once the answer has its id. */
  #encoder: Encoder | undefined;
  /** The provider's id of its last answer, and the one that this answer was opened with. */
  #upstreamId: string | undefined;
  #openedWith: string | undefined;
  #watch = unwatched;
  /** Where the round under way begins in the transcript, and whether it has given content. */
  #mark = 0;
  #hasBegun = false;
  #isInHiddenCall = false;
  /** Whether something of the round under way was sent. */
  isCommitted = false;
  /** Whether the stream was opened, so that a failure is told in it. */
  isOpened = false;
  usage: Usage | undefined;
  firstContentAt: number | undefined;
  endedAt = 0;
  ending: TurnEnding | undefined;

  constructor({ createEncoder, streams, sink, reply, ids, idForm, clock, isRead }: AnswerParts) {
    this.#createEncoder = createEncoder;
    this.streams = streams;
    this.#isRead = isRead;
    this.#sink = sink;
    this.#reply = reply;
    this.#ids = ids;
    this.#idForm = idForm;
    this.#clock = clock;
  }

  get isEnded(): boolean {
    return this.ending !== undefined;
  }

  /** How long the backend had to wait for the client, in milliseconds. */
  get waited(): number {
    return this.#waited + (this.#fullSince === undefined ? 0 : this.#clock.now() - this.#fullSince);
  }

  /** The answer's id where its provider keeps it, so that a later request may name it. */
  get keptId(): string | undefined {
    return this.#upstreamId === undefined || !this.#idForm.carriesUpstream ? undefined : this.#id;
  }

  /** The provider's id of the answer, where the id that the client has does not carry it. */
  get uncarried(): { id: string; upstreamId: string } | undefined {
    const [id, upstreamId] = [this.keptId, this.#upstreamId];
    if (id === undefined || upstreamId === undefined || upstreamId === this.#openedWith) return undefined;
    return { id, upstreamId };
  }

  /** Where the round under way begins among the items. */
  get roundStart(): number {
    return this.#mark;
  }

  beginRound(): void {
    this.#mark = this.transcript.beginRound();
    this.#ids.beginRound();
    this.#startOver();
  }

  /** Forgets what the round has said. Nothing of it was sent: it is not committed. */
  rollBack(): void {
    this.transcript.rollBack(this.#mark);
    this.#ids.rollBack();
    this.#startOver();
  }

  #startOver(): void {
    this.#waiting = nothing;
    this.#upstreamId = undefined;
    this.#hasBegun = false;
    this.#isInHiddenCall = false;
    this.isCommitted = false;
    this.#watch = unwatched;
  }

  watch(watch: RoundWatch): void {
    this.#watch = watch;
  }

  /** The provider has named its answer. */
  nameUpstream(id: string): void {
    this.#upstreamId = id;
  }

  addUsage(usage: Usage): void {
    this.usage = addUsage(this.usage, usage);
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

  /** The round has ended well: what waits belongs to the answer, though no content follows it. */
  finishRound(): void {
    if (this.#waiting === nothing) return;
    if (this.streams && this.#waiting.some(isBoundary)) this.#open();
    this.#pushWaiting();
  }

  /** Whether it is about a call that the gateway runs itself. */
  #isHidden(event: TurnEvent): boolean {
    if (event.type === "call.started") this.#isInHiddenCall = event.owner === "gateway";
    return this.#isInHiddenCall || event.type === "output.done";
  }

  /** Ends the item that is open, so that another can follow; false where it cannot be ended. */
  closeItem(): boolean {
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
    if (this.#encoder) return this.#encoder;
    this.#openedWith = this.#upstreamId;
    this.#id = answerId(this.#idForm, this.#upstreamId);
    const encoder = this.#createEncoder(this.#id, this.transcript);
    this.transcript.isRead = this.#isRead || encoder.readsAnswer;
    this.#encoder = encoder;
    encoder.open();
    if (this.streams) {
      this.isOpened = true;
      this.#reply.open();
    }
    return encoder;
  }

  /** Sends what has come since the last time. A promise means that the client takes nothing more until it resolves. */
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

  /** Once a `keep_alive`: opens a stream that has waited so long, and tells an open one that the turn goes on. */
  keepAlive(): void {
    // A client that is full has something to read.
    if (this.isEnded || this.#fullSince !== undefined) return;
    try {
      const isNew = !this.isOpened;
      const encoder = this.#open();
      if (!isNew && !this.#wrote) encoder.keepAlive();
      this.flush();
      // Not every API has an event for the beginning of a stream.
      if (isNew && !this.#wrote) {
        encoder.keepAlive();
        this.flush();
      }
      this.#wrote = false;
    } catch (thrown) {
      this.end({ type: "turn.failed", error: toTurnError(thrown) });
    }
  }

  /** Gives the answer its id, where it has none yet and the client is going to see one. */
  name(ending: TurnEnding): void {
    if (!this.isEnded && ending.type === "turn.finished") this.#open();
  }

  /** The one place where a turn ends. `inStream`: a stream is opened for it where there is none yet. */
  end(ending: TurnEnding, inStream = false): void {
    if (this.isEnded) return;
    this.endedAt = this.#clock.now();
    const told: TurnEnding = { ...ending, usage: this.usage };
    try {
      if (ending.type === "turn.finished" || (inStream && this.streams)) this.#open();
      if (ending.type === "turn.finished") this.#pushWaiting();
      if (this.isOpened || ending.type === "turn.finished") this.#encoder?.end(told);
      this.ending = told;
    } catch (thrown) {
      // What cannot be written down is a failure of ours; the client still gets an end.
      this.ending = { type: "turn.failed", error: toTurnError(thrown), usage: this.usage };
    }
    if (this.isOpened) this.#reply.end(this.#sink.take());
  }

  /** What is to be sent where no stream was opened. */
  get body(): string {
    return this.isOpened ? "" : this.#sink.take();
  }
}

/** An item with nothing in it is no content yet. */
function isBoundary({ type }: TurnEvent): boolean {
  return (
    type === "message.started" || type === "message.done" || type === "reasoning.started" || type === "reasoning.done"
  );
}
