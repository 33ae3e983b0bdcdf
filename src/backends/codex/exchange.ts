import { type BackendRound, isObject, type JsonObject, type Turn, TurnError } from "../../turn/index.ts";
import type { Redact } from "../provider-words.ts";
import { invalidAnswer } from "../upstream-errors.ts";
import { Alarm } from "./alarm.ts";
import type { Session } from "./app-server.ts";
import type { ThreadListener } from "./connection.ts";
import { errorFromRefusal } from "./errors.ts";
import { inTime } from "./in-time.ts";
import type { Notice } from "./notice.ts";
import { RpcError } from "./protocol.ts";
import { TurnReader } from "./reader.ts";
import { type ThreadRequest, writeThreadRequest } from "./thread-request.ts";

export interface ExchangeOptions {
  backend: string;
  redact: Redact;
  notice: Notice;
  /** Milliseconds of silence after which the turn fails. */
  idle: number;
  /** Use the home's default model. */
  ownModel: boolean;
}

/** How many characters may be buffered for a slow client. All turns share the pipe, so it cannot be paused for one. */
const maxBuffered = 64 * 1024 * 1024;
/** If nothing arrives for this long after a call, the end of the response is not coming. */
const quietAfterCall = 5_000;
/** How long Codex may take to answer a request; with a hundred concurrent requests it takes several seconds. */
const patience = 60_000;
/** The same for the requests that end a thread. */
const patienceAtEnd = 10_000;

const [mostInterrupts, betweenInterrupts] = [100, 25];

/** One turn in its own thread, which is dropped after the turn. */
export class Exchange implements ThreadListener {
  readonly #session: Session;
  readonly #round: BackendRound;
  readonly #options: ExchangeOptions;
  readonly #threadRequest: ThreadRequest;
  readonly #reader: TurnReader;
  readonly #onCancel = () => this.#fail(this.#round.cancellation.reason);
  #thread: string | undefined;
  #idle: NodeJS.Timeout | undefined;
  /** The calls that Codex waits for, and the timer that cancels them if nothing else arrives. */
  readonly #calls: (() => void)[] = [];
  #quiet: NodeJS.Timeout | undefined;
  /** Whether the client is full, and how many characters were buffered since. */
  #isFull = false;
  #buffered = 0;
  #isSettled = false;
  #resolve: () => void = () => {};
  #reject: (error: unknown) => void = () => {};
  #onSettled: () => void = () => {};
  /** Resolves when the thread is dropped. */
  dropped: Promise<void> = Promise.resolve();

