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
  /** Milliseconds of silence after which the turn is given up. */
  idle: number;
  /** The home's own model is asked, whichever it is. */
  ownModel: boolean;
}

/** What a client that reads slowly may let wait here; the pipe is everybody's, and cannot be stopped for one. */
const mostWaiting = 64 * 1024 * 1024;
/** So long nothing comes between a call and the end of the response only where there is no such end. */
const quietAfterCall = 5_000;
/** How long Codex may take to do what it is asked to; a hundred that ask at once wait for several seconds. */
const patience = 60_000;
/** How long the end of a thread is waited for. */
const patienceAtEnd = 10_000;

const [mostInterrupts, betweenInterrupts] = [100, 25];

/** One turn in a thread of its own, which is dropped when the turn is over. */
export class Exchange implements ThreadListener {
  readonly #session: Session;
  readonly #round: BackendRound;
  readonly #options: ExchangeOptions;
  readonly #threadRequest: ThreadRequest;
  readonly #reader: TurnReader;
  readonly #onCancel = () => this.#fail(this.#round.cancellation.reason);
  #thread: string | undefined;
  #idle: NodeJS.Timeout | undefined;
  /** The calls that Codex waits for, and how long nothing else may happen. */
  readonly #calls: (() => void)[] = [];
  #quiet: NodeJS.Timeout | undefined;
  /** The client is full: what is given meanwhile waits in the answer, and how much that is. */
  #isFull = false;
  #waiting = 0;
  #isSettled = false;
  #resolve: () => void = () => {};
  #reject: (error: unknown) => void = () => {};
  #onSettled: () => void = () => {};
  /** The thread is gone. */
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
    // What was begun is ended in its own time; the client does not wait for that.
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
   * The call was heard of before, and the turn ends when the model's response is complete. But where the response broke off behind
   * the call, Codex says so only when nothing is waited for.
   */
  called(cancel: () => void): void {
    if (this.#isSettled) return;
    this.#calls.push(cancel);
    this.#quiet ??= setTimeout(() => {
      for (const call of this.#calls.splice(0)) call();
    }, quietAfterCall);
  }

  hear(method: string, params: JsonObject): void {
    this.#quiet?.refresh();
    try {
      // Also when all is said: then it tells that the turn has ended.
      this.#reader.hear(method, params);
      if (this.#reader.finished) this.#settle(this.#resolve);
      else this.#listenOn(params);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Silence counts from the first that is heard of the answer: how long that may take is not for us to say. */
  #listenOn({ delta, item, turnId }: JsonObject): void {
    if (turnId !== this.#reader.turn || (delta === undefined && item === undefined)) return;
    if (this.#idle) this.#idle.refresh();
    else if (delta !== undefined || isAnswer(item)) {
      this.#idle = setTimeout(() => this.#fail(silent(this.#options.backend)), this.#options.idle);
    }
    if (!this.#isFull) return;
    this.#waiting += typeof delta === "string" ? delta.length : JSON.stringify(item ?? null).length;
    if (this.#waiting > mostWaiting) this.#fail(tooSlow());
  }

  flush(): void {
    if (this.#isFull || this.#isSettled) return;
    try {
      const full = this.#round.flush();
      if (!full) return;
      this.#isFull = true;
      this.#waiting = 0;
      full.then(() => this.#goOn(), this.#onCancel);
    } catch (error) {
      // The pipe is everybody's: what goes wrong with one turn must not reach the others.
      this.#fail(error);
    }
  }

  #goOn(): void {
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
    notice("error", { backend, item: thrown.what }, "Codex did something by itself, and its turn was ended");
    const what = `something that nobody asked for (an item of type ${thrown.what}); its turn was ended`;
    return new TurnError("upstream_invalid", `The backend "${backend}" did ${what}.`);
  }

  #settle(tell: () => void): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#reader.abandon();
    clearTimeout(this.#idle);
    clearTimeout(this.#quiet);
    this.#round.cancellation.offCancel(this.#onCancel);
    tell();
    this.#onSettled();
  }

  /** A turn that was interrupted leaves words of Codex's own in its thread, so that no thread is used twice. */
  async #drop(): Promise<void> {
    const threadId = this.#thread;
    if (threadId === undefined) return;
    const { turn: turnId } = this.#reader;
    if (turnId !== undefined) await this.#interrupt({ threadId, turnId });
    await this.#request("thread/unsubscribe", { threadId }, patienceAtEnd).catch(() => {});
    this.#session.connection.unlisten(threadId);
  }

  /** Between the answer to `turn/start` and the turn's first moment Codex knows of no turn that it could end. */
  async #interrupt(params: JsonObject): Promise<void> {
    for (let left = mostInterrupts; left > 0 && !this.#reader.ended; left--) {
      const error = await this.#request("turn/interrupt", params, patienceAtEnd).then(() => undefined, asIs);
      if (!(error instanceof RpcError) || !/no active turn/i.test(error.message)) return;
      await new Promise((resolve) => setTimeout(resolve, betweenInterrupts));
    }
  }
}

/** What was asked is told as well. */
function isAnswer(item: JsonObject[string]): boolean {
  return isObject(item) && item.type !== "userMessage" && item.role !== "user" && item.role !== "developer";
}

function silent(backend: string): TurnError {
  return new TurnError("upstream_timeout", `The backend "${backend}" fell silent in the middle of its answer.`);
}

function tooSlow(): TurnError {
  return new TurnError("request_timeout", "The client reads too slowly for what the model has said.");
}

function asIs(error: unknown): unknown {
  return error;
}
