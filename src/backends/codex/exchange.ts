import { isObject, type JsonObject, type Round, type Turn, TurnError } from "../../turn/index.ts";
import type { Redact } from "../provider-words.ts";
import { invalidAnswer } from "../upstream-errors.ts";
import { Alarm } from "./alarm.ts";
import type { Session } from "./app-server.ts";
import type { ThreadListener } from "./connection.ts";
import type { Notice } from "./notice.ts";
import { RpcError } from "./protocol.ts";
import { type Question, writeQuestion } from "./question.ts";
import { TurnReader } from "./reader.ts";

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
/** How long the end of a thread is waited for. */
const patience = 10_000;

/** One turn in a thread of its own, which is dropped when the turn is over. */
export class Exchange implements ThreadListener {
  readonly #session: Session;
  readonly #round: Round;
  readonly #options: ExchangeOptions;
  readonly #question: Question;
  readonly #reader: TurnReader;
  readonly #onStop = () => this.#fail(this.#round.stop.reason);
  #thread: string | undefined;
  #idle: NodeJS.Timeout | undefined;
  /** The calls that Codex waits for, and how long nothing else may happen. */
  readonly #calls: (() => void)[] = [];
  #quiet: NodeJS.Timeout | undefined;
  #isSettled = false;
  #resolve: () => void = () => {};
  #reject: (error: unknown) => void = () => {};
  /** What was heard while the client was full. */
  #waiting: [method: string, params: JsonObject][] | undefined;
  #waitingSize = 0;

  constructor(turn: Turn, session: Session, round: Round, options: ExchangeOptions) {
    this.#session = session;
    this.#round = round;
    this.#options = options;
    this.#question = writeQuestion(turn, session, options.ownModel);
    this.#reader = new TurnReader({
      backend: options.backend,
      redact: options.redact,
      names: this.#question.names,
      isRaw: session.abilities.native,
      emit: round.emit,
    });
  }

  run(): Promise<void> {
    const { stop } = this.#round;
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      if (stop.reason) {
        this.#onStop();
        return;
      }
      stop.onStop(this.#onStop);
      const asked = this.#ask().catch((error: unknown) => this.#fail(error));
      // What was begun is ended in its own time; nobody waits for that.
      this.#onSettled = () => void asked.then(() => this.#drop()).catch(() => {});
    });
  }

  #onSettled: () => void = () => {};

  async #ask(): Promise<void> {
    const { connection } = this.#session;
    const { thread, items, turn } = this.#question;
    const { thread: started } = await connection.request("thread/start", thread);
    if (!isObject(started) || typeof started.id !== "string") throw invalidAnswer(this.#options.backend, "no thread");
    const threadId = started.id;
    this.#thread = threadId;
    connection.listen(threadId, this);
    if (this.#isSettled) return;
    if (items.length > 0) await connection.request("thread/inject_items", { threadId, items });
    if (this.#isSettled) return;
    this.#idle = setTimeout(() => this.#fail(silent(this.#options.backend)), this.#options.idle);
    const begun = await connection.request("turn/start", { threadId, ...turn });
    this.#reader.began(begun.turn);
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
    this.#idle?.refresh();
    this.#quiet?.refresh();
    if (this.#waiting && !this.#isSettled) this.#keep(method, params);
    else this.#take(method, params);
  }

  #keep(method: string, params: JsonObject): void {
    this.#waiting?.push([method, params]);
    this.#waitingSize += typeof params.delta === "string" ? params.delta.length + 256 : 1024;
    if (this.#waitingSize > mostWaiting) {
      this.#fail(new TurnError("request_timeout", "The client reads too slowly for what the model has said."));
    }
  }

  #take(method: string, params: JsonObject): void {
    try {
      // Also when all is said: then it tells that the turn has ended.
      this.#reader.hear(method, params);
      if (this.#reader.finished) this.#settle(this.#resolve);
    } catch (error) {
      this.#fail(error);
    }
  }

  flush(): void {
    if (this.#waiting) return;
    try {
      const full = this.#round.flush();
      if (!full || this.#isSettled) return;
      this.#waiting = [];
      full.then(() => this.#goOn(), this.#onStop);
    } catch (error) {
      // The pipe is everybody's: what goes wrong with one turn must not reach the others.
      this.#fail(error);
    }
  }

  #goOn(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    this.#waitingSize = 0;
    for (const [method, params] of waiting) this.#take(method, params);
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
    if (thrown instanceof Alarm) {
      notice("error", { backend, item: thrown.what }, "Codex did something by itself, and its turn was ended");
      const what = `something that nobody asked for (an item of type ${thrown.what}); its turn was ended`;
      return new TurnError("upstream_invalid", `The backend "${backend}" did ${what}.`);
    }
    if (thrown instanceof RpcError) {
      const said = redact(thrown.message.slice(0, 500));
      // A thread that cannot be had is nobody's request.
      const isOfHome = thrown.method === "thread/start" && !/dynamic tool|verbosity|service_?tier/i.test(said);
      if (isOfHome)
        return new TurnError("upstream_unavailable", `The backend "${backend}" cannot be used now: ${said}`);
      return new TurnError("upstream_rejected", `The backend "${backend}" refused the request: ${said}`, {
        quotes: true,
      });
    }
    return thrown;
  }

  #settle(tell: () => void): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#reader.abandon();
    clearTimeout(this.#idle);
    clearTimeout(this.#quiet);
    this.#round.stop.offStop(this.#onStop);
    tell();
    this.#onSettled();
  }

  /** A turn that was interrupted leaves words of Codex's own in its thread, so that no thread is used twice. */
  async #drop(): Promise<void> {
    const { connection } = this.#session;
    const threadId = this.#thread;
    if (threadId === undefined) return;
    const { turn: turnId } = this.#reader;
    try {
      if (turnId !== undefined && !this.#reader.ended) {
        await soon(connection.request("turn/interrupt", { threadId, turnId }).catch(() => ({})));
      }
      await soon(connection.request("thread/unsubscribe", { threadId }).catch(() => ({})));
    } finally {
      connection.unlisten(threadId);
    }
  }
}

function soon(promise: Promise<unknown>): Promise<unknown> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, patience, undefined);
    timer.unref();
    void promise.finally(() => {
      clearTimeout(timer);
      resolve(undefined);
    });
  });
}

function silent(backend: string): TurnError {
  return new TurnError("upstream_timeout", `The backend "${backend}" fell silent in the middle of its answer.`);
}
