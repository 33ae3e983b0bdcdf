import { Agent, type Dispatcher } from "undici";
import { type BackendRound, isObject, type JsonObject, type JsonValue, parseJson } from "../turn/index.ts";
import { BrokenStream, createSseReader, type ServerEvent } from "../wire/sse.ts";
import { parseProviderJson } from "./provider-json.ts";
import { cutAnswer, errorFromNetwork, errorFromStatus, invalidAnswer, type Redact } from "./upstream-errors.ts";

export interface UpstreamOptions {
  /** The backend's name in the configuration, for messages. */
  name: string;
  baseUrl: string;
  apiKey?: string | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  /** Milliseconds. */
  timeouts: { connect: number; first_content: number; idle: number; total: number };
  redact: Redact;
}

/** Reads one provider's answer, streamed or whole. The last event that it emits is a terminal one. */
export interface AnswerReader {
  event(event: ServerEvent): void;
  whole(answer: JsonValue): void;
  /** The body has ended; a terminal event must have been emitted when this returns. */
  end(): void;
  /** Whether the answer is complete, so that a broken connection does no harm. */
  readonly enough: boolean;
  /** Whether the terminal event was emitted, so that there is nothing to wait for. */
  readonly finished: boolean;
}

const listTimeout = 3_000;
const largestList = 4 * 1024 * 1024;
const largestErrorBody = 64 * 1024;
const largestAnswer = 64 * 1024 * 1024;
/** How long to wait for usage and the end of a complete answer, if a provider does not end it. */
const graceForTheEnd = 2_000;

/** A provider's API over HTTP: one connection pool, one request per round, data pushed as it arrives. */
export class Upstream {
  readonly #options: UpstreamOptions;
  readonly #agent: Agent;
  readonly #origin: string;
  readonly #path: string;
  readonly #headers: Record<string, string>;

  constructor(options: UpstreamOptions) {
    this.#options = options;
    this.#agent = new Agent({ connect: { timeout: options.timeouts.connect } });
    const url = new URL(options.baseUrl);
    this.#origin = url.origin;
    this.#path = url.pathname.replace(/\/$/, "");
    this.#headers = {
      "content-type": "application/json",
      accept: "text/event-stream, application/json",
      "user-agent": "toolwire",
      ...(options.apiKey && { authorization: `Bearer ${options.apiKey}` }),
      ...lowerCased(options.headers),
    };
  }

  /** `extra` are headers of this request. A configured header of the same name takes precedence. */
  post(
    path: string,
    body: JsonObject,
    round: BackendRound,
    reader: AnswerReader,
    extra?: Readonly<Record<string, string>>,
  ): Promise<void> {
    const { name, timeouts, redact } = this.#options;
    return new Promise((resolve, reject) => {
      const exchange = new Exchange({ name, round, reader, redact, resolve, reject, streams: body.stream === true });
      this.#agent.dispatch(
        {
          origin: this.#origin,
          path: this.#path + path,
          method: "POST",
          headers: extra ? { ...extra, ...this.#headers } : this.#headers,
          body: JSON.stringify(body),
          headersTimeout: timeouts.first_content,
          bodyTimeout: timeouts.idle,
        },
        exchange,
      );
    });
  }

  /** The ids in the provider's `/models`; none without a valid list. Rejects if the provider does not answer soon. */
  async models(): Promise<string[]> {
    const { body, statusCode } = await this.#agent.request({
      origin: this.#origin,
      path: `${this.#path}/models`,
      method: "GET",
      headers: this.#headers,
      headersTimeout: listTimeout,
      bodyTimeout: listTimeout,
      signal: AbortSignal.timeout(listTimeout),
    });
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of body) {
      size += chunk.length;
      if (size > largestList) throw invalidAnswer(this.#options.name, "a list of models that is too large");
      chunks.push(chunk);
    }
    const list = statusCode === 200 ? parseJson(textOf(chunks)) : undefined;
    if (!isObject(list) || !Array.isArray(list.data)) return [];
    return list.data.flatMap((model) => (isObject(model) && typeof model.id === "string" ? [model.id] : []));
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }
}