  constructor(turn: Turn, session: Session, round: BackendRound, options: ExchangeOptions) {
    this.#session = session;
    this.#round = round;
    this.#options = options;
    this.#threadRequest = writeThreadRequest(turn, session, options.ownModel);
    this.#reader = new TurnReader({
      backend: options.backend,
      redact: options.redact,
      names: this.#threadRequest.names,
      isRaw: session.abilities.native,
      emit: round.emit,
    });
  }

  run(): Promise<void> {
    const { cancellation } = this.#round;
    if (cancellation.reason) return Promise.reject(cancellation.reason);
    cancellation.onCancel(this.#onCancel);
    const settled = new Promise<void>((resolve) => {
      this.#onSettled = resolve;
    });
    const done = new Promise<void>((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    const asked = this.#ask().catch((error: unknown) => this.#fail(error));
    // The thread ends in the background; the client does not wait for it.
    this.dropped = Promise.all([asked, settled]).then(() => this.#drop());
    return done;
  }

  async #ask(): Promise<void> {
    const { thread, items, turn } = this.#threadRequest;
    const { connection } = this.#session;
    const { thread: started } = await this.#request("thread/start", thread);
    if (!isObject(started) || typeof started.id !== "string") throw invalidAnswer(this.#options.backend, "no thread");
    const threadId = started.id;
    this.#thread = threadId;
    connection.listen(threadId, this);
    if (this.#isSettled) return;
    if (items.length > 0) await this.#request("thread/inject_items", { threadId, items });
    if (this.#isSettled) return;
    const begun = await this.#request("turn/start", { threadId, ...turn });
    this.#reader.began(begun.turn);
  }

  #request(method: string, params: JsonObject, limit = patience): Promise<JsonObject> {
    return inTime(this.#session.connection.request(method, params), limit, () => {
      this.#session.suspect();
      return new TurnError("upstream_timeout", `The backend "${this.#options.backend}" did not answer in time.`);
    });
  }

  /**
   * A raw event has already reported the call, and the turn ends when the model's response is complete. But if the response broke
   * off after the call, Codex reports that only when it waits for no call.
   */
  called(cancel: () => void): void {
    if (this.#isSettled) return;
    this.#calls.push(cancel);
    this.#quiet ??= setTimeout(() => {
      for (const call of this.#calls.splice(0)) call();
    }, quietAfterCall);
  }

  begin(): void {
    this.#round.begin?.();
  }

  hear(method: string, params: JsonObject): void {
    this.#quiet?.refresh();
    try {
      // Also after the end of the answer: the reader must still see that the turn has ended.
      this.#reader.hear(method, params);
      if (this.#reader.finished) this.#settle(this.#resolve);
      else this.#trackProgress(params);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** The idle timeout starts with the first message of the answer. This class does not limit the time before that. */
  #trackProgress({ delta, item, turnId }: JsonObject): void {
    if (turnId !== this.#reader.turn || (delta === undefined && item === undefined)) return;
    if (this.#idle) this.#idle.refresh();
    else if (delta !== undefined || isAnswer(item)) {
      this.#idle = setTimeout(() => this.#fail(silent(this.#options.backend)), this.#options.idle);
    }
    if (!this.#isFull) return;
    this.#buffered += typeof delta === "string" ? delta.length : JSON.stringify(item ?? null).length;
    if (this.#buffered > maxBuffered) this.#fail(tooSlow());
  }

  flush(): void {
    if (this.#isFull || this.#isSettled) return;
    try {
      const full = this.#round.flush();
      if (!full) return;
      this.#isFull = true;
      this.#buffered = 0;
      full.then(() => this.#resume(), this.#onCancel);
    } catch (error) {
      // All turns share the pipe, so a failure of one must not reach the others.
      this.#fail(error);
    }
  }

  #resume(): void {
    this.#isFull = false;
    this.flush();
  }

  lost(error: Error): void {
    this.#fail(error);
  }

  #fail(thrown: unknown): void {
    if (this.#isSettled) return;
    const error = this.#explain(thrown);
    this.#settle(() => this.#reject(error));
  }

  #explain(thrown: unknown): unknown {
    const { backend, notice, redact } = this.#options;
    if (thrown instanceof RpcError) return errorFromRefusal(backend, thrown, redact);
    if (!(thrown instanceof Alarm)) return thrown;
    notice(
      "error",
      { backend, item: thrown.what },
      `Codex did something that was not requested (${thrown.what}); its turn was ended`,
    );
    const what = `something that nobody asked for (an item of type ${thrown.what}); its turn was ended`;
    return new TurnError("upstream_invalid", `The backend "${backend}" did ${what}.`);
  }

  #settle(finish: () => void): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#reader.abandon();
    clearTimeout(this.#idle);
    clearTimeout(this.#quiet);
    this.#round.cancellation.offCancel(this.#onCancel);
    finish();
    this.#onSettled();
  }

  /** An interrupted turn leaves Codex's own text in its thread, so no thread is used twice. */
  async #drop(): Promise<void> {
    const threadId = this.#thread;
    if (threadId === undefined) return;
    const { turn: turnId } = this.#reader;
    if (turnId !== undefined) await this.#interrupt({ threadId, turnId });
    await this.#request("thread/unsubscribe", { threadId }, patienceAtEnd).catch(() => {});
    this.#session.connection.unlisten(threadId);
  }

  /** Shortly after the response to `turn/start`, Codex does not know the turn yet and cannot interrupt it. */
  async #interrupt(params: JsonObject): Promise<void> {
    for (let left = mostInterrupts; left > 0 && !this.#reader.ended; left--) {
      const error = await this.#request("turn/interrupt", params, patienceAtEnd).then(() => undefined, asIs);
      if (!(error instanceof RpcError) || !/no active turn/i.test(error.message)) return;
      await new Promise((resolve) => setTimeout(resolve, betweenInterrupts));
    }
  }
}

/** Codex also reports the items of the request. */
function isAnswer(item: JsonObject[string]): boolean {
  return isObject(item) && item.type !== "userMessage" && item.role !== "user" && item.role !== "developer";
}

function silent(backend: string): TurnError {
  return new TurnError("upstream_timeout", `The backend "${backend}" fell silent in the middle of its answer.`);
}

function tooSlow(): TurnError {
  return new TurnError(
    "request_timeout",
    "More of the answer waits for the client than Toolwire keeps: the client reads too slowly.",
  );
}

function asIs(error: unknown): unknown {
  return error;
}
