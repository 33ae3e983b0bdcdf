import type { ServerResponse } from "node:http";
import type { FastifyReply } from "fastify";
import type { ReplyStream } from "../turn/index.ts";

/** What of a turn its answer's head is made of; the headers are read when it is sent. */
interface AnsweredTurn {
  readonly contentType: string;
  headers(): Readonly<Record<string, string>>;
}

/**
 * The one place that opens a stream. A hijacked reply skips Fastify's own sending, so what hooks have set is copied here; then
 * text is written as it comes, and a full socket is told to the engine.
 */
export class HttpReplyStream implements ReplyStream {
  readonly #reply: FastifyReply;
  readonly #raw: ServerResponse;
  readonly #turn: AnsweredTurn;
  /** While the client takes nothing more. */
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
      // Proxies such as nginx would gather events otherwise.
      "x-accel-buffering": "no",
    });
  }

  write(text: string): Promise<void> | undefined {
    const raw = this.#raw;
    if (raw.destroyed || raw.write(text)) return undefined;
    this.#drained ??= new Promise((resolve) => {
      const go = () => {
        raw.off("drain", go);
        raw.off("close", go);
        this.#drained = undefined;
        resolve();
      };
      raw.on("drain", go);
      raw.on("close", go);
    });
    return this.#drained;
  }

  end(text: string): void {
    if (!this.#raw.destroyed) this.#raw.end(text);
  }
}
