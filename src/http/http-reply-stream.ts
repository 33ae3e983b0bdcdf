import type { ServerResponse } from "node:http";
import type { FastifyReply } from "fastify";
import type { ReplyStream } from "../turn/index.ts";

/** The part of a turn that determines the response head. `headers` is called when the head is sent. */
interface AnsweredTurn {
  readonly contentType: string;
  headers(): Readonly<Record<string, string>>;
}

/**
 * The only code that opens a stream. Fastify does not send a hijacked reply, so the headers that hooks have set are copied here.
 * If the socket is full, `write` returns a promise, and the engine stops reading from the backend.
 */
export class HttpReplyStream implements ReplyStream {
  readonly #reply: FastifyReply;
  readonly #raw: ServerResponse;
  readonly #turn: AnsweredTurn;
  /** Pending while the socket's buffer is full. */
  #drained: Promise<void> | undefined;

  constructor(reply: FastifyReply, turn: AnsweredTurn) {
    this.#reply = reply;
    this.#raw = reply.raw;
    this.#turn = turn;
  }

  open(): void {
    this.#reply.hijack();
    const headers: Record<string, string | string[] | number> = {};
    for (const [name, value] of Object.entries(this.#reply.getHeaders()))
      if (value !== undefined) headers[name] = value;
    this.#raw.writeHead(200, {
      ...headers,
      ...this.#turn.headers(),
      "content-type": this.#turn.contentType,
      "cache-control": "no-cache, no-transform",
      // Otherwise proxies such as nginx buffer the events.
      "x-accel-buffering": "no",
    });
  }

  write(text: string): Promise<void> | undefined {
    const raw = this.#raw;
    if (raw.destroyed || raw.write(text)) return undefined;
    this.#drained ??= new Promise((resolve) => {
      const release = () => {
        raw.off("drain", release);
        raw.off("close", release);
        this.#drained = undefined;
        resolve();
      };
      raw.on("drain", release);
      raw.on("close", release);
    });
    return this.#drained;
  }

  end(text: string): void {
    if (!this.#raw.destroyed) this.#raw.end(text);
  }
}