/** Header names are case-insensitive: two spellings must not become two headers. */
function lowerCased(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

interface ExchangeParts {
  name: string;
  round: BackendRound;
  reader: AnswerReader;
  redact: Redact;
  resolve: () => void;
  reject: (error: unknown) => void;
  /** Whether a stream was requested. A body without a known content type then counts as one. */
  streams: boolean;
}

/** One request and its answer as an undici handler: synchronous pushes, paused while the client is full. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #name: string;
  readonly #round: BackendRound;
  readonly #reader: AnswerReader;
  readonly #redact: Redact;
  readonly #resolve: () => void;
  readonly #reject: (error: unknown) => void;
  readonly #streams: boolean;
  readonly #onCancel = () => this.#fail(this.#round.cancellation.reason);
  #controller: Dispatcher.DispatchController | undefined;
  #feed: (chunk: Buffer) => void = () => {};
  #end: () => void = () => {};
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
    if (status >= 300) this.#readError(status, headers);
    else if (type.includes("text/html")) {
      this.#fail(invalidAnswer(this.#name, "a web page instead of an answer. Is its base_url right?", "none"));
    } else this.#readAnswer(type.includes("text/event-stream") || (this.#streams && !type.includes("json")));
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#settled) return;
    try {
      this.#feed(chunk);
      const full = this.#round.flush();
      if (this.#reader.finished) this.#succeed();
      else if (this.#reader.enough) this.#waitForEnd(() => this.#conclude());
      if (full && !this.#settled) {
        controller.pause();
        full.then(() => controller.resume(), this.#onCancel);
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  onResponseEnd(): void {
    this.#ended = true;
    clearTimeout(this.#grace);
    this.#conclude();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#ended = true;
    clearTimeout(this.#grace);
    if (this.#reader.enough) this.#conclude();
    else this.#fail(errorFromNetwork(this.#name, error));
  }

  /** No more data is expected. */
  #conclude(): void {
    if (this.#settled) return;
    try {
      this.#end();
      this.#round.flush();
      this.#succeed();
    } catch (error) {
      this.#fail(error);
    }
  }

  /**
   * The first character shows what the answer is, whatever its content type says: JSON begins with a bracket, a line of a stream
   * never does. Whitespace before it keeps a connection alive while the model thinks.
   */
  #readAnswer(seemsStream: boolean): void {
    const decide = (isStream: boolean) => {
      if (isStream) this.#readStream();
      else this.#readWhole();
    };
    this.#feed = (chunk) => {
      const first = /[^\s\ufeff]/.exec(chunk.toString("utf8", 0, 64))?.[0];
      if (first === undefined && chunk.length <= 64) return;
      decide(first === undefined ? seemsStream : !'{["<'.includes(first));
      this.#feed(chunk);
    };
    this.#end = () => {
      decide(seemsStream);
      this.#end();
    };
  }

  #readStream(): void {
    const sse = createSseReader((event) => {
      if (!this.#reader.finished) this.#reader.event(event);
    });
    this.#feed = (chunk) => sse.feed(chunk);
    this.#end = () => {
      sse.end();
      if (!this.#reader.finished) this.#reader.end();
    };
  }

  #readWhole(): void {
    const body = this.#collect(largestAnswer, () => {
      throw invalidAnswer(this.#name, "an answer that is too large");
    });
    this.#end = () => {
      const answer = parseProviderJson(this.#name, body());
      if (answer === undefined) throw invalidAnswer(this.#name, "an answer that is not JSON");
      this.#reader.whole(answer);
    };
  }

  #readError(status: number, headers: Record<string, string | string[] | undefined>): void {
    const body = this.#collect(largestErrorBody, () => {});
    this.#end = () => {
      throw errorFromStatus(this.#name, status, body(), headers, this.#redact);
    };
  }

  #collect(limit: number, onTooLarge: () => void): () => string {
    const chunks: Buffer[] = [];
    let size = 0;
    this.#feed = (chunk) => {
      size += chunk.length;
      if (size > limit) onTooLarge();
      else chunks.push(chunk);
    };
    return () => textOf(chunks);
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
    this.#reject(error instanceof BrokenStream ? invalidAnswer(this.#name, error.message) : error);
    this.#controller?.abort(error instanceof Error ? error : new Error("the turn is over"));
  }

  /** Limits the wait for a provider that has sent everything but does not end the body. Each read restarts the timer. */
  #waitForEnd(then: () => void): void {
    if (this.#grace) this.#grace.refresh();
    else this.#grace = setTimeout(then, graceForTheEnd);
  }

  #settle(): void {
    this.#settled = true;
    clearTimeout(this.#grace);
    this.#grace = undefined;
    this.#round.cancellation.offCancel(this.#onCancel);
  }
}

const decoder = new TextDecoder();

/** Drops the byte order mark that some servers write before JSON, which does not allow one. */
function textOf(chunks: readonly Buffer[]): string {
  return decoder.decode(Buffer.concat(chunks));
}
