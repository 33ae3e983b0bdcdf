import { type BackendEvent, type Emit, inLaterTurn, stretch } from "../turn/index.ts";
import { longestPiece, pieceOf, wordsOf } from "./pieces.ts";

/** How the inbox measures its work, and how it gives the event loop a turn. */
export interface Pace {
  now(): number;
  later(work: () => void): void;
}

export interface InboxParts {
  /** Work for the turn begins in a later turn of the event loop. */
  begin?: (() => void) | undefined;
  /** Takes an event to the stages. */
  deliver: Emit;
  /** Sends what was written. A promise means that the client's buffer is full until it resolves. */
  flush: () => Promise<void> | undefined;
  /** `deliver` or `flush` has thrown while no caller was waiting for it. */
  onError: (thrown: unknown) => void;
}

const realPace: Pace = { now: () => performance.now(), later: inLaterTurn };

/** The clock is read once in so many characters. An event counts like a few of them, so that it is read among small ones too. */
const charactersPerLook = longestPiece;
const charactersPerEvent = 64;

/**
 * Between a backend and the stages of a round. Events are delivered at once, long text in pieces. After a stretch of work the rest is
 * queued and delivered in later turns of the event loop; until then `flush` returns a promise, so that the backend stops reading.
 */
export class Inbox {
  readonly #parts: InboxParts;
  readonly #pace: Pace;
  /** What waits. `undefined`: events are delivered at once. */
  #queue: BackendEvent[] | undefined;
  /** The next event of the queue, and how much of its text was delivered. */
  #next = 0;
  #offset = 0;
  /** Work since the last look at the clock, in characters, and when the stretch is over, once it was looked at. */
  #work = 0;
  #until: number | undefined;
  #drained: Promise<void> | undefined;
  #onDrained: (() => void) | undefined;
  #afterwards: (() => void) | undefined;
  #isClosed = false;

  constructor(parts: InboxParts, pace = realPace) {
    this.#parts = parts;
    this.#pace = pace;
  }

  push(event: BackendEvent): void {
    if (this.#queue) {
      this.#queue.push(event);
      return;
    }
    const length = wordsOf(event)?.length ?? 0;
    if (length > longestPiece && !this.#isClosed) {
      this.#pushLong(event);
      return;
    }
    this.#parts.deliver(event);
    this.#work += length + charactersPerEvent;
    if (this.#work < charactersPerLook || this.#isClosed || !this.#isTimeUp()) return;
    this.#queue = [];
    this.#pace.later(this.#continue);
  }

  #pushLong(event: BackendEvent): void {
    this.#until ??= this.#pace.now() + stretch;
    this.#queue = [event];
    try {
      if (!this.#deliverQueue()) this.#pace.later(this.#continue);
    } catch (thrown) {
      this.#queue = undefined;
      this.#next = this.#offset = 0;
      throw thrown;
    }
  }

  flush(): Promise<void> | undefined {
    const full = this.#parts.flush();
    if (!this.#queue) {
      this.#work = 0;
      this.#until = undefined;
      return full;
    }
    this.#drained ??= new Promise((resolve) => {
      this.#onDrained = resolve;
    });
    return this.#drained;
  }

  /** Calls `then` when everything was delivered. Not called if the inbox is closed before that. */
  whenEmpty(then: () => void): void {
    if (this.#queue) this.#afterwards = then;
    else then();
  }

  /** The round is over. Of what waits only the usage still matters. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const waiting = this.#queue?.slice(this.#next) ?? [];
    this.#queue = this.#afterwards = undefined;
    for (const event of waiting) if (event.type === "usage.reported") this.#parts.deliver(event);
    this.#onDrained?.();
  }

  readonly #continue = () => {
    if (this.#isClosed) return;
    this.#parts.begin?.();
    try {
      this.#until = this.#pace.now() + stretch;
      this.#work = 0;
      const isDone = this.#deliverQueue();
      if (this.#isClosed) return;
      const full = this.#parts.flush();
      if (isDone) this.#drain(full);
      // A promise alone does not give the event loop a turn: the client's buffer may be empty again at once.
      else if (full) void full.then(() => this.#pace.later(this.#continue));
      else this.#pace.later(this.#continue);
    } catch (thrown) {
      this.#parts.onError(thrown);
    }
  };

  /** Returns false if the time is up before the queue is empty. */
  #deliverQueue(): boolean {
    for (let event = this.#queue?.[this.#next]; event; event = this.#queue?.[this.#next]) {
      const piece = pieceOf(event, this.#offset);
      const length = wordsOf(piece)?.length ?? 0;
      this.#offset += length;
      if (this.#offset >= (wordsOf(event)?.length ?? 0)) {
        this.#offset = 0;
        this.#next++;
      }
      this.#parts.deliver(piece);
      this.#work += length + charactersPerEvent;
      if (this.#work >= charactersPerLook && this.#queue && this.#isTimeUp()) return false;
    }
    this.#queue = undefined;
    this.#next = 0;
    return true;
  }

  #isTimeUp(): boolean {
    this.#work = 0;
    const now = this.#pace.now();
    this.#until ??= now + stretch;
    return now >= this.#until;
  }

  #drain(full: Promise<void> | undefined): void {
    const resolve = this.#onDrained;
    this.#drained = this.#onDrained = undefined;
    if (full) void full.then(resolve);
    else resolve?.();
    const afterwards = this.#afterwards;
    this.#afterwards = undefined;
    afterwards?.();
  }
}
