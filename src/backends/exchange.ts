import type { Dispatcher } from "undici";
import { type BackendRound, inLaterTurn, isTurnSpent, spendTurn, stretch } from "../turn/index.ts";
import { BrokenStream } from "../wire/sse.ts";
import { AnswerBody, type AnswerReader, type Body, ErrorBody, type Step } from "./answer-body.ts";
import { cutAnswer, errorFromNetwork, invalidAnswer, type Redact } from "./upstream-errors.ts";

/** How long to wait for usage and the end of a complete answer, if a provider does not end it. */
const graceForTheEnd = 2_000;
/** A longer read is fed in slices of this size, in bytes. */
const slice = 16 * 1024;
/**
 * How much may wait before the connection is paused, in bytes. To go on, undici looks at all that it has buffered again and lets more
 * come in, so it must not be paused for every small read.
 */
const mostWaiting = 256 * 1024;
/** What a read counts beside its bytes. */
const costOfRead = 128;

export interface ExchangeParts {
  name: string;
  round: BackendRound;
  reader: AnswerReader;
  redact: Redact;
  resolve: () => void;
  reject: (error: unknown) => void;
  /** Whether a stream was requested. A body without a known content type then counts as one. */
  streams: boolean;
}

/**
 * One request and its answer as an undici handler: synchronous pushes. While the client is full, and after a stretch of work until the
 * event loop has had a turn, reads wait here, and soon the connection is paused. undici delivers no data and no end of the body while
 * it is paused, but it may report an error.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #name: string;
  readonly #round: BackendRound;
  readonly #reader: AnswerReader;
  readonly #redact: Redact;
  readonly #resolve: () => void;
  readonly #reject: (error: unknown) => void;
  readonly #streams: boolean;
  readonly #onCancel = () => this.#fail(this.#round.cancellation.reason);
  #controller: Dispatcher.DispatchController | undefined;
  #body: Body | undefined;
  /** What is left to do when the body has ended. */
  #step: Step | undefined;
  /** The reads that are not fed yet, and their size. */
  #waiting: Buffer[] = [];
  #waitingSize = 0;
  /** Until the client has room, or the event loop has had a turn. */
  #isPausing = false;
  /** What to do about the end of the connection, if it came while reads were waiting. */
  #closing: (() => void) | undefined;
  #settled = false;
  /** The body has ended, so the connection can serve another request. */
  #ended = false;
  #grace: NodeJS.Timeout | undefined;

  constructor({ name, round, reader, redact, resolve, reject, streams }: ExchangeParts) {
    this.#name = name;
    this.#round = round;
    this.#reader = reader;
    this.#redact = redact;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#streams = streams;
    round.cancellation.onCancel(this.#onCancel);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#settled) controller.abort(new Error("the turn is over"));
    else if (this.#round.cancellation.reason) this.#onCancel();
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return;
    // The headers are not needed again, and a stream may stay open for long.
    controller.rawHeaders = null;
    const type = String(headers["content-type"] ?? "");
    const name = this.#name;
    if (status >= 300) this.#body = new ErrorBody({ name, status, headers, redact: this.#redact });
    else if (type.includes("text/html")) {
      this.#fail(invalidAnswer(name, "a web page instead of an answer. Is its base_url right?", "none"));
    } else {
      const seemsStream = type.includes("text/event-stream") || (this.#streams && !type.includes("json"));
      this.#body = new AnswerBody({ name, reader: this.#reader, holding: this.#round.holding }, seemsStream);
    }
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#settled) return;
    if (!this.#isPausing && !isTurnSpent()) {
      this.#work(controller, chunk);
      return;
    }
    if (!this.#isPausing) this.#rest(controller, undefined);
    this.#wait([chunk]);
  }

  #wait(chunks: readonly Buffer[]): void {
    for (const chunk of chunks) {
      this.#waiting.push(chunk);
      this.#waitingSize += chunk.length + costOfRead;
    }
    if (this.#waitingSize > mostWaiting) this.#controller?.pause();
  }

  onResponseEnd(): void {
    this.#close(() => this.#conclude());
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#close(() => {
      if (this.#reader.enough) this.#conclude();
      else this.#fail(errorFromNetwork(this.#name, error));
    });
  }

  #close(then: () => void): void {
    this.#ended = true;
    clearTimeout(this.#grace);
    if (this.#waiting.length > 0) this.#closing = then;
    else then();
  }

  /** Feeds a read, or what waits, or as much of it as a stretch allows, and sends what came of it. */
  #work(controller: Dispatcher.DispatchController, chunk?: Buffer): void {
    const began = performance.now();
    this.#round.begin?.();
    try {
      if (chunk && chunk.length <= slice) this.#body?.feed(chunk);
      else this.#feedAll(chunk ? [chunk] : this.#waiting, began + stretch);
      const full = this.#round.flush();
      spendTurn(performance.now() - began);
      if (this.#reader.finished) this.#succeed();
      else if (this.#reader.enough) this.#waitForEnd(() => this.#waiting.length === 0 && this.#conclude());
      if (this.#settled || (!full && !isTurnSpent() && this.#waiting.length === 0)) return;
      this.#rest(controller, full);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Reads nothing until the client has room and the event loop has had a turn. */
  #rest(controller: Dispatcher.DispatchController, full: Promise<void> | undefined): void {
    this.#isPausing = true;
    const goOn = () => this.#goOn(controller);
    // A promise alone does not give the event loop a turn: the client's buffer may be empty again at once.
    if (full) full.then(() => inLaterTurn(goOn), this.#onCancel);
    else inLaterTurn(goOn);
  }

  /** Feeds until nothing is left, the answer is finished, or the time is up. */
  #feedAll(chunks: readonly Buffer[], until: number): void {
    this.#waiting = [];
    this.#waitingSize = 0;
    for (let at = 0; at < chunks.length; at++) {
      let rest = chunks[at];
      while (rest) {
        this.#body?.feed(rest.length > slice ? rest.subarray(0, slice) : rest);
        if (this.#settled || this.#reader.finished) return;
        rest = rest.length > slice ? rest.subarray(slice) : undefined;
        if ((!rest && at === chunks.length - 1) || performance.now() < until) continue;
        this.#wait(rest ? [rest, ...chunks.slice(at + 1)] : chunks.slice(at + 1));
        return;
      }
    }
  }

  #goOn(controller: Dispatcher.DispatchController): void {
    this.#isPausing = false;
    if (this.#waiting.length > 0 && !this.#settled) this.#work(controller);
    if (this.#isPausing) return;
    if (this.#closing) this.#closing();
    else if (controller.paused) controller.resume();
  }

  /** No more data is expected. */
  #conclude(): void {
    if (this.#settled) return;
    this.#round.begin?.();
    try {
      this.#step = this.#step ? this.#step() : this.#body?.end();
      this.#round.flush();
      if (this.#step) inLaterTurn(() => this.#conclude());
      else this.#succeed();
    } catch (error) {
      this.#fail(error);
    }
  }

  #succeed(): void {
    this.#settle();
    // A body that ended without a terminal event was cut off.
    if (this.#reader.finished) this.#resolve();
    else this.#reject(cutAnswer(this.#name));
    if (!this.#ended) this.#waitForEnd(() => this.#controller?.abort(new Error("the turn is over")));
  }

  #fail(error: unknown): void {
    if (this.#settled) return;
    this.#settle();
    this.#reject(error instanceof BrokenStream ? invalidAnswer(this.#name, error.message, error.remedy) : error);
    this.#controller?.abort(error instanceof Error ? error : new Error("the turn is over"));
  }

  /** Limits the wait for a provider that has sent everything but does not end the body. Each read restarts the timer. */
  #waitForEnd(then: () => void): void {
    if (this.#grace) this.#grace.refresh();
    else this.#grace = setTimeout(then, graceForTheEnd);
  }

  #settle(): void {
    this.#settled = true;
    this.#waiting = [];
    clearTimeout(this.#grace);
    this.#grace = undefined;
    this.#round.cancellation.offCancel(this.#onCancel);
  }
}
